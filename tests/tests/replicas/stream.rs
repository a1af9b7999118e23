//! A session's own stream.

use hooks_tests::{client::text, faulty_store::FaultyStore};
use serde_json::json;

use crate::desk::{open, serve};

#[tokio::test]
async fn a_listener_hears_what_every_replica_says_and_no_other_session() {
    let store = FaultyStore::default();
    let [a, b, c] = serve(&store, |server| server).await;
    let ada = open(&a, "ada").await;
    let eve = open(&a, "eve").await;
    // What is said before anybody listens is not lost.
    assert_eq!(text(&ada.at(&c).call("tell", json!({})).await), "told");
    let mut heard = ada.at(&a).listen().await;
    let mut of_eve = eve.at(&b).listen().await;
    let first = heard.until_event("notifications/told").await;
    assert_eq!(first.message["params"]["from"], 2);
    for (number, at) in [&b, &a, &c].into_iter().enumerate() {
        assert_eq!(text(&ada.at(at).call("tell", json!({})).await), "told");
        let event = heard.event().await.expect("an event");
        assert_eq!(event.message["params"]["from"], [1, 0, 2][number]);
        assert_eq!(event.id, None, "without resumption, events have no ids");
    }
    // The first that the other session hears is its own.
    assert_eq!(text(&eve.at(&c).call("tell", json!({})).await), "told");
    assert_eq!(text(&eve.at(&a).call("tell", json!({})).await), "told");
    for expected in [2, 0] {
        let event = of_eve.event().await.expect("an event");
        assert_eq!(event.message["params"]["from"], expected);
    }
    assert_eq!(text(&ada.at(&b).call("tell", json!({})).await), "told");
    let event = heard.event().await.expect("an event");
    assert_eq!(event.message["params"]["from"], 1);
}
