//! What a modified payload may not be: invalid, or about something else than the payload that it stands for.
//!
//! What is read from the wire is valid by its type. What a hook makes is checked here.

use super::{
    A2aMessage, AgentTrigger, CompletedToolCall, KnowledgeStep, McpMessage, Memory, MessageStep,
    Part, ToolCallRequest, mcp::raw,
};

/// Whether a payload can stand for another one.
type Stands = Result<(), &'static str>;

fn holds(holds: bool, problem: &'static str) -> Stands {
    if holds { Ok(()) } else { Err(problem) }
}

impl AgentTrigger {
    pub(super) fn stands_for(&self, _before: &AgentTrigger) -> Stands {
        parts(&self.content)
    }
}

impl ToolCallRequest {
    pub(super) fn stands_for(&self, before: &ToolCallRequest) -> Stands {
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

impl CompletedToolCall {
    pub(super) fn stands_for(&self, before: &CompletedToolCall) -> Stands {
        holds(
            self.execution_id == before.execution_id,
            "it is about another call: `executionId` is not the same",
        )
    }
}

impl MessageStep {
    pub(super) fn stands_for(&self, before: &MessageStep) -> Stands {
        holds(
            self.message.role == before.message.role,
            "it changes who says the message",
        )?;
        parts(&self.message.content)
    }
}

impl Memory {
    pub(super) fn stands_for(&self, _before: &Memory) -> Stands {
        Ok(())
    }
}

impl KnowledgeStep {
    pub(super) fn stands_for(&self, _before: &KnowledgeStep) -> Stands {
        Ok(())
    }
}

impl McpMessage {
    pub(super) fn stands_for(&self, before: &McpMessage) -> Stands {
        let same = |member: &str| self.message.get(member) == before.message.get(member);
        holds(
            same("id") && same("method"),
            "it changes the id or the method of the message",
        )?;
        raw(&self.message, "").map_err(|_| NO_MESSAGE)
    }
}

impl A2aMessage {
    pub(super) fn stands_for(&self, _before: &A2aMessage) -> Stands {
        raw(&self.payload, "").map_err(|_| NO_MESSAGE)
    }
}

const NO_MESSAGE: &str = "it is no message of JSON-RPC";

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
