//! A server as an author writes one, served over HTTP.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use hooks_sdk::{Collected, Hooked, core::Registry, http, session::SessionState};
use rmcp::{
    RoleServer, ServerHandler,
    model::{CustomNotification, ServerNotification},
    service::RequestContext,
    tool, tool_handler, tool_router,
};
use serde_json::json;
use tokio::{net::TcpListener, sync::Semaphore, task::JoinHandle, time::timeout};
use tokio_util::sync::CancellationToken;

/// How long a test waits for what must happen.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

#[derive(SessionState, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    #[stage(start, next(session_init => Ready))]
    New,
    #[stage(allow(any))]
    Ready,
}

/// A server with tools that begin, wait and end where a test wants it.
#[derive(Clone)]
pub(crate) struct Desk {
    /// One permit for each call of `wait` or `flood` that has begun.
    pub(crate) begun: Arc<Semaphore>,
    /// One permit for each that has ended.
    pub(crate) ended: Arc<Semaphore>,
    /// A call of `wait` takes one permit to end.
    pub(crate) leave: Arc<Semaphore>,
}

#[tool_router]
impl Desk {
    #[tool]
    async fn session_init(&self) -> String {
        "opened".to_owned()
    }

    #[tool]
    async fn work(&self) -> String {
        "worked".to_owned()
    }

    #[tool]
    async fn wait(&self) -> String {
        self.begun.add_permits(1);
        let _ended = Ended(self.ended.clone());
        self.leave.acquire().await.expect("leave").forget();
        "waited".to_owned()
    }

    /// Tells the client more than any buffer holds.
    #[tool]
    async fn flood(&self, cx: RequestContext<RoleServer>) -> String {
        self.begun.add_permits(1);
        let _ended = Ended(self.ended.clone());
        let drop = "water".repeat(16 * 1024);
        for _ in 0..1024 {
            let params = json!({"drop": drop});
            let told = CustomNotification::new("notifications/drop", Some(params));
            let told = ServerNotification::CustomNotification(told);
            let sent = cx.peer.send_notification(told);
            let sent = cx.ct.run_until_cancelled(sent).await;
            if !matches!(sent, Some(Ok(()))) {
                return "nobody listens".to_owned();
            }
        }
        "flooded".to_owned()
    }
}

#[tool_handler]
impl ServerHandler for Desk {}

/// Tells that a call has ended, however it did.
struct Ended(Arc<Semaphore>);

impl Drop for Ended {
    fn drop(&mut self) {
        self.0.add_permits(1);
    }
}

impl Desk {
    pub(crate) fn new() -> Desk {
        let none = || Arc::new(Semaphore::new(0));
        Desk {
            begun: none(),
            ended: none(),
            leave: none(),
        }
    }

    pub(crate) fn hooked(&self) -> Hooked<Desk> {
        // Other tests of this program link hooks of servers of their own.
        let registry = Registry::builder().build().expect("no hooks");
        let collected = Collected::of(registry).expect("sound hooks");
        collected.wrap(self.clone()).expect("sound hooks")
    }
}

/// Waits for one event.
pub(crate) async fn one(of: &Semaphore) {
    let permit = timeout(PATIENCE, of.acquire()).await.expect("in time");
    permit.expect("an open semaphore").forget();
}

/// A server on a port.
pub(crate) struct Served {
    pub(crate) address: SocketAddr,
    pub(crate) desk: Desk,
    pub(crate) stop: CancellationToken,
    serving: JoinHandle<()>,
}

impl Served {
    /// Waits until the server has ended.
    pub(crate) async fn end(self) {
        self.stop.cancel();
        timeout(PATIENCE, self.serving)
            .await
            .expect("an end in time")
            .expect("no panic");
    }
}

/// Serves a desk with settings.
pub(crate) async fn serve(
    settings: impl FnOnce(http::Server<Desk>) -> http::Server<Desk>,
) -> Served {
    let desk = Desk::new();
    let hooked = desk.hooked();
    serve_hooked(desk, settings(http::Server::new(hooked))).await
}

pub(crate) async fn serve_hooked(desk: Desk, server: http::Server<Desk>) -> Served {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let stop = CancellationToken::new();
    let shutdown = stop.clone().cancelled_owned();
    let serving = tokio::spawn(async move {
        server
            .serve_on(listener, shutdown)
            .await
            .expect("sound settings");
    });
    Served {
        address,
        desk,
        stop,
        serving,
    }
}
