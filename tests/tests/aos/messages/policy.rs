//! A policy that reads what to do in the message itself.

use std::{
    convert::Infallible,
    sync::{Arc, Mutex},
};

use hooks_sdk::{
    aos::{AosHook, McpMessage, Reply, point},
    core::Verdict,
};
use serde_json::{Value, json};
use tokio::sync::{Barrier, Semaphore};

use super::PATIENCE;

/// A message with one of these words is denied, changed, changed too much, never decided, held back until a test lets it
/// go, or decided when as many of them have come.
pub(crate) const DENY: &str = "DENY";
pub(crate) const MASK: &str = "MASK";
pub(crate) const FORGE: &str = "FORGE";
pub(crate) const HANG: &str = "HANG";
pub(crate) const HOLD: &str = "HOLD";
pub(crate) const MEET: &str = "MEET";

/// Hooks that allow the steps of tools.
pub(crate) fn steps() -> [AosHook; 2] {
    [
        AosHook::answering_any("request", point::tool_call_request, |_, _| {
            Box::pin(async { Verdict::<Infallible>::Allow })
        }),
        AosHook::answering_any("result", point::tool_call_result, |_, _| {
            Box::pin(async { Verdict::<Infallible>::Allow })
        }),
    ]
}

#[derive(Clone)]
pub(crate) struct Policy {
    /// The messages, as they came.
    seen: Arc<Mutex<Vec<Value>>>,
    /// One permit for each message that is held back.
    pub(crate) held: Arc<Semaphore>,
    /// A message that is held back takes one to go on.
    pub(crate) go: Arc<Semaphore>,
    meeting: Arc<Barrier>,
}

impl Policy {
    pub(crate) fn new() -> Policy {
        Policy::meeting(1)
    }

    /// A policy that decides about the messages to meet when there are so many of them.
    pub(crate) fn meeting(number: usize) -> Policy {
        Policy {
            seen: Arc::default(),
            held: Arc::new(Semaphore::new(0)),
            go: Arc::new(Semaphore::new(0)),
            meeting: Arc::new(Barrier::new(number)),
        }
    }

    pub(crate) fn hook(&self) -> AosHook {
        let policy = self.clone();
        let hook =
            AosHook::answering_any("rule", point::mcp, move |message: &McpMessage, _asked| {
                let policy = policy.clone();
                Box::pin(async move { policy.decide(message).await })
            });
        hook.deadline(PATIENCE * 2)
    }

    /// The methods of the messages so far, without those of the handshake; of an answer, nothing.
    pub(crate) fn methods(&self) -> Vec<String> {
        let seen = self.seen.lock().unwrap();
        let method = |message: &Value| message["method"].as_str().unwrap_or_default().to_owned();
        let methods = seen.iter().map(method);
        methods
            .filter(|method| method != "notifications/initialized")
            .collect()
    }

    async fn decide(&self, message: &McpMessage) -> Reply<McpMessage> {
        let value = Value::Object(message.message.clone());
        let text = value.to_string();
        self.seen.lock().unwrap().push(value);
        let has = |word: &str| text.contains(word);
        if has(HOLD) {
            self.held.add_permits(1);
            self.go.acquire().await.expect("leave").forget();
        }
        if has(MEET) {
            self.meeting.wait().await;
        }
        if has(DENY) {
            return Reply::deny("not allowed").reason_code("RULE");
        }
        if has(HANG) {
            std::future::pending::<()>().await;
        }
        let changed = |text: String| {
            let message = serde_json::from_str(&text).expect("an object");
            Reply::modify(McpMessage::new(message))
        };
        if has(MASK) {
            return changed(text.replace(MASK, "[masked]"));
        }
        if has(FORGE) {
            let mut forged = message.message.clone();
            forged.insert("id".to_owned(), json!("forged"));
            return Reply::modify(McpMessage::new(forged));
        }
        Reply::allow()
    }
}
