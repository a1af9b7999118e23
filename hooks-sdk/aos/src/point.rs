//! The steps at which hooks of a guardian answer, as types named after their words in attributes.

use std::{any::Any, convert::Infallible};

use super::{
    Reply,
    wire::{
        A2aMessage, AgentTrigger, CompletedToolCall, KnowledgeStep, McpMessage, Memory,
        MessageStep, Method, StepPayload, StepRole, ToolCallRequest,
    },
};
use hooks_core::Point;

/// The name of this protocol in the registry.
pub(super) const PROTOCOL: &str = "aos";

/// A point of this protocol: one kind of step, as a type.
///
/// Only the unit types of [`point`](self) implement it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no point",
    label = "not a point",
    note = "the points are `tool_call_request`, `tool_call_result`, and the others of `aos::point`"
)]
pub trait AosPoint:
    Point<In = Self::Payload, Out = Reply<Self::Changed>> + Copy + Send + Sync + sealed::Sealed
{
    /// What a hook decides about.
    type Payload: StepPayload;
    /// What a hook answers with to change the step: the payload, or nothing where the document allows no change.
    type Changed: Send + 'static;
    /// The point as a value.
    const AT: AosAt;
    /// The method of its requests.
    const METHOD: Method = Self::AT.method();
    /// Whether a hook may change the step.
    const MODIFIES: bool = Self::AT.modifies();

    /// Returns a change as the payload that it is.
    fn payload(changed: Self::Changed) -> Self::Payload;
}

mod sealed {
    pub trait Sealed {}
}

/// Calls a macro with the table of the points: the word, the point as a value, the payload, the method of its requests, and
/// whether a hook may change the step.
macro_rules! points {
    ($call:ident) => {
        $call! {
            /// The agent was triggered by an event, and has not started yet.
            agent_trigger = AgentTrigger: AgentTrigger, AgentTrigger, modify;
            /// The agent is about to call a tool.
            tool_call_request = ToolCallRequest: ToolCallRequest, ToolCallRequest, modify;
            /// A tool has ended, and nobody has read its result yet.
            tool_call_result = ToolCallResult: CompletedToolCall, ToolCallResult, modify;
            /// A message of the user, before the agent reads it.
            user_message = UserMessage: MessageStep, Message, modify;
            /// A message of the agent, before the user reads it.
            agent_response = AgentResponse: MessageStep, Message, modify;
            /// A message with the role `system`.
            system_message = SystemMessage: MessageStep, Message, modify;
            /// Memory was retrieved, and is not in the agent's context yet.
            memory_context_retrieval = MemoryContextRetrieval: Memory, MemoryContextRetrieval, modify;
            /// Memory is about to be stored.
            memory_store = MemoryStore: Memory, MemoryStore, modify;
            /// Knowledge was retrieved, and the model has not read it yet.
            knowledge_retrieval = KnowledgeRetrieval: KnowledgeStep, KnowledgeRetrieval, modify;
            /// A message of MCP, before it is sent or after it was received.
            mcp = Mcp: McpMessage, Mcp, modify;
            /// A message of A2A, under the one method that older agents use for all of them.
            a2a = A2a: A2aMessage, A2a, modify;
            /// A2A: a message is sent to another agent.
            message_send = MessageSend: A2aMessage, MessageSend, modify;
            /// A2A: a message is sent to another agent, which answers in a stream.
            message_stream = MessageStream: A2aMessage, MessageStream, modify;
            /// A2A: the state of a task.
            tasks_get = TasksGet: A2aMessage, TasksGet, modify;
            /// A2A: a task is cancelled. A hook allows or denies.
            tasks_cancel = TasksCancel: A2aMessage, TasksCancel, keep;
            /// A2A: the updates of a task are subscribed to again. A hook allows or denies.
            tasks_resubscribe = TasksResubscribe: A2aMessage, TasksResubscribe, keep;
            /// A2A: the notifications of a task are configured.
            tasks_push_notification_config_set = TasksPushNotificationConfigSet: A2aMessage, TasksPushNotificationConfigSet, modify;
            /// A2A: how the notifications of a task are configured. A hook allows or denies.
            tasks_push_notification_config_get = TasksPushNotificationConfigGet: A2aMessage, TasksPushNotificationConfigGet, keep;
        }
    };
}
pub(super) use points;

/// The type of a change, and what makes it the payload.
macro_rules! changed {
    ($payload:ty, modify) => {
        type Changed = $payload;

        fn payload(changed: $payload) -> $payload {
            changed
        }
    };
    ($payload:ty, keep) => {
        type Changed = Infallible;

        fn payload(changed: Infallible) -> $payload {
            match changed {}
        }
    };
}

macro_rules! out {
    ($payload:ty, modify) => { Reply<$payload> };
    ($payload:ty, keep) => { Reply<Infallible> };
}

macro_rules! define {
    ($($(#[$doc:meta])+ $word:ident = $at:ident: $payload:ident, $method:ident, $may:ident;)+) => {
        /// A point as a value.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum AosAt {
            $($(#[$doc])+ $at,)+
        }

        impl AosAt {
            /// Every point.
            pub const ALL: &'static [AosAt] = &[$(AosAt::$at,)+];

            /// Returns the point's word in an attribute.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(AosAt::$at => stringify!($word),)+
                }
            }

            /// Returns the method of the requests at this point. The three points of messages share one.
            pub const fn method(self) -> Method {
                match self {
                    $(AosAt::$at => Method::$method,)+
                }
            }
        }

        $(
            $(#[$doc])+
            #[expect(non_camel_case_types, reason = "a point is named after its word in an attribute")]
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
            pub struct $word;

            impl Point for $word {
                type In = $payload;
                type Out = out!($payload, $may);
                const PROTOCOL: &'static str = PROTOCOL;
                const METHOD: &'static str = stringify!($word);
            }

            impl AosPoint for $word {
                type Payload = $payload;
                changed!($payload, $may);
                const AT: AosAt = AosAt::$at;
            }

            impl sealed::Sealed for $word {}
        )+
    };
}

points!(define);

impl AosAt {
    /// Returns whether a hook at this point may change the step.
    pub const fn modifies(self) -> bool {
        self.method().modifies()
    }

    /// Returns who says the messages at this point; `None` at a point without messages.
    pub const fn role(self) -> Option<StepRole> {
        match self {
            AosAt::UserMessage => Some(StepRole::User),
            AosAt::AgentResponse => Some(StepRole::Agent),
            AosAt::SystemMessage => Some(StepRole::System),
            _ => None,
        }
    }

    /// Returns whether a payload has the role of this point, or no role.
    pub(super) fn has_role<T: Any>(self, payload: &T) -> bool {
        let step = (payload as &dyn Any).downcast_ref::<MessageStep>();
        step.is_none_or(|step| self.role().is_none_or(|role| step.message.role == role))
    }

    /// Gives a message the role of this point.
    pub(super) fn set_role<T: Any>(self, payload: &mut T) {
        if let Some(role) = self.role()
            && let Some(step) = (payload as &mut dyn Any).downcast_mut::<MessageStep>()
        {
            step.message.role = role;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::any::TypeId;

    use super::*;

    #[test]
    fn the_macros_know_every_point() {
        let points: Vec<&str> = AosAt::ALL.iter().map(|at| at.as_str()).collect();
        assert_eq!(points, hooks_text::AOS_POINTS.words);
    }

    #[test]
    fn what_a_hook_may_change_is_what_the_method_allows() {
        fn changes<P: AosPoint>(_point: P) -> bool {
            assert_eq!(P::MODIFIES, P::AT.method().modifies());
            TypeId::of::<P::Changed>() == TypeId::of::<P::Payload>()
        }
        assert!(changes(tool_call_request));
        assert!(changes(tasks_push_notification_config_set));
        assert!(!changes(tasks_cancel));
        assert!(!changes(tasks_resubscribe));
        assert!(!changes(tasks_push_notification_config_get));
        let kept = AosAt::ALL.iter().filter(|at| !at.modifies());
        assert_eq!(kept.count(), 3);
    }
}
