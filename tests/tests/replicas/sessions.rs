//! Whose a session is, and where it lives.

use hooks_tests::{
    client::{Client, Reply, text},
    faulty_store::FaultyStore,
};
use serde_json::json;

use crate::desk::{open, ping, serve};

#[tokio::test]
async fn a_session_goes_on_at_every_replica() {
    let store = FaultyStore::default();
    let [a, b, c] = serve(&store, |server| server).await;
    let ada = open(&a, "ada").await;
    for _ in 0..3 {
        for (number, at) in [&a, &b, &c].into_iter().enumerate() {
            assert_eq!(
                text(&ada.at(at).call("name", json!({})).await),
                number.to_string()
            );
        }
    }
}

fn assert_same(one: &Reply, other: &Reply) {
    assert_eq!((one.status, &one.body), (other.status, &other.body));
    assert_eq!(one.header("retry-after"), other.header("retry-after"));
}

#[tokio::test]
async fn a_session_of_another_principal_is_as_unknown_as_any() {
    let store = FaultyStore::default();
    let [a, b] = serve(&store, |server| server).await;
    let ada = open(&a, "ada").await;
    let mut eve = Client::stranger(a.address).with("x-user", "eve");
    let mut lost = eve.clone();
    eve.session.clone_from(&ada.session);
    lost.session = Some("lost".to_owned());
    for at in [&a, &b] {
        let refused = ping(&eve.at(at)).await;
        assert_eq!(refused.status, 404);
        assert!(refused.body.contains("Session not found"), "{refused:?}");
        assert_same(&refused, &ping(&lost.at(at)).await);
        assert_same(&eve.at(at).end().await, &lost.at(at).end().await);
        assert_eq!(eve.at(at).listen().await.status, 404);
    }
    assert_eq!(text(&ada.at(&b).call("name", json!({})).await), "1");
}

#[tokio::test]
async fn a_session_too_many_does_not_come_from_another_replica() {
    let store = FaultyStore::default();
    let [a, b] = serve(&store, |server| server.max_sessions(1)).await;
    let ada = open(&a, "ada").await;
    let bob = open(&b, "bob").await;
    let refused = ping(&ada.at(&b)).await;
    assert_eq!(refused.status, 503);
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert_eq!(ada.at(&b).listen().await.status, 503);
    assert_eq!(text(&bob.at(&b).call("name", json!({})).await), "1");
    bob.at(&b).end().await;
    assert_eq!(text(&ada.at(&b).call("name", json!({})).await), "1");
}

#[tokio::test]
async fn without_the_store_only_what_lives_here_goes_on() {
    let store = FaultyStore::default();
    let [a, b] = serve(&store, |server| server).await;
    let ada = open(&a, "ada").await;
    // The server has started: it has its key.
    open(&b, "bob").await;
    store.fail("SECRET of the store");
    assert_eq!(text(&ada.at(&a).call("name", json!({})).await), "0");
    let refused = ping(&ada.at(&b)).await;
    assert_eq!(refused.status, 503);
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert!(!refused.body.contains("SECRET"), "{refused:?}");
    store.mend();
    assert_eq!(text(&ada.at(&b).call("name", json!({})).await), "1");
}
