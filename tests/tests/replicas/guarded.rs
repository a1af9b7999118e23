//! A guardian that sees the messages of clients, at a server of many replicas.

use std::{
    convert::Infallible,
    sync::{Arc, Mutex},
};

use hooks_sdk::{
    Hooked,
    aos::{Agent, AosHook, Guardian, McpMessage, Messages, Posture, Reply, point},
    core::{Registry, Verdict},
};
use hooks_tests::{client::text, faulty_store::FaultyStore, toy_server::ToyServer};
use serde_json::{Value, json};

use crate::desk::{accepted, open, serve_with};

/// Lets a guardian deny every message with the word.
fn guarded(hooked: Hooked<ToyServer>, seen: &Arc<Mutex<String>>) -> Hooked<ToyServer> {
    let seen = seen.clone();
    let rule = AosHook::answering_any("rule", point::mcp, move |message: &McpMessage, _| {
        let text = Value::Object(message.message.clone()).to_string();
        seen.lock().unwrap().push_str(&text);
        Box::pin(async move {
            match text.contains("sk-secret") {
                true => Reply::deny("no"),
                false => Reply::<McpMessage>::allow(),
            }
        })
    });
    let allow = || Box::pin(async { Verdict::<Infallible>::Allow });
    let request = AosHook::answering_any("request", point::tool_call_request, move |_, _| allow());
    let result = AosHook::answering_any("result", point::tool_call_result, move |_, _| allow());
    let registry = [rule, request, result].into_iter();
    let registry = registry.fold(Registry::builder(), |all, hook| all.add(hook.into()));
    let registry = registry.build().unwrap();
    let agent = Agent::new("desk", "Desk").provider("Example", "https://example.com");
    let client = Guardian::local_with(Guardian::with((), registry))
        .agent(agent)
        .messages(Messages::Inbound)
        .posture(Posture::Deny);
    hooked.guardian(client)
}

#[tokio::test]
async fn an_answer_that_another_replica_receives_is_decided_before_it_is_delivered() {
    let store = FaultyStore::default();
    let seen = Arc::default();
    let hooks = |hooked| guarded(hooked, &seen);
    let [a, b] = serve_with(&store, hooks, |server| server).await;
    let ada = open(&a, "ada").await;
    for at in [&a, &b] {
        for (answer, is_denied) in [("harmless", false), ("sk-secret", true)] {
            let mut asked = ada.at(&a).start("ask", json!({})).await;
            let question = asked.until("elicitation/create").await;
            ada.at(at).respond(&question["id"], accepted(answer)).await;
            let answered = text(&asked.answer().await["result"]);
            assert_eq!(answered.contains(answer), !is_denied, "{answered}");
        }
    }
    assert!(seen.lock().unwrap().contains("sk-secret"));
}
