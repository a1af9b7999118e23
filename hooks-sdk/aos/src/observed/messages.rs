//! Which messages of MCP the guardian is asked about, and what that means for the steps of tools.

use super::GuardianClient;
use hooks_core::internal::setters;

/// The messages of MCP that an observed server asks its guardian about, as `protocols/MCP`.
///
/// `initialize`, `server/discover`, `ping`, their answers and `notifications/cancelled` are never among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a message goes one way or the other"
)]
pub enum Messages {
    /// What the client sends, before the server handles it.
    Inbound,
    /// What the server sends, before it leaves.
    Outbound,
    /// Both.
    Both,
}

impl Messages {
    /// Returns whether the guardian is asked about what the client sends.
    pub const fn inbound(self) -> bool {
        matches!(self, Messages::Inbound | Messages::Both)
    }

    /// Returns whether the guardian is asked about what the server sends.
    pub const fn outbound(self) -> bool {
        matches!(self, Messages::Outbound | Messages::Both)
    }
}

impl<P> GuardianClient<P> {
    setters! {
        /// Asks the guardian about whole messages of MCP, too.
        ///
        /// The guardian sees each message as it is, and may change everything in it but its `id` and its `method`. If it
        /// denies a request of the client, the client gets an error, or for `tools/call` a result that is an error. A denied
        /// answer becomes an error. A denied request of the server fails. A denied notification is dropped.
        ///
        /// A call of a tool is a message already, and so is its result. So the guardian is not asked about them as
        /// steps of a tool, unless [`with_tool_steps`](GuardianClient::with_tool_steps) says so.
        fn messages(mut self, messages: Messages) { self.set().messages = Some(messages) }

        /// Asks about the steps of tools also where the guardian is asked about their messages.
        fn with_tool_steps(mut self) { self.set().with_tool_steps = true }
    }

    /// Returns the messages that the guardian is asked about.
    pub fn its_messages(&self) -> Option<Messages> {
        self.settings.messages
    }

    /// Returns whether the guardian is asked about the calls of tools as steps.
    pub fn asks_tool_requests(&self) -> bool {
        self.settings.with_tool_steps || !self.its_messages().is_some_and(Messages::inbound)
    }

    /// Returns whether the guardian is asked about the results of tools as steps.
    pub fn asks_tool_results(&self) -> bool {
        self.settings.with_tool_steps || !self.its_messages().is_some_and(Messages::outbound)
    }
}
