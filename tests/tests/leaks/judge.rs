//! The policies that must keep the secret in, and the server behind each of them.

use std::{convert::Infallible, sync::Arc, time::Duration};

use hooks_sdk::{
    Collected, Hooked, Policy,
    aos::{
        Agent, AosHook, CompletedToolCall, Guardian, GuardianClient, KnowledgeStep, McpMessage,
        Memory, Messages, Posture, Reply, ToolCallRequest, ToolStep, point,
    },
    core::{Registry, Verdict},
    http::GuardianServer,
    mcpl::{self, McplHook},
    plugin::{ListHook, ListOf, ready::Redact},
};
use serde_json::Value;
use tokio::net::TcpListener;

use crate::{author::Author, live, secret};

/// Notes with a state
#[mcpl::feature_set("desk.notes", server = Author)]
struct Notes;

/// Longer than any test: no decision of these policies is late.
const PATIENCE: Duration = Duration::from_secs(300);

/// Who looks at an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    Redact,
    /// The steps of a guardian.
    Steps,
    /// The step of retrieved memory, by a guardian that allows every other step.
    Memory,
    /// Whole messages, by a guardian.
    Whole,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Judge {
    Redact,
    RedactAndSteps,
    RedactAndWhole,
    StepsDeny,
    StepsMask,
    MemoryMask,
    MemoryLess,
    WholeDeny,
    WholeMask,
    /// Whole messages of the client only.
    InboundDeny,
    /// Over HTTP, and let through without a decision.
    FarDeny,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Act {
    Deny,
    Mask,
    /// Leaves the texts with the secret out.
    Less,
}

impl Judge {
    /// Those that decide in the server's own process.
    pub(crate) const HERE: &[Judge] = &[
        Judge::Redact,
        Judge::RedactAndSteps,
        Judge::RedactAndWhole,
        Judge::StepsDeny,
        Judge::StepsMask,
        Judge::MemoryMask,
        Judge::MemoryLess,
        Judge::WholeDeny,
        Judge::WholeMask,
        Judge::InboundDeny,
    ];

    pub(crate) fn by(self) -> &'static [By] {
        match self {
            Judge::Redact => &[By::Redact],
            Judge::RedactAndSteps => &[By::Redact, By::Steps],
            Judge::RedactAndWhole => &[By::Redact, By::Whole],
            Judge::StepsDeny | Judge::StepsMask => &[By::Steps],
            Judge::MemoryMask | Judge::MemoryLess => &[By::Memory],
            Judge::WholeDeny | Judge::WholeMask => &[By::Whole],
            Judge::InboundDeny | Judge::FarDeny => &[],
        }
    }

    /// Whether no message of the client brings the secret to the author.
    pub(crate) fn sees_inbound(self) -> bool {
        matches!(
            self,
            Judge::WholeDeny | Judge::WholeMask | Judge::RedactAndWhole | Judge::InboundDeny
        )
    }

    /// Whether no call of a tool brings the secret to the author.
    pub(crate) fn sees_arguments(self) -> bool {
        self.sees_inbound()
            || matches!(
                self,
                Judge::StepsDeny | Judge::StepsMask | Judge::RedactAndSteps | Judge::FarDeny
            )
    }

    /// Whether the items that are named `hidden` or `private` are hidden.
    pub(crate) fn hides(self) -> bool {
        self.redacts()
    }

    fn act(self) -> Act {
        match self {
            Judge::StepsMask | Judge::WholeMask | Judge::MemoryMask => Act::Mask,
            Judge::MemoryLess => Act::Less,
            _ => Act::Deny,
        }
    }

    fn redacts(self) -> bool {
        matches!(
            self,
            Judge::Redact | Judge::RedactAndSteps | Judge::RedactAndWhole
        )
    }

    /// Puts this policy around an author's server. `far` is the guardian over HTTP.
    pub(crate) fn hooked(self, author: Author, far: &str) -> Hooked<Author> {
        let mut registry = Registry::builder();
        let steps = [
            ToolStep::memory_retrieval::<Author>("recall"),
            ToolStep::memory_retrieval::<Author>("recall_note")
                .content("result.structuredContent.note"),
        ];
        if self != Judge::Redact {
            for step in steps {
                registry = registry.add(step.into());
            }
        }
        for (id, of, name) in [
            ("tools", ListOf::Tools, "hidden*"),
            ("prompts", ListOf::Prompts, "hidden*"),
            ("resources", ListOf::Resources, "hidden*"),
            ("templates", ListOf::ResourceTemplates, "private*"),
        ] {
            if self.hides() {
                registry = registry.add(ListHook::hide(id, of, &[name]).into());
            }
        }
        registry = registry.add(
            McplHook::tool::<Notes, Author>("stateful")
                .unguarded()
                .into(),
        );
        for hook in live::hooks() {
            registry = registry.add(hook);
        }
        let registry = registry.build().expect("sound hooks");
        let mut collected = Collected::of(registry).expect("sound hooks");
        if self.redacts() {
            collected = collected.policy(Policy::new().with(Redact::new()));
        }
        if let Some(client) = self.client(far) {
            collected = collected.guardian(client);
        }
        collected.wrap(author).expect("sound settings")
    }

    fn client(self, far: &str) -> Option<GuardianClient> {
        let agent = Agent::new("desk", "Desk").provider("Example", "https://example.com");
        if self == Judge::FarDeny {
            let client = Guardian::http(far).agent(agent).timeout(PATIENCE);
            return Some(client.posture(Posture::Proceed));
        }
        let messages = match self {
            Judge::Redact => return None,
            Judge::InboundDeny => Some(Messages::Inbound),
            Judge::WholeDeny | Judge::WholeMask | Judge::RedactAndWhole => Some(Messages::Both),
            _ => None,
        };
        let guardian = guardian(self.act(), self.by().contains(&By::Memory));
        let client = Guardian::local_with(guardian)
            .agent(agent)
            .timeout(PATIENCE);
        let client = match messages {
            Some(messages) => client.messages(messages),
            None => client,
        };
        Some(client.posture(Posture::Deny))
    }
}

/// A hook that looks for the secret in one kind of step.
macro_rules! rule {
    ($point:ident, $payload:ty, $act:expr) => {{
        let act = $act;
        let hook = AosHook::answering_any(
            stringify!($point),
            point::$point,
            move |step: &$payload, _asked| {
                let value = serde_json::to_value(step).expect("JSON");
                let reply = match secret::in_value(&value) {
                    false => Reply::<$payload>::allow(),
                    true if act == Act::Deny => Reply::deny("not allowed"),
                    true => {
                        let masked = secret::masked(&value);
                        Reply::modify(serde_json::from_value(masked).expect("a step"))
                    }
                };
                Box::pin(async move { reply })
            },
        );
        hook.deadline(PATIENCE)
    }};
}

/// A guardian that knows the secret.
fn guardian(act: Act, memory_only: bool) -> Guardian {
    let memory = AosHook::answering_any(
        "memory",
        point::memory_context_retrieval,
        move |step: &Memory, _asked| {
            let of = |text: &String| Value::from(text.as_str());
            let has = |text: &String| secret::in_value(&of(text));
            let reply = match (step.memory.iter().any(has), act) {
                (false, _) => Reply::<Memory>::allow(),
                (true, Act::Deny) => Reply::deny("not allowed"),
                (true, Act::Less) => {
                    let left = step.memory.iter().filter(|text| !has(text));
                    Reply::modify(Memory::new(left.cloned()))
                }
                (true, Act::Mask) => {
                    let masked = step.memory.iter().map(|text| secret::masked(&of(text)));
                    let text = |value: Value| value.as_str().unwrap_or_default().to_owned();
                    Reply::modify(Memory::new(masked.map(text)))
                }
            };
            Box::pin(async move { reply })
        },
    );
    let mut hooks = vec![memory.deadline(PATIENCE)];
    if memory_only {
        hooks.push(AosHook::answering_any(
            "request",
            point::tool_call_request,
            |_, _| Box::pin(async { Verdict::<Infallible>::Allow }),
        ));
        hooks.push(AosHook::answering_any(
            "result",
            point::tool_call_result,
            |_, _| Box::pin(async { Verdict::<Infallible>::Allow }),
        ));
        hooks.push(AosHook::answering_any(
            "knowledge",
            point::knowledge_retrieval,
            |_, _| Box::pin(async { Verdict::<Infallible>::Allow }),
        ));
    } else {
        hooks.push(rule!(tool_call_request, ToolCallRequest, act));
        hooks.push(rule!(tool_call_result, CompletedToolCall, act));
        hooks.push(rule!(knowledge_retrieval, KnowledgeStep, act));
        hooks.push(message(act));
    }
    let mut registry = Registry::builder();
    for hook in hooks {
        registry = registry.add(hook.into());
    }
    Guardian::with((), registry.build().expect("sound hooks"))
}

fn message(act: Act) -> AosHook {
    let hook = AosHook::answering_any("message", point::mcp, move |step: &McpMessage, _asked| {
        let value = Value::Object(step.message.clone());
        let reply = match (secret::in_value(&value), act) {
            (false, _) => Reply::allow(),
            (true, Act::Deny) => Reply::deny("not allowed"),
            (true, _) => match secret::masked(&value) {
                Value::Object(masked) => Reply::modify(McpMessage::new(masked)),
                _ => unreachable!("an object"),
            },
        };
        Box::pin(async move { reply })
    });
    hook.deadline(PATIENCE)
}

/// Serves the guardian that is asked over HTTP. Returns its URL.
pub(crate) async fn far() -> Arc<str> {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let server = GuardianServer::new(guardian(Act::Deny, false));
    tokio::spawn(server.serve_on(listener, std::future::pending()));
    format!("http://{address}/aos").into()
}
