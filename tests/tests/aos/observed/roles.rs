//! A guardian in the same process and one over HTTP decide about the same step alike.

use std::convert::Infallible;

use hooks_sdk::{
    aos::{
        A2aMessage, AosHook, FailureClass, Guardian, GuardianClient, McpMessage, MessageStep,
        Posture, Reply, StepOutcome, StepRole, point,
    },
    core::{Registry, Verdict, Violation},
    http::GuardianServer,
};
use serde_json::{Map, Value, json};
use tokio::net::TcpListener;

use super::{agent, client_of, denied};

/// Hooks that say what they see: the role of messages, and whether a message of a protocol has a context.
fn registry() -> Registry {
    fn deny(words: String) -> Verdict<Infallible> {
        Verdict::Deny(Violation::new(words))
    }
    macro_rules! roles {
        ($($point:ident)+) => {
            [$(AosHook::answering_any("role", point::$point, |step: &MessageStep, _| {
                let words = format!("{} {:?}", stringify!($point), step.message.role);
                Box::pin(async move { deny(words) })
            })),+]
        };
    }
    let mut registry = Registry::builder();
    for hook in roles!(user_message agent_response system_message) {
        registry = registry.add(hook.into());
    }
    let mcp = AosHook::answering_any("mcp", point::mcp, |_: &McpMessage, asked| {
        let words = format!("context: {}", asked.context().is_some());
        Box::pin(async move { deny(words) })
    });
    let cancel = AosHook::answering_any("cancel", point::tasks_cancel, |_: &A2aMessage, asked| {
        let words = format!("context: {}", asked.context().is_some());
        Box::pin(async move { deny(words) })
    });
    let send = AosHook::answering_any("send", point::message_send, |step: &A2aMessage, _| {
        let mut other = step.clone();
        other.payload.insert("id".to_owned(), json!(2));
        Box::pin(async move { Reply::modify(other) })
    });
    let registry = registry.add(mcp.into()).add(cancel.into());
    registry.add(send.into()).build().expect("sound hooks")
}

/// A client in the process, and one over HTTP.
async fn clients() -> [GuardianClient<()>; 2] {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}/aos", listener.local_addr().expect("an address"));
    let server = GuardianServer::new(Guardian::with((), registry()));
    tokio::spawn(server.serve_on(listener, std::future::pending()));
    let here = Guardian::local_with(Guardian::with((), registry())).agent(agent());
    [here, client_of(&url)]
}

fn object(value: Value) -> Map<String, Value> {
    value.as_object().cloned().expect("an object")
}

#[tokio::test]
async fn the_point_decides_who_says_a_message() {
    for client in clients().await {
        let client = client.posture(Posture::Deny);
        for role in [StepRole::User, StepRole::Agent, StepRole::System] {
            macro_rules! says {
                ($point:ident: $expected:literal) => {
                    let step = MessageStep::text("m", role, "words");
                    let denied = denied(client.ask(point::$point, step).await);
                    assert_eq!(
                        denied.message,
                        concat!(stringify!($point), " ", $expected),
                        "{role:?}"
                    );
                };
            }
            says!(user_message: "User");
            says!(agent_response: "Agent");
            says!(system_message: "System");
        }
    }
}

#[tokio::test]
async fn a_guardian_called_without_a_client_sees_the_role_of_the_point_too() {
    let guardian = Guardian::with((), registry());
    let asked = hooks_sdk::aos::StepInfo::new(hooks_sdk::aos::AosAt::UserMessage);
    let step = MessageStep::text("m", StepRole::Agent, "words");
    let reply = guardian.decide::<point::user_message>(&step, &asked).await;
    assert_eq!(reply.unwrap().words().message, "user_message User");
}

#[tokio::test]
async fn messages_of_a_protocol_have_no_context_of_a_step() {
    for client in clients().await {
        let client = client.posture(Posture::Deny);
        let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
        let mcp = client.ask(point::mcp, McpMessage::new(object(list))).await;
        assert_eq!(denied(mcp).message, "context: false");
        let cancel = json!({"jsonrpc": "2.0", "id": 1, "method": "tasks/cancel"});
        let cancel = A2aMessage::new(object(cancel));
        let a2a = client.ask(point::tasks_cancel, cancel).await;
        assert_eq!(denied(a2a).message, "context: false");
    }
}

#[tokio::test]
async fn a_change_keeps_the_id_and_the_method_of_a_message_of_a2a() {
    for client in clients().await {
        let client = client.posture(Posture::Deny);
        let send = json!({"jsonrpc": "2.0", "id": 1, "method": "message/send", "params": {}});
        let ruled = client
            .ask(point::message_send, A2aMessage::new(object(send)))
            .await;
        assert!(!matches!(ruled, StepOutcome::Modified(_)), "{ruled:?}");
        let class = denied(ruled).failure;
        assert_eq!(class, Some(FailureClass::GuardianError));
    }
}
