//! The client of a guardian: what it sends, what it takes for a decision, and what happens without one.

mod answers;
mod bodies;
mod limits;
mod local;
mod points;
mod roles;
mod settings;
mod slow;
pub(crate) mod stand_in;
mod tls;
mod unaskable;

use std::time::Duration;

use hooks_sdk::aos::{
    Agent, Denied, FailureClass, Guardian, GuardianClient, Posture, StepOutcome, ToolCallRequest,
    ToolInput, point,
};
use tokio::time::timeout;

/// No test waits longer for anything.
const PATIENCE: Duration = Duration::from_secs(30);

/// Time enough for an answer that a test gives at once. No test waits for its end.
const LONG: Duration = Duration::from_secs(60);

/// Too short a time for an answer that a test holds back.
const SHORT: Duration = Duration::from_millis(200);

fn agent() -> Agent {
    Agent::new("notes", "Notes")
        .provider("Example", "https://example.com")
        .instructions("Keep notes.")
        .version("1.0.0")
}

/// A client of the guardian at an address.
fn client_of(url: &str) -> GuardianClient<()> {
    Guardian::http(url).agent(agent()).timeout(LONG)
}

fn call(text: &str) -> ToolCallRequest {
    ToolCallRequest::new(
        "execution",
        "send_sms",
        vec![ToolInput::new("text", text.into())],
    )
}

/// Asks about a call of a tool.
async fn ask(client: &GuardianClient) -> StepOutcome<ToolCallRequest> {
    let asked = client.ask(point::tool_call_request, call("secret"));
    timeout(PATIENCE, asked).await.expect("a ruling")
}

#[track_caller]
fn denied<T: std::fmt::Debug>(ruled: StepOutcome<T>) -> Denied {
    match ruled {
        StepOutcome::Denied(denied) => denied,
        other => panic!("it is not denied: {other:?}"),
    }
}

/// Asks under each posture, and checks that the failure is of this class and that nothing of it is silent.
async fn fails(client: GuardianClient<()>, class: FailureClass) {
    let careful = client.clone().posture(Posture::Deny);
    let before = careful.counts();
    let denied = denied(ask(&careful).await);
    assert_eq!(denied.failure, Some(class));
    assert_eq!(careful.counts().refused, before.refused + 1);
    assert_eq!(careful.counts().failed(class), before.failed(class) + 1);

    let (record, recorded) = std::sync::mpsc::channel();
    let record = move |bypass: &hooks_sdk::aos::Bypass| record.send(bypass.clone()).unwrap();
    let easy = client.on_bypass(record).posture(Posture::Proceed);
    let before = easy.counts();
    assert_eq!(ask(&easy).await, StepOutcome::Bypassed(class));
    assert_eq!(easy.counts().bypassed, before.bypassed + 1);
    assert_eq!(easy.counts().failed(class), before.failed(class) + 1);
    let bypass = recorded.try_recv().expect("a record");
    assert_eq!(bypass.class, class);
    assert_eq!(bypass.method.as_str(), "steps/toolCallRequest");
    assert!(!bypass.session_id.is_empty() && !bypass.turn_id.is_empty());
    assert!(!bypass.step_id.is_empty());
}
