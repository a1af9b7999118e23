//! Steps that no guardian can be asked about: refused under each posture, because the caller can cause them.

use std::any::Any;

use serde_json::{Map, Value};

use super::MissingDecision;
use crate::{
    A2aMessage, AgentTrigger, CompletedToolCall, KnowledgeStep, McpMessage, Memory, MessageStep,
    Part, Source, ToolCallRequest,
};
use hooks_core::internal::{JsonPart, json_parts, words};

/// How deep the values of a step may be nested. With what the question adds, and with what the answer to it adds, this
/// stays below the 128 levels that `serde_json` reads.
const DEEPEST: usize = 100;

/// The largest integer that a program that reads numbers as 64-bit floats still knows exactly.
const LARGEST_ID: i64 = (1 << 53) - 1;

/// The largest contents of a step, in bytes, that are no reason for a guardian to give no decision.
const ORDINARY: usize = 64 * 1024;

words! {
    /// Why a guardian cannot be asked about a step. The caller of the server can cause each of them, so none is a failure of
    /// the guardian: the step is denied under each posture, and counted by itself.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum Unaskable: "Returns the reason as a word, as in the codes of a refusal, in logs and in metrics." {
        /// The question is larger than [`GuardianClient::max_question`](super::GuardianClient::max_question) allows, or the
        /// guardian's server says that it is too large. Also a step of more than 64 KiB about which the guardian did not answer,
        /// broke the connection or failed: its size may be the reason.
        TooLarge = "too_large",
        /// A value of the step is nested more than 100 levels deep.
        TooDeep = "too_deep",
        /// The message is none of JSON-RPC, or its id is an integer beyond ±(2^53 - 1).
        NoMessage = "no_message",
        /// As many questions as may be were under way for the whole timeout, or the guardian's server says that there are too
        /// many.
        TooMany = "too_many",
        /// The guardian gave no decision in time, and answered a `ping` after that: it is there, so the step is the reason. Only
        /// [`Posture::Proceed`](crate::Posture::Proceed) asks this of a guardian over HTTP.
        TooSlow = "too_slow",
        /// The guardian or its server says that it cannot read the question.
        Unreadable = "unreadable",
    }
}

impl Unaskable {
    /// Returns the reason as a sentence for the client.
    pub(super) const fn sentence(self) -> &'static str {
        match self {
            Unaskable::TooLarge => {
                "it was not approved, because it is too large for the guardian of this server: send less"
            }
            Unaskable::TooDeep => {
                "it was not approved, because it is nested too deep for the guardian of this server: at most 100 levels"
            }
            Unaskable::NoMessage => {
                "it was not approved, because it is no message of JSON-RPC that the guardian of this server can read"
            }
            Unaskable::TooMany => {
                "it was not approved, because too many steps wait for the guardian of this server: try again later"
            }
            Unaskable::TooSlow => {
                "it was not approved, because the guardian of this server needs too long for it: send less"
            }
            Unaskable::Unreadable => {
                "it was not approved, because the guardian of this server cannot read it"
            }
        }
    }
}

/// Why there is no ruling about a step.
#[derive(Debug)]
pub(crate) enum Unruled {
    /// The guardian gave no usable decision.
    NoDecision(MissingDecision),
    /// The guardian cannot be asked.
    Unaskable(Unaskable),
}

impl From<MissingDecision> for Unruled {
    fn from(undecided: MissingDecision) -> Unruled {
        Unruled::NoDecision(undecided)
    }
}

impl From<Unaskable> for Unruled {
    fn from(unaskable: Unaskable) -> Unruled {
        Unruled::Unaskable(unaskable)
    }
}

impl Unruled {
    /// Returns the same for a step of ordinary size. A larger step without a decision is denied, if its size may be the
    /// reason.
    pub(super) fn of(self, size: Size) -> Unruled {
        match self {
            Unruled::NoDecision(undecided) if size.is_large() && undecided.may_be_of_size() => {
                tracing::warn!(
                    target: "hooks_sdk::aos",
                    class = %undecided.class, "a large step got no decision: {}", undecided.detail
                );
                Unaskable::TooLarge.into()
            }
            other => other,
        }
    }
}

/// The number of bytes of a step's contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size(usize);

impl Size {
    pub(super) fn is_large(self) -> bool {
        self.0 > ORDINARY
    }
}

/// Checks that a guardian can be asked about a payload, before it is written as JSON. Returns the size of its contents.
///
/// # Errors
///
/// Returns why the guardian cannot be asked. `most` is the number of bytes that the contents and the reasoning may have.
pub(super) fn check<T: Any>(
    payload: &T,
    reasoning: Option<&str>,
    most: usize,
) -> Result<Size, Unaskable> {
    let mut left = Left(most);
    left.text(reasoning.unwrap_or_default())?;
    count(payload, &mut left)?;
    Ok(Size(most - left.0))
}

fn count<T: Any>(payload: &T, left: &mut Left) -> Result<(), Unaskable> {
    let payload: &dyn Any = payload;
    if let Some(call) = payload.downcast_ref::<ToolCallRequest>() {
        for input in &call.inputs {
            left.text(&input.name)?;
            left.value(&input.value)?;
            left.more(&None, &input.other)?;
        }
        left.texts([&call.tool_id, &call.execution_id])?;
        left.more(&None, &call.other)
    } else if let Some(call) = payload.downcast_ref::<CompletedToolCall>() {
        for output in &call.result.outputs {
            left.text(&output.text)?;
            left.more(&output.metadata, &output.other)?;
        }
        left.text(&call.execution_id)?;
        left.more(&None, &call.result.other)?;
        left.more(&None, &call.other)
    } else if let Some(memory) = payload.downcast_ref::<Memory>() {
        left.texts(&memory.memory)
    } else if let Some(step) = payload.downcast_ref::<KnowledgeStep>() {
        left.texts(step.query.iter().chain(step.keywords.iter().flatten()))?;
        for result in &step.results {
            left.texts(
                [&result.id, &result.content]
                    .into_iter()
                    .chain(&result.mime_type),
            )?;
            left.more(&result.metadata, &result.other)?;
        }
        left.more(&None, &step.other)
    } else if let Some(McpMessage { message }) = payload.downcast_ref::<McpMessage>() {
        left.message(message)
    } else if let Some(A2aMessage { payload }) = payload.downcast_ref::<A2aMessage>() {
        left.message(payload)
    } else if let Some(step) = payload.downcast_ref::<MessageStep>() {
        let message = &step.message;
        left.text(&message.id)?;
        left.parts(&message.content)?;
        left.more(&message.metadata, &message.other)?;
        step.citations
            .iter()
            .flatten()
            .try_for_each(|source| match source {
                Source::File(file) => {
                    left.texts([&file.id, &file.name].into_iter().chain(&file.url))?;
                    left.more(&None, &file.other)
                }
                Source::Site(site) => {
                    left.text(&site.url)?;
                    left.more(&None, &site.other)
                }
            })
    } else if let Some(trigger) = payload.downcast_ref::<AgentTrigger>() {
        left.parts(&trigger.content)?;
        left.texts([&trigger.event.kind, &trigger.event.id])?;
        left.more(&None, &trigger.event.other)?;
        left.more(&trigger.metadata, &trigger.other)
    } else {
        Ok(())
    }
}

/// How many bytes the rest of a payload may have.
struct Left(usize);

impl Left {
    fn text(&mut self, text: &str) -> Result<(), Unaskable> {
        // With its quotes, and with what stands between two values.
        let rest = self.0.checked_sub(text.len() + 3);
        self.0 = rest.ok_or(Unaskable::TooLarge)?;
        Ok(())
    }

    fn texts<'t>(&mut self, texts: impl IntoIterator<Item = &'t String>) -> Result<(), Unaskable> {
        texts.into_iter().try_for_each(|text| self.text(text))
    }

    /// Counts the further facts of an object, and its members that the document does not define.
    fn more(
        &mut self,
        metadata: &Option<Option<Map<String, Value>>>,
        other: &Map<String, Value>,
    ) -> Result<(), Unaskable> {
        let metadata = metadata.iter().flatten();
        let maps = metadata.chain([other]).filter(|map| !map.is_empty());
        maps.into_iter().try_for_each(|map| self.members(map))
    }

    fn value(&mut self, value: &Value) -> Result<(), Unaskable> {
        json_parts(value).try_for_each(|(depth, part)| match part {
            JsonPart::Name(text) => self.text(text),
            JsonPart::Value(Value::Array(_) | Value::Object(_)) if depth >= DEEPEST => {
                Err(Unaskable::TooDeep)
            }
            JsonPart::Value(value) => self.text(value.as_str().unwrap_or_default()),
        })
    }

    fn members(&mut self, members: &Map<String, Value>) -> Result<(), Unaskable> {
        self.text("")?;
        members.iter().try_for_each(|(name, value)| {
            self.text(name)?;
            self.value(value)
        })
    }

    fn message(&mut self, message: &Map<String, Value>) -> Result<(), Unaskable> {
        let is_exact = |id: &Value| match id {
            Value::Number(id) => id
                .as_i64()
                .is_some_and(|id| (-LARGEST_ID..=LARGEST_ID).contains(&id)),
            _ => true,
        };
        if !crate::wire::is_message(message) || !message.get("id").is_none_or(is_exact) {
            return Err(Unaskable::NoMessage);
        }
        self.members(message)
    }

    fn parts(&mut self, parts: &[Part]) -> Result<(), Unaskable> {
        parts.iter().try_for_each(|part| match part {
            Part::Text(part) => {
                self.text(&part.text)?;
                self.more(&part.metadata, &part.other)
            }
            Part::Data(part) => {
                self.members(&part.data)?;
                self.more(&part.metadata, &part.other)
            }
            Part::File(part) => {
                let file = &part.file;
                let named = file.name.iter().chain(&file.mime_type);
                self.texts(named.chain(&file.bytes).chain(&file.uri))?;
                self.more(&None, &file.other)?;
                self.more(&part.metadata, &part.other)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{StepRole, ToolInput, TriggerEvent};

    fn call(value: Value) -> ToolCallRequest {
        ToolCallRequest::new("e", "t", vec![ToolInput::new("a", value)])
    }

    fn nested(levels: usize) -> Value {
        (0..levels).fold(json!(1), |inner, _| json!([inner]))
    }

    #[test]
    fn values_have_a_hundred_levels_at_most() {
        assert!(check(&call(nested(100)), None, 1000).is_ok());
        assert_eq!(
            check(&call(nested(101)), None, 1000),
            Err(Unaskable::TooDeep)
        );
    }

    #[test]
    fn texts_names_and_items_count() {
        for large in [
            json!("x".repeat(1000)),
            json!({ "x".repeat(1000): 1 }),
            json!(vec![1; 400]),
        ] {
            assert_eq!(
                check(&call(large.clone()), None, 1000),
                Err(Unaskable::TooLarge)
            );
            assert!(check(&call(large), None, 2000).is_ok());
        }
        let memory = Memory::new(["x".repeat(600), "x".repeat(600)]);
        assert_eq!(check(&memory, None, 1000), Err(Unaskable::TooLarge));
        let long = "x".repeat(1000);
        let reasoned = check(&call(json!(1)), Some(&long), 1000);
        assert_eq!(reasoned, Err(Unaskable::TooLarge));
        let message = || MessageStep::text("m", StepRole::Agent, "a");
        assert!(check(&message(), None, 1000).is_ok());
        let cited = message().citations(vec![Source::file("f", &*long)]);
        assert_eq!(check(&cited, None, 1000), Err(Unaskable::TooLarge));
        let mut told = message();
        told.message.metadata = Some(json!({ "a": long }).as_object().cloned());
        assert_eq!(check(&told, None, 1000), Err(Unaskable::TooLarge));
        let event = TriggerEvent::new("timer", &*long);
        let trigger = AgentTrigger::new(event, Vec::new());
        assert_eq!(check(&trigger, None, 1000), Err(Unaskable::TooLarge));
    }

    #[test]
    fn a_message_is_one_of_json_rpc_with_an_id_that_every_program_knows() {
        let of = |message: Value| match message {
            Value::Object(message) => check(&McpMessage::new(message), None, 1000).map(drop),
            _ => panic!("an object"),
        };
        let id = |id: Value| of(json!({"jsonrpc": "2.0", "id": id, "method": "tools/list"}));
        assert_eq!(id(json!(LARGEST_ID)), Ok(()));
        for bad in [json!(LARGEST_ID + 1), json!(u64::MAX), json!(1.5)] {
            assert_eq!(id(bad), Err(Unaskable::NoMessage));
        }
        let listed = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": []});
        assert_eq!(of(listed), Err(Unaskable::NoMessage));
    }
}
