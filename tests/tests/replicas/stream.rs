//! A session's own stream.

use std::sync::Arc;

use crate::{client::Client, desk::serve, store::Weather};

#[tokio::test]
async fn a_listener_hears_what_every_replica_says_and_no_other_session() {
    let store = Arc::<Weather>::default();
    let [a, b, c] = serve(&store, |server| server).await;
    let ada = Client::open(&a, "ada").await;
    let eve = Client::open(&a, "eve").await;
    // What is said before anybody listens is not lost.
    assert_eq!(ada.call(&c, "tell").await, "told");
    let mut heard = ada.listen(&a).await;
    let mut of_eve = eve.listen(&b).await;
    let first = heard.until("notifications/told").await;
    assert_eq!(first.message["params"]["from"], 2);
    for (number, at) in [&b, &a, &c].into_iter().enumerate() {
        assert_eq!(ada.call(at, "tell").await, "told");
        let event = heard.next().await.expect("an event");
        assert_eq!(event.message["params"]["from"], [1, 0, 2][number]);
        assert_eq!(event.id, None, "without resumption, events have no ids");
    }
    // The first that the other session hears is its own.
    assert_eq!(eve.call(&c, "tell").await, "told");
    assert_eq!(eve.call(&a, "tell").await, "told");
    for expected in [2, 0] {
        let event = of_eve.next().await.expect("an event");
        assert_eq!(event.message["params"]["from"], expected);
    }
    assert_eq!(ada.call(&b, "tell").await, "told");
    let event = heard.next().await.expect("an event");
    assert_eq!(event.message["params"]["from"], 1);
}
