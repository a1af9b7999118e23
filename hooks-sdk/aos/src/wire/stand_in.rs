//! What a modified payload may not be: invalid, or about something else than the payload that it stands for.
//!
//! What is read from the wire is valid by its type. What a hook makes is checked here.

use serde_json::{Map, Value};

use super::{
    A2aMessage, AgentTrigger, CompletedToolCall, KnowledgeStep, McpMessage, Memory, MessageStep,
    Part, ToolCallRequest, protocol::is_message,
};

type Stands = Result<(), &'static str>;

/// Whether a payload can stand for another one.
pub(super) trait StandsFor {
    /// Returns what is wrong with a payload that a hook made in place of the one before it.
    fn stands_for(&self, _before: &Self) -> Stands {
        Ok(())
    }
}

fn holds(holds: bool, problem: &'static str) -> Stands {
    if holds { Ok(()) } else { Err(problem) }
}

impl StandsFor for AgentTrigger {
    fn stands_for(&self, _before: &AgentTrigger) -> Stands {
        parts(&self.content)
    }
}

impl StandsFor for ToolCallRequest {
    fn stands_for(&self, before: &ToolCallRequest) -> Stands {
        holds(
            self.execution_id == before.execution_id && self.tool_id == before.tool_id,
            "it is about another call: `executionId` or `toolId` is not the same",
        )?;
        let mut names: Vec<&str> = self.inputs.iter().map(|it| it.name.as_str()).collect();
        names.sort_unstable();
        holds(
            names.windows(2).all(|pair| pair[0] != pair[1]),
            "it names an input twice",
        )
    }
}

impl StandsFor for CompletedToolCall {
    fn stands_for(&self, before: &CompletedToolCall) -> Stands {
        holds(
            self.execution_id == before.execution_id,
            "it is about another call: `executionId` is not the same",
        )
    }
}

impl StandsFor for MessageStep {
    fn stands_for(&self, before: &MessageStep) -> Stands {
        holds(
            self.message.role == before.message.role,
            "it changes who says the message",
        )?;
        parts(&self.message.content)
    }
}

impl StandsFor for Memory {}
impl StandsFor for KnowledgeStep {}

impl StandsFor for McpMessage {
    fn stands_for(&self, before: &McpMessage) -> Stands {
        keeps(&self.message, &before.message)
    }
}

impl StandsFor for A2aMessage {
    fn stands_for(&self, before: &A2aMessage) -> Stands {
        keeps(&self.payload, &before.payload)
    }
}

/// Whether a message is one, and about what the message before it was about.
fn keeps(message: &Map<String, Value>, before: &Map<String, Value>) -> Stands {
    let same = |member: &str| message.get(member) == before.get(member);
    holds(
        same("id") && same("method"),
        "it changes the id or the method of the message",
    )?;
    holds(is_message(message), "it is no message of JSON-RPC")
}

fn parts(parts: &[Part]) -> Stands {
    holds(
        !parts.is_empty(),
        "`content` is empty, and has to have a part",
    )?;
    let one_form = |part: &Part| match part {
        Part::File(part) => part.file.bytes.is_some() != part.file.uri.is_some(),
        Part::Text(_) | Part::Data(_) => true,
    };
    holds(
        parts.iter().all(one_form),
        "a file has to have either `bytes` or `uri`",
    )
}
