//! The problems of a declaration, worded for its author.
//!
//! The compiler finds them through the attribute, a server at start-up through [`problems`](super::problems()),
//! and a host in the declarations of a server.

use crate::Problem;

pub use hooks_text::rule::lifecycle::{
    MATCHER_EMPTY, MATCHER_WITHOUT_TOOL, NO_TOOL_INPUT, NO_TOOL_NAME, NO_TOOL_OUTPUT, TEXT_TOO_LONG,
};

/// A matcher with members of which none is a condition.
pub const NO_KNOWN_CONDITION: Problem = Problem::new(
    "`matcher` has members, but no condition that is known here\n\
                 help: give it `tool_name`, `input_contains` or `tool_server`, or leave the matcher out",
);
/// Neither `context` nor `context_tool`.
pub const NO_CONTEXT: Problem =
    Problem::new("neither `context` nor `context_tool` is given\nhelp: give one of them");
/// Both `context` and `context_tool`.
pub const TWO_CONTEXTS: Problem =
    Problem::new("`context` and `context_tool` exclude each other\nhelp: remove one of them");
/// `context_tool_args` without `context_tool`.
pub const ARGS_WITHOUT_TOOL: Problem = Problem::new(
    "`context_tool_args` needs a `context_tool`\nhelp: name the tool, or remove the arguments",
);
/// `context_tool_args` on a hook whose arguments are its event.
pub const ARGS_OF_ANSWERING: Problem = Problem::new(
    "an answering hook is called with its event, not with `context_tool_args`\n\
                 help: remove them, or declare a tool of your own with `Hook::tool`",
);
