//! Answers and cancellations that reach a replica which does not wait for them.

use std::sync::Arc;

use serde_json::json;

use crate::{
    client::{Client, text},
    desk::{one, serve},
    store::Weather,
};

#[tokio::test]
async fn an_answer_reaches_the_replica_that_asked_and_no_other() {
    let store = Arc::<Weather>::default();
    let [a, b] = serve(&store, |server| server).await;
    let ada = Client::open(&a, "ada").await;
    let mut at_a = ada.start(&a, 1, "ask").await;
    let mut at_b = ada.start(&b, 2, "ask").await;
    let question_of_a = at_a.until("elicitation/create").await.message;
    let question_of_b = at_b.until("elicitation/create").await.message;
    assert_ne!(question_of_a["id"], question_of_b["id"]);

    // Each answer arrives at the other replica.
    assert_eq!(
        ada.respond(&b, &question_of_a["id"], "first").await.status,
        202
    );
    let answer = text(&at_a.result().await);
    assert!(answer.contains("first"), "{answer}");
    assert_eq!(
        ada.respond(&a, &question_of_b["id"], "second").await.status,
        202
    );
    let answer = text(&at_b.result().await);
    assert!(answer.contains("second"), "{answer}");
}

#[tokio::test]
async fn an_answer_to_a_replica_that_has_gone_is_taken_and_answers_nothing() {
    let store = Arc::<Weather>::default();
    let [a, b] = serve(&store, |server| server).await;
    let ada = Client::open(&a, "ada").await;
    let mut asked = ada.start(&b, 1, "ask").await;
    let question = asked.until("elicitation/create").await.message;
    let id = question["id"].as_str().expect("a text");
    let (_, random) = id.split_once('.').expect("two numbers");
    let gone = json!(format!("{}.{random}", "ab".repeat(16)));
    for at in [&a, &b] {
        assert_eq!(ada.respond(at, &gone, "nobody").await.status, 202);
    }
    // An answer of another session answers nothing, either.
    let eve = Client::open(&a, "eve").await;
    assert_eq!(eve.respond(&a, &question["id"], "eve").await.status, 202);
    assert_eq!(ada.respond(&a, &question["id"], "ada").await.status, 202);
    let answer = text(&asked.result().await);
    assert!(answer.contains("ada"), "{answer}");
}

#[tokio::test]
async fn a_call_is_given_up_through_any_replica() {
    let store = Arc::<Weather>::default();
    let [a, b] = serve(&store, |server| server).await;
    let ada = Client::open(&a, "ada").await;
    let _call = ada.start(&a, 7, "wait").await;
    let cancel = json!({"requestId": 7, "reason": "enough"});
    let told = ada.notify(&b, "notifications/cancelled", cancel).await;
    assert_eq!(told.status, 202);
    one(&a.desk.given_up).await;
}
