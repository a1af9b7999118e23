//! Answers and cancellations that reach a replica which does not wait for them.

use hooks_sdk::{Hooked, Policy, plugin::ready::Confirm};
use hooks_tests::{
    client::text,
    faulty_store::FaultyStore,
    toy_server::{ToyServer, one},
};
use serde_json::json;

use crate::desk::{accepted, open, serve, serve_with};

#[tokio::test]
async fn an_answer_reaches_the_replica_that_asked_and_no_other() {
    let store = FaultyStore::default();
    let [a, b] = serve(&store, |server| server).await;
    let ada = open(&a, "ada").await;
    let mut at_a = ada.at(&a).start("ask", json!({})).await;
    let mut at_b = ada.at(&b).start("ask", json!({})).await;
    let question_of_a = at_a.until("elicitation/create").await;
    let question_of_b = at_b.until("elicitation/create").await;
    assert_ne!(question_of_a["id"], question_of_b["id"]);

    // Each answer arrives at the other replica.
    assert_eq!(
        ada.at(&b)
            .respond(&question_of_a["id"], accepted("first"))
            .await,
        202
    );
    let answer = text(&at_a.answer().await["result"]);
    assert!(answer.contains("first"), "{answer}");
    assert_eq!(
        ada.at(&a)
            .respond(&question_of_b["id"], accepted("second"))
            .await,
        202
    );
    let answer = text(&at_b.answer().await["result"]);
    assert!(answer.contains("second"), "{answer}");
}

#[tokio::test]
async fn a_hook_asks_on_the_stream_of_its_call() {
    let store = FaultyStore::default();
    let confirm = || Policy::new().with(Confirm::new().tool("work"));
    let hooks = |hooked: Hooked<ToyServer>| hooked.policy(confirm());
    let [a, b] = serve_with(&store, hooks, |server| server).await;
    let ada = open(&a, "ada").await;
    // The session's own stream is at another replica.
    let _elsewhere = ada.at(&b).listen().await;
    let work = json!({"_meta": {"progressToken": 1}});
    let mut call = ada.at(&a).start("work", work).await;
    let question = call.until("elicitation/create").await;
    let yes = json!({"action": "accept", "content": {"confirm": true}});
    ada.at(&b).respond(&question["id"], yes).await;
    a.server.leave.add_permits(1);
    assert_eq!(text(&call.answer().await["result"]), "worked");
}

#[tokio::test]
async fn an_answer_to_a_replica_that_has_gone_is_taken_and_answers_nothing() {
    let store = FaultyStore::default();
    let [a, b] = serve(&store, |server| server).await;
    let ada = open(&a, "ada").await;
    let mut asked = ada.at(&b).start("ask", json!({})).await;
    let question = asked.until("elicitation/create").await;
    let id = question["id"].as_str().expect("a text");
    let (_, random) = id.split_once('.').expect("two numbers");
    let gone = json!(format!("{}.{random}", "ab".repeat(16)));
    for at in [&a, &b] {
        assert_eq!(ada.at(at).respond(&gone, accepted("nobody")).await, 202);
    }
    // An answer of another session answers nothing, either.
    let eve = open(&a, "eve").await;
    assert_eq!(
        eve.at(&a).respond(&question["id"], accepted("eve")).await,
        202
    );
    assert_eq!(
        ada.at(&a).respond(&question["id"], accepted("ada")).await,
        202
    );
    let answer = text(&asked.answer().await["result"]);
    assert!(answer.contains("ada"), "{answer}");
}

#[tokio::test]
async fn a_call_is_given_up_through_any_replica() {
    let store = FaultyStore::default();
    let [a, b] = serve(&store, |server| server).await;
    let ada = open(&a, "ada").await;
    let call = ada.at(&a).start("wait", json!({})).await;
    let cancel = json!({"requestId": call.id, "reason": "enough"});
    let through = ada.at(&b);
    through.notify("notifications/cancelled", cancel).await;
    one(&a.server.ended).await;
}
