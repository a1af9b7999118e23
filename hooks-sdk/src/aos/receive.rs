//! The types that a hook's function may take after the policy.

use std::{convert::Infallible, marker::PhantomData};

use super::{
    AosPoint, Asked, point,
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
    note = "behind the payload they receive `&Asked`"
)]
#[doc(hidden)]
pub trait AosSurround {
    fn surround(asked: &Asked) -> &Self;
}

impl AosSurround for Asked {
    fn surround(asked: &Asked) -> &Asked {
        asked
    }
}

// For each point by itself: the compiler then suggests the one that the author probably meant.
macro_rules! receives {
    ($($point:ident: $payload:ty;)+) => {$(
        impl AosInput<point::$point> for $payload {
            fn receive(payload: &$payload) -> &$payload {
                payload
            }
        }
    )+};
}

receives! {
    agent_trigger: AgentTrigger;
    tool_call_request: ToolCallRequest;
    tool_call_result: CompletedToolCall;
    user_message: MessageStep;
    agent_response: MessageStep;
    system_message: MessageStep;
    memory_context_retrieval: Memory;
    memory_store: Memory;
    knowledge_retrieval: KnowledgeStep;
    mcp: McpMessage;
    a2a: A2aMessage;
    message_send: A2aMessage;
    message_stream: A2aMessage;
    tasks_get: A2aMessage;
    tasks_cancel: A2aMessage;
    tasks_resubscribe: A2aMessage;
    tasks_push_notification_config_set: A2aMessage;
    tasks_push_notification_config_get: A2aMessage;
}
