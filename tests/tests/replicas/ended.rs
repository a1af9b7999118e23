//! The end of a session.

use std::sync::Arc;

use crate::{client::Client, desk::serve, store::Weather};

#[tokio::test]
async fn a_session_that_ends_at_one_replica_ends_at_all() {
    let store = Arc::<Weather>::default();
    let [a, b, c] = serve(&store, |server| server).await;
    let ada = Client::open(&a, "ada").await;
    let mut heard = ada.listen(&a).await;
    assert_eq!(heard.status, 200);
    let bob = Client::open(&a, "bob").await;
    assert_eq!(ada.end(&b).await.status, 202);
    assert!(
        heard.next().await.is_none(),
        "the stream at the other replica ends"
    );
    for at in [&a, &b, &c] {
        assert_eq!(ada.ping(at).await.status, 404);
        assert_eq!(ada.end(at).await.status, 404);
    }
    assert_eq!(bob.call(&a, "name").await, "0");
}
