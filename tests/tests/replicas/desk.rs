//! The server of these tests, and its replicas.

use std::time::Duration;

use hooks_sdk::{Hooked, http};
use hooks_tests::{
    client::{Client, Reply},
    faulty_store::FaultyStore,
    toy_server::{Served, ToyServer},
};
use serde_json::{Value, json};

/// Makes the server. Its tool `name` says which replica is asked, `ask` asks the user, `tell` tells the client
/// something that belongs to no request, `wait` waits until the client gives up, and `work` reports progress and ends
/// when it may.
fn desk(name: usize) -> ToyServer {
    ToyServer::default()
        .says("name", &name.to_string())
        .tool("ask", move |call| async move {
            call.ask(&format!("Does {name} hear you?")).await
        })
        .tool("tell", move |call| async move {
            let params = json!({"from": name});
            assert!(call.notify("notifications/told", params).await);
            "told".to_owned()
        })
        .tool("wait", |call| async move {
            call.cx.ct.cancelled().await;
            call.server.ended.add_permits(1);
            "given up".to_owned()
        })
        .tool("work", |call| async move {
            for step in 1..=3 {
                call.report(f64::from(step), "works").await;
                if step == 2 {
                    call.wait_for_leave().await;
                }
            }
            "worked".to_owned()
        })
}

/// Opens a session of a user.
pub(crate) async fn open(at: &Served, user: &str) -> Client {
    let client = Client::stranger(at.address).with("x-user", user);
    let client = client.capable(json!({"elicitation": {}}));
    client.shake_hands().await.0
}

/// Sends a ping.
pub(crate) async fn ping(client: &Client) -> Reply {
    let ping = json!({"jsonrpc": "2.0", "id": 9, "method": "ping"});
    client.post(&ping.to_string()).await.whole().await
}

/// The user's answer to a question.
pub(crate) fn accepted(by: &str) -> Value {
    json!({"action": "accept", "content": {"by": by}})
}

/// Serves some replicas over one store.
pub(crate) async fn serve<const N: usize>(
    store: &FaultyStore,
    settings: impl Fn(http::Server) -> http::Server,
) -> [Served; N] {
    serve_with(store, |hooked| hooked, settings).await
}

/// Serves some replicas over one store, each with these hooks.
pub(crate) async fn serve_with<const N: usize>(
    store: &FaultyStore,
    hooks: impl Fn(Hooked<ToyServer>) -> Hooked<ToyServer>,
    settings: impl Fn(http::Server) -> http::Server,
) -> [Served; N] {
    let mut replicas = Vec::new();
    for name in 0..N {
        let desk = desk(name);
        let server = http::Server::new(hooks(desk.bare()))
            .store(store.clone())
            .drain(Duration::from_secs(1))
            .principal(|parts| Some(parts.headers.get("x-user")?.to_str().ok()?.to_owned()));
        replicas.push(Served::start(desk, settings(server)).await);
    }
    replicas.try_into().unwrap_or_else(|_| unreachable!())
}
