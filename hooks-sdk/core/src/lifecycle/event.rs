//! The six lifecycle events.

use serde::{Deserialize, Serialize};

use crate::macros::words;

pub use super::receive::{
    PostRequest, PostToolUse, PreRequest, PreToolUse, SessionEnd, SessionStart,
};

words! {
    /// A moment in an agent's session, as SEP-2282 normalises it across clients.
    ///
    /// Implements SEP-2282, "Event types". [`Open`](crate::Open) keeps a peer's word that is none of the six.
    ///
    /// ```
    /// use hooks_sdk::lifecycle::Event;
    ///
    /// assert_eq!(Event::PostToolUse.as_str(), "post_tool_use");
    /// assert!(Event::PostToolUse.is_tool_event());
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
    pub enum Event: "Returns the event's word on the wire." {
        /// Agent session begins: the client initializes a new agent session.
        SessionStart = "session_start",
        /// Agent session ends: the client is about to close the session.
        SessionEnd = "session_end",
        /// Before a tool call: the agent is about to invoke a tool.
        PreToolUse = "pre_tool_use",
        /// After a tool call: a tool call has completed.
        PostToolUse = "post_tool_use",
        /// Before agent turn: the agent is about to process a new user message.
        PreRequest = "pre_request",
        /// After agent turn: the agent has finished responding to a user message.
        PostRequest = "post_request",
    }
}

impl Event {
    /// The six events, in the document's order.
    pub const ALL: [Event; 6] = [
        Event::SessionStart,
        Event::SessionEnd,
        Event::PreToolUse,
        Event::PostToolUse,
        Event::PreRequest,
        Event::PostRequest,
    ];

    /// Returns whether the event is about a tool call, so that a matcher applies.
    pub const fn is_tool_event(self) -> bool {
        matches!(self, Event::PreToolUse | Event::PostToolUse)
    }

    /// Returns the template variables that can have a value at this event.
    ///
    /// Implements SEP-2282, "Template variables".
    pub const fn variables(self) -> &'static [&'static str] {
        match self {
            Event::PreToolUse => &["project_name", "session_id", "tool_name", "tool_input"],
            Event::PostToolUse => &[
                "project_name",
                "session_id",
                "tool_name",
                "tool_input",
                "tool_output",
            ],
            _ => &["project_name", "session_id"],
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{from_value, json, to_value};

    use super::*;
    use crate::Open;

    #[test]
    fn each_word_is_the_wire_word() {
        for event in Event::ALL {
            assert_eq!(to_value(event).unwrap(), json!(event.as_str()));
            assert_eq!(from_value::<Event>(json!(event.as_str())).unwrap(), event);
        }
    }

    #[test]
    fn a_new_word_is_kept() {
        let word: Open<Event> = from_value(json!("pre_compact")).unwrap();
        assert_eq!(word, Open::Other("pre_compact".into()));
        assert_eq!(to_value(word).unwrap(), json!("pre_compact"));
    }
}
