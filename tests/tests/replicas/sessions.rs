//! Whose a session is, and where it lives.

use std::sync::Arc;

use crate::{client::Client, desk::serve, store::Weather};

#[tokio::test]
async fn a_session_goes_on_at_every_replica() {
    let store = Arc::<Weather>::default();
    let [a, b, c] = serve(&store, |server| server).await;
    let ada = Client::open(&a, "ada").await;
    for _ in 0..3 {
        for (number, at) in [&a, &b, &c].into_iter().enumerate() {
            assert_eq!(ada.call(at, "name").await, number.to_string());
        }
    }
}

#[tokio::test]
async fn a_session_of_another_principal_is_as_unknown_as_any() {
    let store = Arc::<Weather>::default();
    let [a, b] = serve(&store, |server| server).await;
    let ada = Client::open(&a, "ada").await;
    let eve = Client {
        user: "eve",
        ..ada.clone()
    };
    let lost = Client {
        session: "lost".to_owned(),
        ..eve.clone()
    };
    for at in [&a, &b] {
        let refused = eve.ping(at).await;
        assert_eq!(refused.status, 404);
        assert!(refused.body.contains("Session not found"), "{refused:?}");
        assert_eq!(refused, lost.ping(at).await);
        assert_eq!(eve.end(at).await, lost.end(at).await);
        assert_eq!(eve.listen(at).await.status, 404);
    }
    assert_eq!(ada.call(&b, "name").await, "1");
}

#[tokio::test]
async fn a_session_too_many_does_not_come_from_another_replica() {
    let store = Arc::<Weather>::default();
    let [a, b] = serve(&store, |server| server.max_sessions(1)).await;
    let ada = Client::open(&a, "ada").await;
    let bob = Client::open(&b, "bob").await;
    let refused = ada.ping(&b).await;
    assert_eq!(refused.status, 503);
    assert_eq!(refused.retry_after.as_deref(), Some("1"));
    assert_eq!(ada.listen(&b).await.status, 503);
    assert_eq!(bob.call(&b, "name").await, "1");
    bob.end(&b).await;
    assert_eq!(ada.call(&b, "name").await, "1");
}

#[tokio::test]
async fn without_the_store_only_what_lives_here_goes_on() {
    let store = Arc::<Weather>::default();
    let [a, b] = serve(&store, |server| server).await;
    let ada = Client::open(&a, "ada").await;
    // The server has started: it has its key.
    Client::open(&b, "bob").await;
    store.set_down(true);
    assert_eq!(ada.call(&a, "name").await, "0");
    let refused = ada.ping(&b).await;
    assert_eq!(refused.status, 503);
    assert_eq!(refused.retry_after.as_deref(), Some("1"));
    assert!(!refused.body.contains("SECRET"), "{refused:?}");
    store.set_down(false);
    assert_eq!(ada.call(&b, "name").await, "1");
}
