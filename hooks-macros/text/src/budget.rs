//! The length of a hook's text, compared with what agent clients take whole.

use crate::{MAX_TEXT, problem::Problem, quote_lines};

/// The maximum length of one answer, in the unit that the client counts in, unless an entry sets it: 10,000.
pub const LONGEST_ANSWER: usize = 10_000;

/// What the limit of an answer counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Unit {
    /// Unicode characters.
    Characters,
    /// UTF-16 code units, as JavaScript counts: an emoji has two.
    Utf16,
    /// Bytes of UTF-8.
    Bytes,
    /// Tokens that the client estimates: each begun group of four bytes of UTF-8 is one.
    Tokens,
}

impl Unit {
    /// Returns the unit's name for people, in the plural.
    pub const fn name(self) -> &'static str {
        match self {
            Unit::Characters => "characters",
            Unit::Utf16 => "UTF-16 units",
            Unit::Bytes => "bytes",
            Unit::Tokens => "tokens of 4 bytes",
        }
    }
}

/// The length of a text in each [`Unit`] but tokens, which are made from bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Length {
    characters: usize,
    utf16: usize,
    bytes: usize,
}

impl Length {
    /// Measures a text.
    pub fn of(text: &str) -> Length {
        Length {
            characters: text.chars().count(),
            utf16: text.encode_utf16().count(),
            bytes: text.len(),
        }
    }

    /// Returns the length in this unit. A begun token is one.
    pub const fn count(self, unit: Unit) -> usize {
        match unit {
            Unit::Characters => self.characters,
            Unit::Utf16 => self.utf16,
            Unit::Bytes => self.bytes,
            Unit::Tokens => self.bytes.div_ceil(4),
        }
    }
}

/// The length that a client takes whole at some events.
struct AnswerLimit {
    client: &'static str,
    unit: Unit,
    most: usize,
    events: &'static [&'static str],
}

/// The limits that no other limit implies. `hooks-clients` compares them with its table of clients.
///
/// A limit of 10,000 characters is implied by 10,000 UTF-16 units, and a limit of 32,000 tokens by both.
const LIMITS: [AnswerLimit; 4] = [
    AnswerLimit {
        client: "Claude Code",
        unit: Unit::Utf16,
        most: LONGEST_ANSWER,
        events: &[
            "session_start",
            "pre_tool_use",
            "post_tool_use",
            "pre_request",
        ],
    },
    AnswerLimit {
        client: "Claude Code",
        unit: Unit::Characters,
        most: LONGEST_ANSWER,
        events: &["post_request"],
    },
    AnswerLimit {
        client: "Codex CLI",
        unit: Unit::Tokens,
        most: 2_500,
        events: &["post_request"],
    },
    AnswerLimit {
        client: "GitHub Copilot CLI",
        unit: Unit::Bytes,
        most: LONGEST_ANSWER,
        events: &["post_tool_use"],
    },
];

const TOO_LONG: Problem = Problem::new(
    "the text is too long for an answer at this event: clients take 10,000 characters, UTF-16 units or bytes\n\
     help: shorten it; what an agent needs only sometimes can be a skill",
);

/// Returns the title of the first client, in the order of lists, that would not take this text whole in an answer.
///
/// The answer has the line that names the server and the strength, in the shortest form, because the server's name is not
/// known when the text is compiled.
pub fn too_long_for(event: &str, text: &str) -> Option<&'static str> {
    // A longer text is refused in any case. Most texts are so short that no limit is below three times their bytes, and
    // quoting adds no more. Neither is measured.
    if text.len() > MAX_TEXT || 3 * text.len() + 41 < LONGEST_ANSWER {
        return None;
    }
    let quoted = quote_lines(text);
    let length = Length::of(&format!("Hook of the MCP server `x` (required):\n{quoted}"));
    let is_less = |limit: &&AnswerLimit| {
        limit.events.contains(&event) && length.count(limit.unit) > limit.most
    };
    LIMITS.iter().find(is_less).map(|limit| limit.client)
}

/// A text fits into the answers of all clients at an event.
pub fn fits(event: &str, text: &str) -> Option<Problem> {
    too_long_for(event, text).map(|_| TOO_LONG)
}

/// As [`fits`], for a guidance hook at a moment that clients have an event for.
pub fn fits_guidance(
    hook_type: &str,
    lifecycle: &str,
    has_tool: bool,
    text: &str,
) -> Option<Problem> {
    let event = match (lifecycle, hook_type == "action") {
        ("start", false) => "session_start",
        ("start", true) if has_tool => "pre_tool_use",
        ("end", true) if has_tool => "post_tool_use",
        _ => return None,
    };
    fits(event, text)
}
