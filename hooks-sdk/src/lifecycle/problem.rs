//! The problems of a declaration, worded for its author.

use std::{error::Error, fmt};

use crate::core::glob::GlobProblem;

/// A rule, of the document or of this SDK, that a declaration breaks.
///
/// The compiler finds it through [`check`](super::check), a server at start-up through
/// [`problems`](super::problems()), and a host in the declarations of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Problem {
    /// A text of nothing but white space.
    TextEmpty,
    /// A text longer than the limit.
    TextTooLong,
    /// `{tool_name}` at an event without a tool.
    NoToolName,
    /// `{tool_input}` at an event without a tool.
    NoToolInput,
    /// `{tool_output}` at another event than `post_tool_use`.
    NoToolOutput,
    /// A matcher at an event without a tool.
    MatcherWithoutTool,
    /// A matcher without a condition.
    MatcherEmpty,
    /// A matcher with members of which none is a condition.
    NoKnownCondition,
    /// A malformed glob.
    Glob(GlobProblem),
    /// An empty value.
    ValueEmpty,
    /// A malformed hook id.
    Id,
    /// A deadline out of bounds.
    Deadline,
    /// Neither `context` nor `context_tool`.
    NoContext,
    /// Both `context` and `context_tool`.
    TwoContexts,
    /// `context_tool_args` without `context_tool`.
    ArgsWithoutTool,
    /// `context_tool_args` on a hook whose arguments are its event.
    ArgsOfAnswering,
}

impl Problem {
    /// Returns what is wrong.
    pub fn message(self) -> &'static str {
        self.parts().0
    }

    /// Returns the edit that corrects it.
    pub fn help(self) -> &'static str {
        self.parts().1
    }

    fn parts(self) -> (&'static str, &'static str) {
        self.words().split_once(HELP).unwrap_or((self.words(), ""))
    }

    /// Returns message and help as one text, because a `const` panic cannot format.
    pub(super) const fn words(self) -> &'static str {
        match self {
            Problem::TextEmpty => "the text is empty\nhelp: write what the agent should read",
            Problem::TextTooLong => {
                "the text is longer than 32768 bytes\nhelp: shorten it, or answer with a `context_tool`"
            }
            Problem::NoToolName => {
                "`{tool_name}` is only known in `pre_tool_use` and `post_tool_use` hooks\n\
                 help: leave it out, or use the event `post_tool_use`"
            }
            Problem::NoToolInput => {
                "`{tool_input}` is only known in `pre_tool_use` and `post_tool_use` hooks\n\
                 help: leave it out, or use the event `post_tool_use`"
            }
            Problem::NoToolOutput => {
                "`{tool_output}` is only known in `post_tool_use` hooks\n\
                 help: leave it out, or use the event `post_tool_use`"
            }
            Problem::MatcherWithoutTool => {
                "`matcher` applies only to `pre_tool_use` and `post_tool_use` hooks\nhelp: remove it"
            }
            Problem::MatcherEmpty => {
                "`matcher` has no condition\n\
                 help: remove it, or give it `tool_name`, `input_contains` or `tool_server`"
            }
            Problem::NoKnownCondition => {
                "`matcher` has members, but no condition that is known here\n\
                 help: give it `tool_name`, `input_contains` or `tool_server`, or leave the matcher out"
            }
            Problem::Glob(problem) => problem.words(),
            Problem::ValueEmpty => "the value is empty\nhelp: leave it out, or say what it is",
            Problem::Id => {
                "this cannot be a hook's id\nhelp: use 1 to 64 of `a` to `z`, `0` to `9`, `_` and `-`"
            }
            Problem::Deadline => {
                "the deadline is not between 1 ms and 10 minutes\nhelp: use a value from 1 to 600000"
            }
            Problem::NoContext => {
                "neither `context` nor `context_tool` is given\nhelp: give one of them"
            }
            Problem::TwoContexts => {
                "`context` and `context_tool` exclude each other\nhelp: remove one of them"
            }
            Problem::ArgsWithoutTool => {
                "`context_tool_args` needs a `context_tool`\nhelp: name the tool, or remove the arguments"
            }
            Problem::ArgsOfAnswering => {
                "an answering hook is called with its event, not with `context_tool_args`\n\
                 help: remove them, or declare a tool of your own with `Hook::tool`"
            }
        }
    }
}

const HELP: &str = "\nhelp: ";

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message())
    }
}

impl Error for Problem {}
