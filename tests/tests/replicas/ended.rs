//! The end of a session.

use hooks_tests::{client::text, faulty_store::FaultyStore};
use serde_json::json;

use crate::desk::{open, ping, serve};

#[tokio::test]
async fn a_session_that_ends_at_one_replica_ends_at_all() {
    let store = FaultyStore::default();
    let [a, b, c] = serve(&store, |server| server).await;
    let ada = open(&a, "ada").await;
    let mut heard = ada.at(&a).listen().await;
    assert_eq!(heard.status, 200);
    let bob = open(&a, "bob").await;
    assert_eq!(ada.at(&b).end().await.status, 204);
    assert!(
        heard.event().await.is_none(),
        "the stream at the other replica ends"
    );
    for at in [&a, &b, &c] {
        assert_eq!(ping(&ada.at(at)).await.status, 404);
        assert_eq!(ada.at(at).end().await.status, 404);
    }
    assert_eq!(text(&bob.at(&a).call("name", json!({})).await), "0");
}
