//! The server of these tests: its tools begin, wait and end where a test wants it.

use hooks_sdk::{http, session::SessionState};
use hooks_tests::toy_server::{Served, ToyServer};
use serde_json::json;

#[derive(SessionState, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    #[stage(start, next(session_init => Ready))]
    New,
    #[stage(allow(any))]
    Ready,
}

/// Makes the server. Its tool `flood` tells the client more than any buffer holds.
pub(crate) fn desk() -> ToyServer {
    ToyServer::default()
        .says("session_init", "opened")
        .says("work", "worked")
        .waits()
        .tool("flood", |call| async move {
            let _ended = call.begin();
            let drop = "water".repeat(16 * 1024);
            for _ in 0..1024 {
                let sent = call.notify("notifications/drop", json!({"drop": drop}));
                let sent = call.cx.ct.run_until_cancelled(sent).await;
                if sent != Some(true) {
                    return "nobody listens".to_owned();
                }
            }
            "flooded".to_owned()
        })
}

/// Serves it with settings.
pub(crate) async fn serve(settings: impl FnOnce(http::Server) -> http::Server) -> Served {
    let desk = desk();
    let server = http::Server::new(desk.bare());
    Served::start(desk, settings(server)).await
}
