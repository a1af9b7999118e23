//! One inference of the host, as the context hooks are told of it.

use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Map, Value, json};

use hooks_core::internal::setters;
use hooks_mcpl::{Phase, Usage};

/// One inference of the host.
///
/// The same turn goes to [`before_inference`](super::McplHost::before_inference) and, with what the
/// model said, to [`after_inference`](super::McplHost::after_inference).
///
/// ```
/// use hooks_testing::mcpl_host::Turn;
///
/// let turn = Turn::new("conv_123").index(7).user("How is the project?");
/// let after = turn.clone().assistant("Nearly done.");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    inference: String,
    conversation: String,
    index: u64,
    user: Option<String>,
    assistant: String,
    usage: Usage,
    model: Option<Value>,
    channels: Option<Value>,
    members: Map<String, Value>,
}

impl Turn {
    /// The first turn of a conversation, without a message of the user, under an inference id of its own.
    pub fn new(conversation: impl Into<String>) -> Turn {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Turn {
            inference: format!("inf_{}", NEXT.fetch_add(1, Ordering::Relaxed)),
            conversation: conversation.into(),
            index: 0,
            user: None,
            assistant: String::new(),
            usage: Usage::new(0, 0),
            model: None,
            channels: None,
            members: Map::new(),
        }
    }

    /// The id of the inference.
    pub fn inference_id(&self) -> &str {
        &self.inference
    }

    setters! {
        /// Gives the inference this id.
        fn inference(mut self, id: impl Into<String>) { self.inference = id.into() }

        /// Which turn of the conversation it is, from 0.
        fn index(mut self, index: u64) { self.index = index }

        /// What the user said.
        fn user(mut self, message: impl Into<String>) { self.user = Some(message.into()) }

        /// What the model answered.
        fn assistant(mut self, message: impl Into<String>) { self.assistant = message.into() }

        /// How many tokens it took.
        fn usage(mut self, input: u64, output: u64) { self.usage = Usage::new(input, output) }

        /// The model, as raw JSON, in place of the host's own.
        fn model(mut self, model: Value) { self.model = Some(model) }

        /// The channel context, as raw JSON, which only the hook before the inference is told (MCPL 0.4.1 §14.4).
        fn channels(mut self, channels: Value) { self.channels = Some(channels) }

        /// Adds a member to the params of each message, or replaces one.
        fn member(mut self, name: impl Into<String>, value: Value) { self.members.insert(name.into(), value) }
    }

    pub(super) fn before(&self, model: &Value, observe: bool) -> Map<String, Value> {
        let user = self.user.as_ref().filter(|_| observe);
        let mut own = json!({
            "userMessage": user,
            "model": self.model.as_ref().unwrap_or(model),
        });
        if let Some(channels) = &self.channels {
            own["channels"] = channels.clone();
        }
        self.params(own)
    }

    pub(super) fn after(&self, model: &Value) -> Map<String, Value> {
        self.params(json!({
            "userMessage": self.user,
            "assistantMessage": self.assistant,
            "model": self.model.as_ref().unwrap_or(model),
            "usage": self.usage,
        }))
    }

    pub(super) fn phase(&self, model: &Value, phase: Phase) -> Map<String, Value> {
        let usage = phase.is_terminal().then_some(&self.usage);
        let mut params = self.params(json!({
            "phase": phase,
            "model": self.model.as_ref().unwrap_or(model),
            "usage": usage,
        }));
        if usage.is_none() {
            params.remove("usage");
        }
        params
    }

    pub(super) fn outgoing(&self, own: Value) -> Map<String, Value> {
        let mut params = self.params(own);
        params.remove("turnIndex");
        params
    }

    pub(super) fn assistant_message(&self) -> &str {
        &self.assistant
    }

    fn params(&self, own: Value) -> Map<String, Value> {
        let common = json!({
            "inferenceId": self.inference,
            "conversationId": self.conversation,
            "turnIndex": self.index,
        });
        let mut params = Map::new();
        for part in [common, own, Value::Object(self.members.clone())] {
            if let Value::Object(part) = part {
                params.extend(part);
            }
        }
        params
    }
}
