//! The methods of the document, by their words on the wire.

use hooks_core::internal::words;
use serde::{Serialize, Serializer};

words! {
    /// A method of the document.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    #[non_exhaustive]
    pub enum Method, ALL: "Returns the word on the wire." {
        /// The agent is triggered by an event.
        AgentTrigger = "steps/agentTrigger",
        /// A tool is about to be called.
        ToolCallRequest = "steps/toolCallRequest",
        /// A tool has answered.
        ToolCallResult = "steps/toolCallResult",
        /// A message of the user, of the agent, or of the system.
        Message = "steps/message",
        /// Memory is about to be put into the context.
        MemoryContextRetrieval = "steps/memoryContextRetrieval",
        /// Something is about to be kept in memory.
        MemoryStore = "steps/memoryStore",
        /// Knowledge was retrieved.
        KnowledgeRetrieval = "steps/knowledgeRetrieval",
        /// A message of MCP, as it is.
        Mcp = "protocols/MCP",
        /// A message of A2A, as it is: the older word for all of its methods.
        A2a = "protocols/A2A",
        /// A2A: a message for another agent.
        MessageSend = "message/send",
        /// A2A: a message for another agent, answered as a stream.
        MessageStream = "message/stream",
        /// A2A: the state of a task.
        TasksGet = "tasks/get",
        /// A2A: the end of a task.
        TasksCancel = "tasks/cancel",
        /// A2A: the stream of a task, once more.
        TasksResubscribe = "tasks/resubscribe",
        /// A2A: where the news of a task go, set.
        TasksPushNotificationConfigSet = "tasks/pushNotificationConfig/set",
        /// A2A: where the news of a task go, read.
        TasksPushNotificationConfigGet = "tasks/pushNotificationConfig/get",
        /// Is the guardian there?
        Ping = "ping",
    }
}

impl Method {
    /// Returns the method with this word.
    pub fn named(word: &str) -> Option<Method> {
        let mut all = Method::ALL.iter().copied();
        all.find(|method| method.as_str() == word)
    }

    /// Returns whether a guardian may answer the step with another payload.
    pub const fn modifies(self) -> bool {
        !matches!(
            self,
            Method::TasksCancel
                | Method::TasksResubscribe
                | Method::TasksPushNotificationConfigGet
                | Method::Ping
        )
    }

    /// Returns whether the step is one of the agent itself, and so has a context.
    pub const fn is_native(self) -> bool {
        matches!(
            self,
            Method::AgentTrigger
                | Method::ToolCallRequest
                | Method::ToolCallResult
                | Method::Message
                | Method::MemoryContextRetrieval
                | Method::MemoryStore
                | Method::KnowledgeRetrieval
        )
    }
}

impl Serialize for Method {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::Method;

    #[test]
    fn words_are_read_back() {
        for method in Method::ALL {
            assert_eq!(Method::named(method.as_str()), Some(*method));
        }
        assert_eq!(Method::named("steps/knowledge"), None);
        assert_eq!(Method::named("Ping"), None);
    }
}
