//! What the server sends by itself has no secret at any replica.

use hooks_sdk::{Hooked, Policy, plugin::ready::Redact};

use hooks_tests::{client::text, faulty_store::FaultyStore, toy_server::ToyServer};
use serde_json::json;

use crate::desk::{TOKEN, open, serve_with};

fn redacting(hooked: Hooked<ToyServer>) -> Hooked<ToyServer> {
    hooked.policy(Policy::new().with(Redact::new()))
}

#[tokio::test]
async fn what_a_replica_says_in_the_session_of_another_has_no_secret() {
    let store = FaultyStore::default();
    let [a, b] = serve_with(&store, redacting, |server| server).await;
    let ada = open(&a, "ada").await;
    for at in [&b, &a] {
        let ada = ada.at(at);
        let mut heard = ada.listen().await;
        assert_eq!(text(&ada.call("tell", json!({})).await), "told");
        let event = heard.until_event("notifications/told").await;
        assert_eq!(event.message["params"]["said"], "[REDACTED]");
        at.server.leave.add_permits(1);
        let work = json!({"_meta": {"progressToken": 1}});
        let mut call = ada.start("work", work).await;
        for step in [1.0, 2.0, 3.0] {
            let event = call.until_event("notifications/progress").await;
            assert_eq!(event.message["params"]["progress"], step);
            assert!(!event.message.to_string().contains(TOKEN));
        }
        assert_eq!(text(&call.answer().await["result"]), "worked");
    }
}
