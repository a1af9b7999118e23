//! A client's input to a hook.

use super::Client;
use hooks_core::lifecycle::Occasion;

/// A client's input to a hook, as far as hooks need it.
///
/// `{tool_name}` is the client's own name for the tool. A matcher's `tool_name` matches other names, too: a shell tool
/// is `Bash` in every client, and the tool `store` of the MCP server `memory` is `mcp__memory__store` and `store`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Seen {
    /// The event with its variables, the tool's server and its other names.
    pub occasion: Occasion,
    /// The client's own id of the session.
    pub session_id: Option<String>,
    /// The tool's name on its MCP server; `None` for a client's own tool.
    pub tool: Option<String>,
    /// The reason for a session's start, in the client's word, such as `startup`.
    pub source: Option<String>,
    /// Whether the agent continues only because a hook kept it from stopping. At `post_request` this is also `true` if
    /// the client does not say: an agent that is kept from stopping each time continues for ever. At `pre_request` it is
    /// `true` for every prompt that the user did not write.
    pub kept_going: bool,
    /// Whether the client says that a subagent did it. Gemini CLI never
    /// says so.
    pub subagent: bool,
    /// What is the same in all processes that the client starts for one firing, and in no other firing; `None` if that is
    /// the whole input.
    pub firing: Option<String>,
    /// The other client that fired, because it reads this client's hook entries. It is answered in its own form.
    pub caller: Option<&'static Client>,
}

impl Seen {
    /// Makes an input of which only the occasion is known.
    pub fn new(occasion: Occasion) -> Seen {
        Seen {
            session_id: occasion.variables.session_id.clone(),
            occasion,
            tool: None,
            source: None,
            kept_going: false,
            subagent: false,
            firing: None,
            caller: None,
        }
    }

    /// Returns the client that is answered: the caller, or else the client whose entry fired.
    pub fn answered<'c>(&self, client: &'c Client) -> &'c Client {
        self.caller.unwrap_or(client)
    }
}
