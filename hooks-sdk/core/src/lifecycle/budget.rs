//! The length of a hook's text, compared with what agent clients take whole: at compile time, with any features.

use super::Event;
use crate::text::{MAX_TEXT, same};

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
    pub const fn of(text: &str) -> Length {
        let text = text.as_bytes();
        let mut length = Length {
            characters: 0,
            utf16: 0,
            bytes: text.len(),
        };
        let mut at = 0;
        while at < text.len() {
            length = length.begin(text[at]);
            at += 1;
        }
        length
    }

    /// Counts the character that this byte begins. A byte that continues a character counts nothing.
    const fn begin(mut self, byte: u8) -> Length {
        if byte & 0xC0 != 0x80 {
            self.characters += 1;
            // A character of four bytes is a pair of surrogates in UTF-16.
            self.utf16 += if byte >= 0xF0 { 2 } else { 1 };
        }
        self
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
    events: &'static [Event],
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
            Event::SessionStart,
            Event::PreToolUse,
            Event::PostToolUse,
            Event::PreRequest,
        ],
    },
    AnswerLimit {
        client: "Claude Code",
        unit: Unit::Characters,
        most: LONGEST_ANSWER,
        events: &[Event::PostRequest],
    },
    AnswerLimit {
        client: "Codex CLI",
        unit: Unit::Tokens,
        most: 2_500,
        events: &[Event::PostRequest],
    },
    AnswerLimit {
        client: "GitHub Copilot CLI",
        unit: Unit::Bytes,
        most: LONGEST_ANSWER,
        events: &[Event::PostToolUse],
    },
];

impl AnswerLimit {
    const fn holds_at(&self, event: Event) -> bool {
        let mut at = 0;
        while at < self.events.len() {
            if self.events[at] as usize == event as usize {
                return true;
            }
            at += 1;
        }
        false
    }
}

/// The shortest line that names a server and a priority: ``Hook of the MCP server `x` (required):``.
const HEAD: usize = 38;

/// The most that a quoted line end adds to a text, for each byte of it.
const MOST_A_BYTE: usize = 3;

/// Measures a text in an answer, with the line that names the server and the marks of quoted lines, for the shortest server
/// name and priority, because neither is known at compile time.
const fn quoted(text: &str) -> Length {
    let text = text.trim_ascii().as_bytes();
    let mut length = Length {
        characters: HEAD + 3,
        utf16: HEAD + 3,
        bytes: HEAD + 3 + text.len(),
    };
    let mut at = 0;
    while at < text.len() {
        length = length.begin(text[at]);
        // Each line begins with `> `. A carriage return before a line feed is left out.
        let more = match text[at] {
            b'\n' if at > 0 && text[at - 1] == b'\r' => 1,
            b'\r' if at + 1 < text.len() && text[at + 1] == b'\n' => 0,
            b'\n' | b'\r' | 0x0B | 0x0C => 2,
            _ => 0,
        };
        length.characters += more;
        length.utf16 += more;
        length.bytes += more;
        at += 1;
    }
    length
}

/// Returns the title of the first client, in the order of lists, that would not take this text whole in an answer.
pub const fn too_long_for(event: Event, text: &str) -> Option<&'static str> {
    // A longer text is refused in any case. Most texts are so short that no limit is below their bytes. Neither is measured.
    if text.len() > MAX_TEXT || HEAD + 3 + MOST_A_BYTE * text.len() < LONGEST_ANSWER {
        return None;
    }
    let length = quoted(text);
    let mut at = 0;
    while at < LIMITS.len() {
        let limit = &LIMITS[at];
        if limit.holds_at(event) && length.count(limit.unit) > limit.most {
            return Some(limit.client);
        }
        at += 1;
    }
    None
}

/// Checks that a text fits into the answers of all clients; in a constant, `message` is a compile error at the caller.
#[track_caller]
pub const fn check(message: &str, event: Event, text: &str) {
    if too_long_for(event, text).is_some() {
        panic!("{}", message);
    }
}

/// As [`check`], for a guidance hook at a moment that clients have an event for.
#[track_caller]
pub const fn check_guidance(
    message: &str,
    hook_type: &str,
    lifecycle: &str,
    has_tool: bool,
    text: &str,
) {
    let is_action = same(hook_type, "action");
    if same(lifecycle, "start") && !is_action {
        check(message, Event::SessionStart, text);
    } else if same(lifecycle, "start") && has_tool {
        check(message, Event::PreToolUse, text);
    } else if same(lifecycle, "end") && is_action && has_tool {
        check(message, Event::PostToolUse, text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_length_is_that_of_the_shortest_answer() {
        for text in [
            "a",
            "a\nb",
            "a\r\nb\n\nc",
            "\n a é\n",
            "日本",
            "😀\rя",
            "a\u{b}b\u{c}c",
        ] {
            let mut lines = text.trim().replace("\r\n", "\n");
            for end in ['\r', '\u{b}', '\u{c}'] {
                lines = lines.replace(end, "\n");
            }
            let answer = format!(
                "Hook of the MCP server `x` (required):\n> {}",
                lines.replace('\n', "\n> ")
            );
            let length = quoted(text);
            assert_eq!(length.bytes, answer.len(), "{text:?}");
            assert_eq!(length.characters, answer.chars().count(), "{text:?}");
            assert_eq!(length.utf16, answer.encode_utf16().count(), "{text:?}");
            assert_eq!(
                length.count(Unit::Tokens),
                answer.len().div_ceil(4),
                "{text:?}"
            );
        }
    }
}
