//! The `GET` stream of a session, which carries what its own replica says.

use hooks_tests::{client::text, faulty_store::FaultyStore};
use serde_json::json;

use crate::desk::{open, serve};

#[tokio::test]
async fn a_listener_hears_its_own_replica_and_no_other_session() {
    let store = FaultyStore::default();
    let [a, b] = serve(&store, |server| server).await;
    let ada = open(&a, "ada").await;
    let eve = open(&a, "eve").await;
    let mut heard = ada.at(&a).listen().await;
    // A stream at a replica that does not have the session yet: clients come there when theirs is replaced.
    let mut at_b = ada.at(&b).listen().await;
    let mut of_eve = eve.at(&a).listen().await;
    assert_eq!(at_b.status, 200);
    for round in 0..2 {
        for at in [&b, &a] {
            assert_eq!(text(&ada.at(at).call("tell", json!({})).await), "told");
        }
        for (stream, from) in [(&mut heard, 0), (&mut at_b, 1)] {
            let event = stream.until_event("notifications/told").await;
            assert_eq!(event.message["params"]["from"], from, "{round}");
        }
    }
    // The first that the other session hears is its own.
    assert_eq!(text(&eve.at(&a).call("tell", json!({})).await), "told");
    let event = of_eve.until_event("notifications/told").await;
    assert_eq!(event.message["params"]["from"], 0);
}

#[tokio::test]
async fn no_event_id_opens_the_events_of_another() {
    let store = FaultyStore::default();
    let [a, b] = serve(&store, |server| server).await;
    let ada = open(&a, "ada").await;
    let work = json!({"_meta": {"progressToken": 1}});
    let mut call = ada.at(&a).start("work", work).await;
    let event = call.until_event("notifications/progress").await;
    let own = event.id.expect("an id");
    for id in ["0", "0/0", "1-0", "-", &own] {
        for at in [&a, &b] {
            let eve = open(&a, "eve").await;
            let mut stream = eve.at(at).resume(id).await;
            assert_eq!(stream.status, 200);
            assert_eq!(text(&eve.at(at).call("tell", json!({})).await), "told");
            let event = stream.until_event("notifications/told").await;
            assert!(event.message["params"]["from"].is_number());
        }
    }
    // Another replica does not have the stream of the call. Its own one goes on behind the event.
    drop(call);
    drop(ada.at(&b).resume(&own).await);
    let mut resumed = ada.at(&a).resume(&own).await;
    a.server.leave.add_permits(1);
    assert_eq!(text(&resumed.answer().await["result"]), "worked");
}
