//! What the caller of a server can cause is no failure of its guardian: it is refused under both postures.

use std::convert::Infallible;

use hooks_sdk::{
    aos::{
        AosHook, AosPoint, FailureClass, Guardian, GuardianClient, McpMessage, Memory, Posture,
        StepOutcome, ToolCallRequest, ToolInput, Unaskable, point,
    },
    core::{Registry, Verdict},
};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::{
    PATIENCE, agent, call, client_of, denied,
    stand_in::{Act, Question, StandIn},
};

/// Asks under both postures, and checks that the step is refused and counted by itself.
pub(super) async fn is_refused(
    client: &GuardianClient<()>,
    expected: Unaskable,
    step: ToolCallRequest,
) {
    refused_at(client, expected, point::tool_call_request, step).await;
}

async fn refused_at<P: AosPoint>(
    client: &GuardianClient<()>,
    expected: Unaskable,
    point: P,
    step: P::Payload,
) where
    P::Payload: std::fmt::Debug,
{
    for posture in [Posture::Deny, Posture::Proceed] {
        let client = client
            .clone()
            .on_bypass(|bypass| panic!("{bypass:?}"))
            .posture(posture);
        let before = client.counts();
        let asked = timeout(PATIENCE, client.ask(point, step.clone())).await;
        let denied = denied(asked.expect("a ruling"));
        assert_eq!(denied.unaskable, Some(expected));
        assert_eq!(denied.failure, None);
        assert_eq!(denied.reason_codes, [format!("guardian_{expected}")]);
        let counts = client.counts();
        assert_eq!(counts.unaskable, before.unaskable + 1);
        assert_eq!(
            (counts.refused, counts.bypassed),
            (before.refused, before.bypassed)
        );
        for class in FailureClass::ALL {
            assert_eq!(counts.failed(*class), before.failed(*class), "{class}");
        }
    }
}

fn nested(levels: usize) -> Value {
    (0..levels).fold(json!("deep"), |inner, _| json!([inner]))
}

fn with(value: Value) -> ToolCallRequest {
    let input = ToolInput::new("text", value);
    ToolCallRequest::new("execution", "send_sms", vec![input])
}

fn message(message: Value) -> McpMessage {
    McpMessage::new(message.as_object().cloned().expect("an object"))
}

#[tokio::test]
async fn size_depth_and_form_are_refused_before_the_guardian_is_asked() {
    let remote = StandIn::start(Question::allow).await;
    let calls = AosHook::answering_any("calls", point::tool_call_request, |_, _| {
        Box::pin(async { Verdict::<Infallible>::Allow })
    });
    let messages = AosHook::answering_any("messages", point::mcp, |_, _| {
        Box::pin(async { Verdict::<Infallible>::Allow })
    });
    let registry = Registry::builder().add(calls.into()).add(messages.into());
    let here = Guardian::with((), registry.build().unwrap());
    for client in [
        client_of(&remote.url()),
        Guardian::local_with(here).agent(agent()),
    ] {
        let before = remote.questions().len();
        let padding = json!("x".repeat(5 * 1024 * 1024));
        is_refused(&client, Unaskable::TooLarge, with(padding)).await;
        is_refused(&client, Unaskable::TooDeep, with(nested(124))).await;
        let small = client.clone().max_question(2000);
        is_refused(&small, Unaskable::TooLarge, with(json!("x".repeat(2000)))).await;
        for bad in [
            json!({"jsonrpc": "2.0", "id": 1.5, "method": "tools/list"}),
            json!({"jsonrpc": "2.0", "id": 9_007_199_254_740_993_u64, "method": "tools/list"}),
            json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": []}),
            json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "result": {}}),
            json!({"id": 1, "method": "tools/list"}),
        ] {
            refused_at(&client, Unaskable::NoMessage, point::mcp, message(bad)).await;
        }
        let asked = remote.questions().len();
        let client = client.posture(Posture::Deny);
        let allowed = client
            .ask(point::tool_call_request, with(nested(100)))
            .await;
        assert_eq!((allowed, asked), (StepOutcome::Allowed, before));
    }
}

#[tokio::test]
async fn what_the_guardian_says_of_the_question_itself_is_no_failure() {
    for (status, expected) in [
        ("400 Bad Request", Unaskable::Unreadable),
        ("413 Payload Too Large", Unaskable::TooLarge),
        ("422 Unprocessable Content", Unaskable::Unreadable),
        ("429 Too Many Requests", Unaskable::TooMany),
    ] {
        let guardian = StandIn::start(move |_| Act::http(status, "", "")).await;
        is_refused(&client_of(&guardian.url()), expected, call("a")).await;
    }
    // A guardian that validates strictly refuses a name that the client has chosen.
    for code in [-32700, -32600, -32602] {
        let unread = StandIn::start(move |_| {
            let error = json!({"code": code, "message": "Invalid"});
            Act::json(json!({"jsonrpc": "2.0", "id": null, "error": error}).to_string())
        })
        .await;
        is_refused(&client_of(&unread.url()), Unaskable::Unreadable, call("a")).await;
    }
}

#[tokio::test]
async fn a_member_of_a_message_is_no_member_of_the_question() {
    let guardian = StandIn::start(Question::allow).await;
    let client = client_of(&guardian.url()).posture(Posture::Deny);
    for member in ["acs_version", "context", "message", "reasoning"] {
        let mut asked = message(json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}));
        asked.message.insert(member.to_owned(), json!(5));
        let ruled = client.ask(point::mcp, asked).await;
        assert!(matches!(ruled, StepOutcome::Allowed), "{member}: {ruled:?}");
    }
    // `questions` reads each of them as a guardian does.
    assert_eq!(guardian.questions().len(), 4);
}

#[tokio::test]
async fn the_change_of_a_long_step_is_read_whole() {
    let guardian = StandIn::start(|question| {
        let modified = question.modify(|request| {
            request["params"]["memory"][1] = json!("changed");
        });
        let Act::Answer(bytes) = modified else {
            unreachable!("it answers at once")
        };
        // As the programs do that write each character beyond ASCII as an escape.
        let text = String::from_utf8(bytes).unwrap();
        let (_, body) = text.split_once("\r\n\r\n").unwrap();
        Act::json(body.replace('\u{e9}', "\\u00e9"))
    })
    .await;
    let client = client_of(&guardian.url()).max_answer(4096);
    let client = client.posture(Posture::Proceed);
    let long = "\u{e9}".repeat(100_000);
    let memory = Memory::new([long.clone(), "secret".to_owned()]);
    let ruled = client.ask(point::memory_store, memory).await;
    let expected = Memory::new([long, "changed".to_owned()]);
    assert_eq!(ruled, StepOutcome::Modified(expected));
}
