//! Time and failures that the caller of a server can cause by a step say nothing about the guardian.

use std::{future::pending, time::Duration};

use hooks_sdk::{
    aos::{
        AosHook, AosPoint, FailureClass, Guardian, GuardianClient, Memory, Posture, StepOutcome,
        ToolCallRequest, ToolInput, Unaskable, point,
    },
    core::{HookError, Registry, Verdict},
};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::{
    PATIENCE, SHORT, agent, ask, call, client_of, denied, fails,
    stand_in::{Act, Question, StandIn},
    unaskable::is_refused,
};

fn with(value: Value) -> ToolCallRequest {
    let input = ToolInput::new("text", value);
    ToolCallRequest::new("execution", "send_sms", vec![input])
}

/// More than a guardian reads without any trouble.
fn large() -> ToolCallRequest {
    with(json!("x".repeat(70 * 1024)))
}

/// Nearly as large, and as deep, as a question may be.
fn nearly_too_much() -> [ToolCallRequest; 3] {
    let deep = |inner: Value| (0..99).fold(inner, |inner, _| json!([inner]));
    [
        with(json!("x".repeat(4 * 1024 * 1024 - 2000))),
        with(json!(vec![deep(json!("x".repeat(1000))); 2000])),
        with(json!(vec![1; 900_000])),
    ]
}

fn pong(question: &Question) -> Act {
    let result =
        json!({"status": "connected", "version": "1", "timestamp": "2026-01-01T00:00:00Z"});
    Act::json(json!({"jsonrpc": "2.0", "id": question.body["id"], "result": result}).to_string())
}

fn is_ping(question: &Question) -> bool {
    question.body["method"] == "ping"
}

/// Acts so with each large step, and allows the others.
fn with_large(act: impl Fn(&Question) -> Act) -> impl Fn(&Question) -> Act {
    move |question| match question.body.to_string().len() > 64 * 1024 {
        _ if is_ping(question) => pong(question),
        true => act(question),
        false => question.allow(),
    }
}

#[tokio::test]
async fn a_step_near_the_limits_is_asked_about_in_whole() {
    let guardian = StandIn::start(|question| question.deny()).await;
    for step in nearly_too_much() {
        let client = client_of(&guardian.url()).posture(Posture::Proceed);
        let ruled = client.ask(point::tool_call_request, step.clone()).await;
        assert_eq!(denied(ruled).reason_codes, ["QUIET_HOURS"]);
        let asked = guardian.questions().pop().expect("a question");
        let value = &asked.body["params"]["toolCallRequest"]["inputs"][0]["value"];
        assert!(*value == step.inputs[0].value, "it is not whole");
    }
}

#[tokio::test]
async fn a_large_step_without_a_decision_is_refused_and_leaves_the_circuit_closed() {
    let error = |question: &Question| {
        let error = json!({"code": -32603, "message": "too slow"});
        let id = &question.body["id"];
        Act::json(json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string())
    };
    let acts: [fn(&Question) -> Act; 6] = [
        |_| Act::Hang(Vec::new()),
        |_| {
            Act::Drip(
                b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n".to_vec(),
                b' ',
            )
        },
        |_| Act::Close(Vec::new()),
        |_| Act::http("500 Internal Server Error", "", ""),
        |_| Act::http("504 Gateway Timeout", "", ""),
        |_| Act::http("408 Request Timeout", "", ""),
    ];
    for act in acts.into_iter().chain([error as fn(&Question) -> Act]) {
        let guardian = StandIn::start(with_large(act)).await;
        let client = client_of(&guardian.url()).timeout(SHORT);
        let client = client.circuit(1, Duration::MAX);
        is_refused(&client, Unaskable::TooLarge, large()).await;
        let small = client.timeout(PATIENCE).posture(Posture::Deny);
        assert_eq!(ask(&small).await, StepOutcome::Allowed);
    }
}

#[tokio::test]
async fn a_large_step_keeps_no_circuit_open() {
    let guardian = StandIn::start(
        |question| match question.body.to_string().len() > 64 * 1024 {
            true => Act::Hang(Vec::new()),
            false if question.number == 0 => Act::Close(Vec::new()),
            false => question.deny(),
        },
    )
    .await;
    let client = client_of(&guardian.url()).circuit(1, Duration::ZERO);
    let client = client.posture(Posture::Proceed);
    assert_eq!(
        ask(&client).await,
        StepOutcome::Bypassed(FailureClass::Unreachable)
    );
    let slow = client.clone();
    let slow = tokio::spawn(async move { slow.ask(point::tool_call_request, large()).await });
    while guardian.questions().len() < 2 {
        tokio::task::yield_now().await;
    }
    // While the large step waits, another one finds out that the guardian is back.
    assert_eq!(denied(ask(&client).await).reason_codes, ["QUIET_HOURS"]);
    slow.abort();
}

#[tokio::test]
async fn a_large_step_goes_on_by_the_posture_where_its_size_is_not_the_reason() {
    let guardian = StandIn::start(Question::allow).await;
    let client = client_of(&guardian.url()).posture(Posture::Proceed);
    guardian.stop().await;
    let ruled = client.ask(point::tool_call_request, large()).await;
    assert_eq!(ruled, StepOutcome::Bypassed(FailureClass::Unreachable));
    for (act, class) in [
        (
            Act::http("401 Unauthorized", "", ""),
            FailureClass::Rejected,
        ),
        (Act::json("{}"), FailureClass::MalformedResponse),
    ] {
        let act = std::sync::Mutex::new(Some(act));
        let guardian = StandIn::start(move |_| act.lock().unwrap().take().unwrap()).await;
        let client = client_of(&guardian.url()).posture(Posture::Proceed);
        let ruled = client.ask(point::tool_call_request, large()).await;
        assert_eq!(ruled, StepOutcome::Bypassed(class));
    }
}

#[tokio::test]
async fn a_small_step_that_takes_a_healthy_guardian_too_long_is_refused_and_opens_no_circuit() {
    let guardian = StandIn::start(
        |question| match question.body.to_string().contains("secret") {
            _ if is_ping(question) => pong(question),
            true => Act::Hang(Vec::new()),
            false => question.deny(),
        },
    )
    .await;
    let client = client_of(&guardian.url()).timeout(SHORT);
    let client = client.circuit(1, Duration::MAX);
    let easy = client
        .on_bypass(|bypass| panic!("{bypass:?}"))
        .posture(Posture::Proceed);
    for _ in 0..3 {
        let denied = denied(ask(&easy).await);
        assert_eq!(denied.unaskable, Some(Unaskable::TooSlow));
        assert_eq!(denied.reason_codes, ["guardian_too_slow"]);
    }
    let counts = easy.counts();
    assert_eq!((counts.unaskable, counts.bypassed), (3, 0));
    assert_eq!(counts.failed(FailureClass::Timeout), 0);
    let ruled = easy.ask(point::tool_call_request, call("other")).await;
    assert_eq!(denied(ruled).reason_codes, ["QUIET_HOURS"]);
}

#[tokio::test]
async fn a_guardian_that_answers_no_ping_either_is_gone() {
    let unwell = |question: &Question| {
        let result = json!({"status": "disconnected"});
        let id = &question.body["id"];
        Act::json(json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string())
    };
    let hangs: fn(&Question) -> Act = |_| Act::Hang(Vec::new());
    for on_ping in [hangs, unwell] {
        let guardian = StandIn::start(move |question| match is_ping(question) {
            true => on_ping(question),
            false => Act::Hang(Vec::new()),
        })
        .await;
        let client = client_of(&guardian.url()).timeout(SHORT);
        fails(client, FailureClass::Timeout).await;
    }
}

fn here(hooks: impl IntoIterator<Item = AosHook>) -> GuardianClient<()> {
    let mut registry = Registry::builder();
    for hook in hooks {
        registry = registry.add(hook.into());
    }
    let guardian = Guardian::with((), registry.build().unwrap());
    Guardian::local_with(guardian).agent(agent())
}

#[tokio::test]
async fn so_is_a_large_step_that_a_policy_in_the_process_does_not_decide() {
    let hangs = || {
        AosHook::answering_any("rule", point::tool_call_request, |_, _| {
            Box::pin(pending::<Verdict<ToolCallRequest>>())
        })
    };
    let fails = AosHook::answering_any("rule", point::tool_call_request, |_, _| {
        Box::pin(async { Err::<Verdict<ToolCallRequest>, _>(HookError::new("too long")) })
    });
    for client in [
        here([hangs()]).timeout(SHORT),
        here([hangs().deadline(SHORT)]),
        here([fails]),
    ] {
        is_refused(&client, Unaskable::TooLarge, large()).await;
        let easy = client.posture(Posture::Proceed);
        assert!(matches!(ask(&easy).await, StepOutcome::Bypassed(_)));
    }
    // No step has a hook there, whatever its size is.
    let memory = Memory::new(["x".repeat(70 * 1024)]);
    let easy = here([hangs()]).posture(Posture::Proceed);
    let ruled = asked(&easy, point::memory_store, memory).await;
    assert_eq!(ruled, StepOutcome::Bypassed(FailureClass::GuardianError));
}

async fn asked<P: AosPoint>(
    client: &GuardianClient,
    at: P,
    step: P::Payload,
) -> StepOutcome<P::Payload> {
    let asked = timeout(PATIENCE, client.ask(at, step)).await;
    asked.expect("a ruling")
}
