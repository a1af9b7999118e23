//! The types that a hook's function may take after the policy.

use std::{convert::Infallible, marker::PhantomData};

use super::{
    AosPoint, StepInfo, point,
    wire::{
        A2aMessage, AgentTrigger, CompletedToolCall, KnowledgeStep, McpMessage, Memory,
        MessageStep, ToolCallRequest,
    },
};

/// A payload type that a hook at the point `P` may take.
#[diagnostic::on_unimplemented(
    message = "`{P}` hooks do not receive `{Self}`",
    label = "not this point's payload",
    note = "each point has its own payload: `tool_call_request` hooks receive `&ToolCallRequest`, and so on"
)]
#[doc(hidden)]
pub trait AosInput<P: AosPoint> {
    fn receive(payload: &P::In) -> &Self;
}

/// `IsAosInput::ANSWER` says whether `T` is a payload of the point `P`. The attribute asks it about a type in the wrong
/// place.
#[doc(hidden)]
#[derive(Debug)]
pub struct IsAosInput<T, P>(PhantomData<(T, P)>, Infallible);

impl<T: AosInput<P>, P: AosPoint> IsAosInput<T, P> {
    pub const ANSWER: bool = true;
}

/// A type that a hook may take as its last argument.
#[diagnostic::on_unimplemented(
    message = "hooks do not receive `{Self}` behind their payload",
    label = "not the context",
    note = "behind the payload they receive `&StepInfo`"
)]
#[doc(hidden)]
pub trait AosSurround {
    fn surround(asked: &StepInfo) -> &Self;
}

impl AosSurround for StepInfo {
    fn surround(asked: &StepInfo) -> &StepInfo {
        asked
    }
}

// Each impl is written out: the compiler then suggests the one that the author probably meant.

impl AosInput<point::agent_trigger> for AgentTrigger {
    fn receive(payload: &AgentTrigger) -> &AgentTrigger {
        payload
    }
}

impl AosInput<point::tool_call_request> for ToolCallRequest {
    fn receive(payload: &ToolCallRequest) -> &ToolCallRequest {
        payload
    }
}

impl AosInput<point::tool_call_result> for CompletedToolCall {
    fn receive(payload: &CompletedToolCall) -> &CompletedToolCall {
        payload
    }
}

impl AosInput<point::user_message> for MessageStep {
    fn receive(payload: &MessageStep) -> &MessageStep {
        payload
    }
}

impl AosInput<point::agent_response> for MessageStep {
    fn receive(payload: &MessageStep) -> &MessageStep {
        payload
    }
}

impl AosInput<point::system_message> for MessageStep {
    fn receive(payload: &MessageStep) -> &MessageStep {
        payload
    }
}

impl AosInput<point::memory_context_retrieval> for Memory {
    fn receive(payload: &Memory) -> &Memory {
        payload
    }
}

impl AosInput<point::memory_store> for Memory {
    fn receive(payload: &Memory) -> &Memory {
        payload
    }
}

impl AosInput<point::knowledge_retrieval> for KnowledgeStep {
    fn receive(payload: &KnowledgeStep) -> &KnowledgeStep {
        payload
    }
}

impl AosInput<point::mcp> for McpMessage {
    fn receive(payload: &McpMessage) -> &McpMessage {
        payload
    }
}

impl AosInput<point::a2a> for A2aMessage {
    fn receive(payload: &A2aMessage) -> &A2aMessage {
        payload
    }
}

impl AosInput<point::message_send> for A2aMessage {
    fn receive(payload: &A2aMessage) -> &A2aMessage {
        payload
    }
}

impl AosInput<point::message_stream> for A2aMessage {
    fn receive(payload: &A2aMessage) -> &A2aMessage {
        payload
    }
}

impl AosInput<point::tasks_get> for A2aMessage {
    fn receive(payload: &A2aMessage) -> &A2aMessage {
        payload
    }
}

impl AosInput<point::tasks_cancel> for A2aMessage {
    fn receive(payload: &A2aMessage) -> &A2aMessage {
        payload
    }
}

impl AosInput<point::tasks_resubscribe> for A2aMessage {
    fn receive(payload: &A2aMessage) -> &A2aMessage {
        payload
    }
}

impl AosInput<point::tasks_push_notification_config_set> for A2aMessage {
    fn receive(payload: &A2aMessage) -> &A2aMessage {
        payload
    }
}

impl AosInput<point::tasks_push_notification_config_get> for A2aMessage {
    fn receive(payload: &A2aMessage) -> &A2aMessage {
        payload
    }
}
