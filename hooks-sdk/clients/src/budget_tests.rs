//! The limits that the compiler checks are those of the table of clients.

use crate::{ALL, Client, Event, budget};

fn too_long_for(event: Event, text: &str) -> Option<&'static str> {
    budget::too_long_for(event.as_str(), text)
}

/// Returns the first client of the table that does not take this text whole, in the shortest answer.
fn too_small(event: Event, text: &str) -> Option<&'static Client> {
    let text = text.trim().replace('\n', "\n> ");
    let answer = format!("Hook of the MCP server `x` (required):\n> {text}");
    ALL.into_iter().find(|row| {
        let budget = row.budget(event);
        row.mapping(event).delivery.reaches_agent() && budget.length(&answer) > budget.most
    })
}

#[test]
fn a_text_counts_as_its_client_counts() {
    let start = Event::SessionStart;
    // 9,900 characters of two and three bytes each, which only a client that counts bytes would cut.
    for letter in ["я", "漢"] {
        assert_eq!(too_long_for(start, &letter.repeat(9_900)), None, "{letter}");
        assert_eq!(
            too_long_for(Event::PostToolUse, &letter.repeat(9_900)),
            Some("GitHub Copilot CLI")
        );
    }
    // 6,000 emoji are 12,000 UTF-16 units.
    assert_eq!(
        too_long_for(start, &"😀".repeat(6_000)),
        Some("Claude Code")
    );
    assert_eq!(too_long_for(start, &"😀".repeat(4_900)), None);
}

#[test]
fn a_text_is_refused_where_a_client_would_not_take_it() {
    for event in Event::ALL {
        let mut clients = ALL.iter();
        let reached = clients.any(|client| client.mapping(event).delivery.reaches_agent());
        assert_eq!(
            too_long_for(event, &"a".repeat(10_001)).is_some(),
            reached,
            "{event}"
        );
        assert!(too_long_for(event, &"a".repeat(9_900)).is_none(), "{event}");
        // Lines count with their marks.
        assert_eq!(
            too_long_for(event, &"a\n".repeat(4_000)).is_some(),
            reached,
            "{event}"
        );
    }
}

/// The help names the place: a client that takes less than all others needs a row there.
#[test]
fn the_limits_of_the_compiler_are_those_of_the_table() {
    // Around 10,000 bytes, characters and UTF-16 units, and at some lengths below.
    let edges = [2_453, 3_306, 4_959, 4_979, 9_918];
    let edges = edges.into_iter().flat_map(|edge| edge - 45..edge + 45);
    let lengths: Vec<usize> = edges.chain((0..11_000).step_by(499)).collect();
    for event in Event::ALL {
        for letter in ["x", "я", "漢", "😀", "x\n", "漢\n"] {
            for &length in &lengths {
                let text = letter.repeat(length);
                if text.len() > hooks_core::text::MAX_TEXT {
                    continue;
                }
                let row = too_small(event, &text);
                assert_eq!(
                    too_long_for(event, &text),
                    row.map(|row| row.title),
                    "{event}, {length} times {letter:?}; help: the limits are in `LIMITS` of \
                     `hooks-macros/text/src/budget.rs`"
                );
            }
        }
    }
}
