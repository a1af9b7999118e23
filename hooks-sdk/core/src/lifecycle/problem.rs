//! The problems of a declaration, worded for its author.
//!
//! The compiler finds them through the attribute, a server at start-up through [`problems`](super::problems()),
//! and a host in the declarations of a server.

use crate::Problem;

/// A text longer than the limit.
pub const TEXT_TOO_LONG: Problem = Problem::new(
    "the text is longer than 32768 bytes\nhelp: shorten it, or answer with a `context_tool`",
);
/// `{tool_name}` at an event without a tool.
pub const NO_TOOL_NAME: Problem = Problem::new(
    "`{tool_name}` is only known in `pre_tool_use` and `post_tool_use` hooks\n\
                 help: leave it out, or use the event `post_tool_use`",
);
/// `{tool_input}` at an event without a tool.
pub const NO_TOOL_INPUT: Problem = Problem::new(
    "`{tool_input}` is only known in `pre_tool_use` and `post_tool_use` hooks\n\
                 help: leave it out, or use the event `post_tool_use`",
);
/// `{tool_output}` at another event than `post_tool_use`.
pub const NO_TOOL_OUTPUT: Problem = Problem::new(
    "`{tool_output}` is only known in `post_tool_use` hooks\n\
                 help: leave it out, or use the event `post_tool_use`",
);
/// A matcher at an event without a tool.
pub const MATCHER_WITHOUT_TOOL: Problem = Problem::new(
    "`matcher` applies only to `pre_tool_use` and `post_tool_use` hooks\nhelp: remove it",
);
/// A matcher without a condition.
pub const MATCHER_EMPTY: Problem = Problem::new(
    "`matcher` has no condition\n\
                 help: remove it, or give it `tool_name`, `input_contains` or `tool_server`",
);
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
