//! What a client said on a hook's standard input.

use crate::lifecycle::Occasion;

/// What a client said on a hook's standard input, as far as hooks are concerned.
///
/// `{tool_name}` is the client's own name for the tool. A matcher's `tool_name` may name it otherwise, too: a shell tool
/// is `Bash` in every client, and the tool `store` of the MCP server `memory` is `mcp__memory__store` and `store`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Seen {
    /// The event with its variables, the tool's server and its other names.
    pub occasion: Occasion,
    /// The client's own id of the session.
    pub session_id: Option<String>,
    /// The name that the tool has on its MCP server; `None` for a tool of the client's own.
    pub tool: Option<String>,
    /// Why a session starts, in the client's word, such as `startup`.
    pub source: Option<String>,
    /// Whether the agent continues only because a hook kept it from stopping; at `post_request` also when the client
    /// does not say that it does not, since an agent that is kept from stopping each time goes on for ever.
    pub kept_going: bool,
    /// Whether a subagent did it, as far as the client says; Gemini CLI never does.
    pub subagent: bool,
    /// The other client that reads this one's hook entries and fired, such as `copilot`.
    pub reader: Option<&'static str>,
}

impl Seen {
    /// An occasion of which nothing else is known.
    pub fn new(occasion: Occasion) -> Seen {
        Seen {
            session_id: occasion.variables.session_id.clone(),
            occasion,
            tool: None,
            source: None,
            kept_going: false,
            subagent: false,
            reader: None,
        }
    }
}
