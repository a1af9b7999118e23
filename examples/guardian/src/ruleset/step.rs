//! What a rule sees of a step: its tool, its arguments, its texts, and where it happens.

use hooks_sdk::{
    aos::{
        A2aMessage, AgentTrigger, AosAt, CompletedToolCall, KnowledgeStep, McpMessage, Memory,
        MessageStep, Part, StepInfo, ToolCallRequest,
    },
    core::condition::Subject,
};
use serde_json::{Map, Value};

/// A payload, as rules see it.
pub trait Step {
    /// Calls `see` with each text that a rule may look at and replace.
    fn each_text(&mut self, see: &mut dyn FnMut(&mut String));

    /// Returns the call of a tool, for a request.
    fn call(&self) -> Option<&ToolCallRequest> {
        None
    }

    /// Returns the id of the call that has ended, for a result.
    fn execution(&self) -> Option<&str> {
        None
    }

    /// Returns the whole message, for MCP and A2A.
    fn message(&self) -> Option<&Map<String, Value>> {
        None
    }
}

impl Step for ToolCallRequest {
    fn each_text(&mut self, see: &mut dyn FnMut(&mut String)) {
        for input in &mut self.inputs {
            each_string(&mut input.value, see);
        }
    }

    fn call(&self) -> Option<&ToolCallRequest> {
        Some(self)
    }
}

impl Step for CompletedToolCall {
    fn each_text(&mut self, see: &mut dyn FnMut(&mut String)) {
        self.result
            .outputs
            .iter_mut()
            .for_each(|part| see(&mut part.text));
    }

    fn execution(&self) -> Option<&str> {
        Some(&self.execution_id)
    }
}

impl Step for MessageStep {
    fn each_text(&mut self, see: &mut dyn FnMut(&mut String)) {
        each_part(&mut self.message.content, see);
    }
}

impl Step for AgentTrigger {
    fn each_text(&mut self, see: &mut dyn FnMut(&mut String)) {
        each_part(&mut self.content, see);
    }
}

impl Step for Memory {
    fn each_text(&mut self, see: &mut dyn FnMut(&mut String)) {
        self.memory.iter_mut().for_each(see);
    }
}

impl Step for KnowledgeStep {
    fn each_text(&mut self, see: &mut dyn FnMut(&mut String)) {
        self.results
            .iter_mut()
            .for_each(|result| see(&mut result.content));
    }
}

impl Step for McpMessage {
    fn each_text(&mut self, _see: &mut dyn FnMut(&mut String)) {}

    fn message(&self) -> Option<&Map<String, Value>> {
        Some(&self.message)
    }
}

impl Step for A2aMessage {
    fn each_text(&mut self, _see: &mut dyn FnMut(&mut String)) {}

    fn message(&self) -> Option<&Map<String, Value>> {
        Some(&self.payload)
    }
}

fn each_part(parts: &mut [Part], see: &mut dyn FnMut(&mut String)) {
    for part in parts {
        match part {
            Part::Text(part) => see(&mut part.text),
            Part::Data(part) => part
                .data
                .values_mut()
                .for_each(|value| each_string(value, see)),
            // A file is bytes or a reference.
            _ => {}
        }
    }
}

fn each_string(value: &mut Value, see: &mut dyn FnMut(&mut String)) {
    match value {
        Value::String(text) => see(text),
        Value::Array(items) => items.iter_mut().for_each(|item| each_string(item, see)),
        Value::Object(members) => members
            .values_mut()
            .for_each(|member| each_string(member, see)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The roots of conditions.
pub(super) const ROOTS: [&str; 8] = [
    "tool",
    "args",
    "text",
    "message",
    "agent",
    "user",
    "session",
    "reasoning",
];

/// Whether steps at a point have what a root stands for.
pub(super) fn has(root: &str, at: AosAt) -> bool {
    let is_message = is_message(at);
    match root {
        "tool" => matches!(at, AosAt::ToolCallRequest | AosAt::ToolCallResult),
        "args" => at == AosAt::ToolCallRequest,
        "message" => is_message,
        "reasoning" => true,
        _ => !is_message,
    }
}

/// Whether the steps at a point are messages of MCP or A2A, which have no context.
fn is_message(at: AosAt) -> bool {
    !at.method().is_native()
}

/// What conditions ask about one step.
pub(super) struct Facts<'a> {
    asked: &'a StepInfo,
    tool: Option<String>,
    args: Option<Map<String, Value>>,
    message: Option<Map<String, Value>>,
    text: String,
    ambiguous: bool,
}

impl<'a> Facts<'a> {
    pub(super) fn of<T: Step>(
        asked: &'a StepInfo,
        payload: &mut T,
        tool: Option<&str>,
    ) -> Facts<'a> {
        let mut text = String::new();
        payload.each_text(&mut |part| {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(part);
        });
        let call = payload.call();
        let args: Option<Map<String, Value>> = call.map(|call| {
            let inputs = call.inputs.iter();
            inputs
                .map(|input| (input.name.clone(), input.value.clone()))
                .collect()
        });
        let inputs = call.map_or(0, |call| call.inputs.len());
        Facts {
            asked,
            tool: call
                .map(|call| call.tool_id.clone())
                .or_else(|| tool.map(str::to_owned)),
            ambiguous: args.as_ref().is_some_and(|args| args.len() != inputs),
            args,
            message: payload.message().cloned(),
            text,
        }
    }

    /// Whether an argument is there twice, so that a rule could see one and the tool the other.
    pub(super) fn is_ambiguous(&self) -> bool {
        self.ambiguous
    }

    pub(super) fn tool(&self) -> Option<&str> {
        self.tool.as_deref()
    }

    pub(super) fn agent(&self) -> Option<&str> {
        Some(&self.asked.context()?.agent.name)
    }

    /// Returns what a root of a condition stands for.
    pub(super) fn look(&self, root: &str) -> Option<Subject<'_>> {
        let context = self.asked.context();
        let text = match root {
            "args" => return self.args.as_ref().map(Subject::Object),
            "message" => return self.message.as_ref().map(Subject::Object),
            "tool" => self.tool()?,
            "text" => &self.text,
            "agent" => self.agent()?,
            "user" => &context?.user.as_ref()?.id,
            "session" => &context?.session.id,
            "reasoning" => self.asked.reasoning()?,
            _ => return None,
        };
        Some(Subject::Text(text))
    }
}
