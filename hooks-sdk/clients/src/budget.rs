//! The length of a hook's text, compared with what each client takes: at compile time, and in `doctor`.

use super::{Capabilities, Limit, TABLE, capabilities::Length};
use hooks_core::{
    lifecycle::Event,
    text::{MAX_TEXT, same},
};

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

/// Returns the first client whose [budget](super::Client::budget) at the event is smaller than this text, the budget,
/// and the text's length.
const fn exceeded(event: Event, text: &str) -> Option<(&'static Capabilities, Limit, usize)> {
    // A longer text is refused in any case, and most texts are short. Neither is measured.
    if text.len() > MAX_TEXT || (HEAD + 3 + MOST_A_BYTE * text.len()) < smallest(event) {
        return None;
    }
    let length = quoted(text);
    let mut at = 0;
    while at < TABLE.len() {
        let client = &TABLE[at];
        let limit = client.budget(event);
        let own = length.count(limit.unit);
        if client.at(event).delivery.reaches_agent() && own > limit.most {
            return Some((client, limit, own));
        }
        at += 1;
    }
    None
}

const fn smallest(event: Event) -> usize {
    let (mut at, mut smallest) = (0, usize::MAX);
    while at < TABLE.len() {
        let limit = TABLE[at].budget(event);
        if limit.most < smallest {
            smallest = limit.most;
        }
        at += 1;
    }
    smallest
}

/// Checks that a text fits into the answers of all clients; in a constant this is a compile error at the caller. `place`
/// is the beginning of the message, for a text whose place is not in Rust code.
#[track_caller]
pub const fn check(place: &str, event: Event, text: &str) {
    if let Some((client, limit, length)) = exceeded(event, text) {
        let words = Words::new()
            .text(place)
            .text("the text has ")
            .number(length)
            .text(" ")
            .text(limit.unit.name())
            .text(" in an answer, and at most ")
            .number(limit.most)
            .text(" are sent to ")
            .text(client.title)
            .text(" at `")
            .text(event.as_str())
            .text("`\nhelp: shorten it; what an agent needs only sometimes can be a skill");
        panic!("{}", words.as_str());
    }
}

/// As [`check`], for a guidance hook at a moment that clients have an event for.
#[track_caller]
pub const fn check_guidance(
    place: &str,
    hook_type: &str,
    lifecycle: &str,
    has_tool: bool,
    text: &str,
) {
    let is_action = same(hook_type, "action");
    if same(lifecycle, "start") && !is_action {
        check(place, Event::SessionStart, text);
    } else if same(lifecycle, "start") && has_tool {
        check(place, Event::PreToolUse, text);
    } else if same(lifecycle, "end") && is_action && has_tool {
        check(place, Event::PostToolUse, text);
    }
}

/// A message that a constant makes. What does not fit is left out.
struct Words {
    bytes: [u8; 1024],
    length: usize,
}

impl Words {
    const fn new() -> Words {
        Words {
            bytes: [0; 1024],
            length: 0,
        }
    }

    const fn text(mut self, text: &str) -> Words {
        let text = text.as_bytes();
        // A part of a text could end within a character.
        if text.len() > self.bytes.len() - self.length {
            return self;
        }
        let mut at = 0;
        while at < text.len() {
            self.bytes[self.length] = text[at];
            self.length += 1;
            at += 1;
        }
        self
    }

    const fn number(self, number: usize) -> Words {
        let words = if number >= 10 {
            self.number(number / 10)
        } else {
            self
        };
        let digit = [b'0' + (number % 10) as u8];
        match std::str::from_utf8(&digit) {
            Ok(digit) => words.text(digit),
            Err(_) => words,
        }
    }

    const fn as_str(&self) -> &str {
        match std::str::from_utf8(self.bytes.split_at(self.length).0) {
            Ok(words) => words,
            Err(_) => "",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ALL, Unit};

    #[test]
    fn a_text_counts_as_its_client_counts() {
        let client_of = |event, text: &str| exceeded(event, text).map(|(client, ..)| client.name);
        let start = Event::SessionStart;
        // 9,900 characters of two and three bytes each, which only a client that counts bytes would cut.
        for letter in ["я", "漢"] {
            assert_eq!(client_of(start, &letter.repeat(9_900)), None, "{letter}");
            assert_eq!(
                client_of(Event::PostToolUse, &letter.repeat(9_900)),
                Some("copilot")
            );
        }
        // 6,000 emoji are 12,000 UTF-16 units.
        assert_eq!(client_of(start, &"😀".repeat(6_000)), Some("claude-code"));
        assert_eq!(client_of(start, &"😀".repeat(4_900)), None);
    }

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

    #[test]
    fn a_text_is_refused_where_a_client_would_not_take_it() {
        for event in Event::ALL {
            let reached = ALL
                .iter()
                .any(|client| client.mapping(event).delivery.reaches_agent());
            assert_eq!(
                exceeded(event, &"a".repeat(10_001)).is_some(),
                reached,
                "{event}"
            );
            assert!(exceeded(event, &"a".repeat(9_900)).is_none(), "{event}");
            // Lines count with their marks.
            assert_eq!(
                exceeded(event, &"a\n".repeat(4_000)).is_some(),
                reached,
                "{event}"
            );
        }
    }

    #[test]
    fn a_message_is_made_of_the_row() {
        let words = Words::new().text("a ").number(10_240).text(" b").number(0);
        assert_eq!(words.as_str(), "a 10240 b0");
        let panic = std::panic::catch_unwind(|| check("", Event::PostToolUse, &"a".repeat(12_000)));
        let words = *panic.unwrap_err().downcast::<String>().unwrap();
        assert!(
            words.starts_with(
                "the text has 12041 UTF-16 units in an answer, and at most 10000 are sent to Claude Code"
            ),
            "{words}"
        );
    }
}
