//! The steps that an agent asks a guardian about: one row says everything about each.

use crate::Vocabulary;

/// Passes the rows to a macro: those of the runtime and of the vocabulary are made from them.
///
/// A row is: the method and its word on the wire; whether the step is one of the agent itself (`native`) or of a protocol
/// (`protocol`); whether a hook may change it (`modify`) or not (`keep`); the payload, and the member of the params that it is
/// in; and its points, each with its word, its variant and the name of its span.
#[doc(hidden)]
#[macro_export]
macro_rules! aos_steps {
    ($with:ident) => {
        $with! {
            /// The agent is triggered by an event.
            AgentTrigger = "steps/agentTrigger" native modify, AgentTrigger in "trigger" {
                /// The agent was triggered by an event, and has not started yet.
                agent_trigger = AgentTrigger "acs.agent.trigger";
            }
            /// A tool is about to be called.
            ToolCallRequest = "steps/toolCallRequest" native modify, ToolCallRequest in "toolCallRequest" {
                /// The agent is about to call a tool.
                tool_call_request = ToolCallRequest "gen_ai.tool.call";
            }
            /// A tool has answered.
            ToolCallResult = "steps/toolCallResult" native modify, CompletedToolCall in "toolCallResult" {
                /// A tool has ended, and nobody has read its result yet.
                tool_call_result = ToolCallResult "gen_ai.tool.result";
            }
            /// A message of the user, of the agent, or of the system.
            Message = "steps/message" native modify, MessageStep in "message" {
                /// A message of the user, before the agent reads it.
                user_message = UserMessage "acs.message.user";
                /// A message of the agent, before the user reads it.
                agent_response = AgentResponse "acs.message.agent";
                /// A message with the role `system`.
                system_message = SystemMessage "acs.message.system";
            }
            /// Memory is about to be put into the context.
            MemoryContextRetrieval = "steps/memoryContextRetrieval" native modify, Memory in "memory" {
                /// Memory was retrieved, and is not in the agent's context yet.
                memory_context_retrieval = MemoryContextRetrieval "acs.memory.retrieval";
            }
            /// Something is about to be kept in memory.
            MemoryStore = "steps/memoryStore" native modify, Memory in "memory" {
                /// Memory is about to be stored.
                memory_store = MemoryStore "acs.memory.store";
            }
            /// Knowledge was retrieved.
            KnowledgeRetrieval = "steps/knowledgeRetrieval" native modify, KnowledgeStep in "knowledgeStep" {
                /// Knowledge was retrieved, and the model has not read it yet.
                knowledge_retrieval = KnowledgeRetrieval "acs.knowledge.retrieval";
            }
            /// A message of MCP, as it is.
            Mcp = "protocols/MCP" protocol modify, McpMessage in "message" {
                /// A message of MCP, before it is sent or after it was received.
                mcp = Mcp "aos.protocol.mcp";
            }
            /// A message of A2A, as it is: the older word for all of its methods.
            A2a = "protocols/A2A" protocol modify, A2aMessage in "message" {
                /// A message of A2A, under the one method that older agents use for all of them.
                a2a = A2a "aos.protocol.a2a";
            }
            /// A2A: a message for another agent.
            MessageSend = "message/send" protocol modify, A2aMessage in "payload" {
                /// A2A: a message is sent to another agent.
                message_send = MessageSend "aos.protocol.a2a";
            }
            /// A2A: a message for another agent, answered as a stream.
            MessageStream = "message/stream" protocol modify, A2aMessage in "payload" {
                /// A2A: a message is sent to another agent, which answers in a stream.
                message_stream = MessageStream "aos.protocol.a2a";
            }
            /// A2A: the state of a task.
            TasksGet = "tasks/get" protocol modify, A2aMessage in "payload" {
                /// A2A: the state of a task.
                tasks_get = TasksGet "aos.protocol.a2a";
            }
            /// A2A: the end of a task.
            TasksCancel = "tasks/cancel" protocol keep, A2aMessage in "payload" {
                /// A2A: a task is cancelled. A hook allows or denies.
                tasks_cancel = TasksCancel "aos.protocol.a2a";
            }
            /// A2A: the stream of a task, once more.
            TasksResubscribe = "tasks/resubscribe" protocol keep, A2aMessage in "payload" {
                /// A2A: the updates of a task are subscribed to again. A hook allows or denies.
                tasks_resubscribe = TasksResubscribe "aos.protocol.a2a";
            }
            /// A2A: where the news of a task go, set.
            TasksPushNotificationConfigSet = "tasks/pushNotificationConfig/set" protocol modify, A2aMessage in "payload" {
                /// A2A: the notifications of a task are configured.
                tasks_push_notification_config_set = TasksPushNotificationConfigSet "aos.protocol.a2a";
            }
            /// A2A: where the news of a task go, read.
            TasksPushNotificationConfigGet = "tasks/pushNotificationConfig/get" protocol keep, A2aMessage in "payload" {
                /// A2A: how the notifications of a task are configured. A hook allows or denies.
                tasks_push_notification_config_get = TasksPushNotificationConfigGet "aos.protocol.a2a";
            }
            /// Is the guardian there?
            Ping = "ping" protocol keep, Ping in "params" {}
        }
    };
}

macro_rules! words {
    ($(
        $(#[$about:meta])+
        $method:ident = $wire:literal $of:ident $may:ident, $payload:ident in $member:literal {
            $($(#[$doc:meta])+ $word:ident = $at:ident $span:literal;)*
        }
    )+) => {
        /// The points of hooks of a guardian.
        pub const AOS_POINTS: Vocabulary =
            Vocabulary::new("point", "point", &[$($(stringify!($word),)*)+]);

        /// The payload that a hook of a guardian takes at each point.
        pub const AOS_INPUTS: &[(&str, &str)] = &[$($((stringify!($word), stringify!($payload)),)*)+];

        /// Whether a hook may change (`modify`) the step at each point or not (`keep`).
        pub(crate) const CHANGES: &[(&str, &str)] = &[$($((stringify!($word), stringify!($may)),)*)+];
    };
}
aos_steps!(words);
