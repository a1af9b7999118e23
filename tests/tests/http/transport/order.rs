//! The calls of a session keep the order in which they arrived.

use futures::future::join_all;
use hooks_tests::client::{Client, told};
use serde_json::json;

use super::desk::serve;

const ROUNDS: usize = 200;

async fn rounds(client: Client) {
    for round in 0..ROUNDS {
        // The head of a response comes when the session has the call. The calls then run at once.
        let opened = client.start("session_init", json!({})).await;
        let worked = client.start("work", json!({})).await;
        let cleared = client.start("session_clear", json!({})).await;
        let refused = client.start("work", json!({})).await;
        assert_eq!(told(&opened.result().await), "opened", "{round}");
        assert_eq!(told(&worked.result().await), "worked", "{round}");
        assert_eq!(told(&cleared.result().await), "session_cleared", "{round}");
        assert_eq!(refused.result().await["isError"], true, "{round}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_of_a_session_keep_their_order() {
    let (address, _) = serve().await;
    let clients = join_all((0..2).map(|_| Client::legacy(address))).await;
    join_all(clients.into_iter().map(rounds)).await;
}
