//! What a client said on a hook's standard input.

use crate::lifecycle::Occasion;

/// What a client said on a hook's standard input, as far as hooks are concerned.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Seen {
    /// The event with its variables, the tool's server and its other names.
    pub occasion: Occasion,
    /// The client's own id of the session.
    pub session_id: Option<String>,
    /// Whether the agent goes on only because a hook kept it from stopping.
    pub kept_going: bool,
}
