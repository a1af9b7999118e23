//! Decisions that are obeyed, and the words that come with them.

use hooks_sdk::aos::{A2aMessage, Memory, Posture, StepIds, StepOutcome, User, point};
use serde_json::{Map, json};

use super::{
    agent, ask, call, client_of, denied,
    stand_in::{Act, StandIn},
};

#[tokio::test]
async fn allow_deny_and_modify_are_obeyed() {
    let guardian = StandIn::start(|question| match question.number {
        0 => question.allow(),
        1 => question.deny(),
        _ => question.modify(|request| {
            request["params"]["toolCallRequest"]["inputs"][0]["value"] = json!("[REDACTED]");
        }),
    })
    .await;
    let client = client_of(&guardian.url()).posture(Posture::Deny);
    assert_eq!(ask(&client).await, StepOutcome::Allowed);

    let denied = denied(ask(&client).await);
    assert_eq!(denied.message, "no text messages at night");
    assert_eq!(denied.reasoning.as_deref(), Some("it is 3 o'clock"));
    assert_eq!(denied.reason_codes, ["QUIET_HOURS"]);
    assert_eq!(denied.data.as_ref().unwrap()["until"], 7);
    assert_eq!(denied.failure, None);
    assert_eq!(denied.blocked_text(), "Blocked: no text messages at night");

    assert_eq!(
        ask(&client).await,
        StepOutcome::Modified(call("[REDACTED]"))
    );

    let counts = client.counts();
    assert_eq!((counts.allowed, counts.denied, counts.modified), (1, 1, 1));
    assert_eq!((counts.refused, counts.bypassed), (0, 0));
    // One connection carried all of it.
    assert_eq!(guardian.questions().len(), 3);
    assert_eq!(guardian.connections(), 1);
}

#[tokio::test]
async fn a_step_that_cannot_be_changed_is_allowed_or_denied() {
    let guardian = StandIn::start(|question| match question.number {
        0 => question.allow(),
        _ => question.modify(|_| ()),
    })
    .await;
    let client = client_of(&guardian.url()).posture(Posture::Deny);
    let message = || {
        let message = json!({
            "jsonrpc": "2.0", "id": 1, "method": "tasks/cancel", "params": { "id": "t" },
        });
        let message: Map<_, _> = serde_json::from_value(message).unwrap();
        A2aMessage::new(message)
    };
    let allowed = client.ask(point::tasks_cancel, message()).await;
    assert!(matches!(allowed, StepOutcome::Allowed), "{allowed:?}");
    let modified = client.ask(point::tasks_cancel, message()).await;
    assert!(denied(modified).failure.is_some());
    let questions = guardian.questions();
    assert_eq!(questions[0].body["method"], "tasks/cancel");
    assert_eq!(questions[0].body["params"]["payload"]["params"]["id"], "t");
}

#[tokio::test]
async fn what_is_sent_says_who_asks_and_where() {
    let guardian = StandIn::start(|question| question.allow()).await;
    let client = client_of(&guardian.url())
        .agent(agent().instructions("").version(""))
        .for_server(Some("Be brief."), "2.1.0")
        .called_by("desktop", "0.9")
        .bearer("hunter2")
        .posture(Posture::Deny);
    let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let step = client
        .at(StepIds::in_turn("session", "turn"))
        .user(User::new("ann"))
        .reasoning("the user asked for it")
        .trace_parent(trace);
    let allowed = step.ask(point::memory_store, Memory::new(["a fact"])).await;
    assert_eq!(allowed, StepOutcome::Allowed);
    let later = step.later();
    assert_eq!(later.ids(), step.ids());
    let allowed = later
        .next_step()
        .ask(point::memory_store, Memory::new(["b"]))
        .await;
    assert_eq!(allowed, StepOutcome::Allowed);

    let questions = guardian.questions();
    let question = &questions[0];
    assert!(
        question.head.starts_with("post /aos http/1.1\r\n"),
        "{}",
        question.head
    );
    assert_eq!(question.header("content-type"), Some("application/json"));
    assert_eq!(question.header("authorization"), Some("bearer hunter2"));
    assert_eq!(question.header("traceparent"), Some(trace));
    let body = &question.body;
    assert_eq!(body["method"], "steps/memoryStore");
    assert_eq!(body["params"]["memory"], json!(["a fact"]));
    assert_eq!(body["params"]["reasoning"], "the user asked for it");
    let context = &body["params"]["context"];
    assert_eq!(context["agent"]["id"], "notes");
    assert_eq!(context["agent"]["instructions"], "Be brief.");
    assert_eq!(context["agent"]["version"], "2.1.0");
    assert_eq!(context["agent"]["provider"]["url"], "https://example.com");
    let called_by = json!({ "name": "desktop", "version": "0.9" });
    assert_eq!(context["agent"]["metadata"]["client"], called_by);
    assert_eq!(context["session"]["id"], "session");
    assert_eq!(context["turnId"], "turn");
    assert_eq!(context["stepId"], step.ids().step_id);
    assert_eq!(context["user"]["id"], "ann");
    // The next step is another one of the same turn, and each question has an id of its own.
    let next = &questions[1].body;
    assert_eq!(next["params"]["context"]["turnId"], "turn");
    assert_ne!(next["params"]["context"]["stepId"], context["stepId"]);
    assert_ne!(next["id"], body["id"]);
}

#[tokio::test]
async fn a_ping_says_whether_the_guardian_is_there() {
    let guardian = StandIn::start(|question| {
        let status = ["connected", "error"][question.number];
        let answer = json!({
            "jsonrpc": "2.0",
            "id": question.body["id"],
            "result": { "status": status, "version": "1", "timestamp": "2026-01-01T00:00:00Z" },
        });
        Act::json(answer.to_string())
    })
    .await;
    let client = client_of(&guardian.url()).posture(Posture::Deny);
    client.ping().await.unwrap();
    client.ping().await.unwrap_err();
    assert_eq!(guardian.questions()[0].body["method"], "ping");
    let url = guardian.url();
    drop(guardian);
    client_of(&url).ping().await.unwrap_err();
}
