//! Texts near a client's limit, in several scripts, by whose parts a cut is seen.

use std::fmt;

use hooks_sdk::{
    clients::Limit,
    lifecycle::{Event, Strength, host::Injected},
};

/// The part of a limit that a long text has, in percent.
const PART: usize = 99;

/// How many words a line of a long text has.
const LINE: usize = 20;

/// A first word of a probe, as long as each other one: it differs at each firing.
const FIRST: &str = "0123456789abcdef";

/// The script of a long text. A character has one to four bytes, and one or two UTF-16 units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Script {
    /// One byte and one unit a character.
    Latin,
    /// Two bytes and one unit.
    Cyrillic,
    /// Three bytes and one unit.
    Cjk,
    /// Four bytes and two units.
    Emoji,
}

impl Script {
    /// All scripts.
    pub const ALL: [Script; 4] = [Script::Latin, Script::Cyrillic, Script::Cjk, Script::Emoji];

    /// Returns the name of the script, and a word in it.
    const fn words(self) -> (&'static str, &'static str) {
        match self {
            Script::Latin => ("Latin", "probe"),
            Script::Cyrillic => ("Cyrillic", "проба"),
            Script::Cjk => ("CJK", "探針測試中"),
            Script::Emoji => ("emoji", "😀🎉🚀🌍🔥"),
        }
    }

    /// Makes what follows the first word of a probe: numbered words that fill 99 % of a limit, in an answer of the server
    /// `server`.
    pub fn text(self, event: Event, server: &str, limit: Limit) -> String {
        let text = |words: usize| {
            let mut text = format!(" is the delivery probe of {event}.");
            for number in 0..words {
                let gap = if number % LINE == 0 { '\n' } else { ' ' };
                text.push_str(&format!("{gap}{}{number:05}", self.words().1));
            }
            text
        };
        let length = |words| length(&text(words), server, limit);
        let most = limit.most * PART / 100;
        let (empty, some) = (length(0), length(1_000));
        let mut words = most.saturating_sub(empty) * 1_000 / (some - empty).max(1);
        while words > 0 && length(words) > most {
            words -= 1;
        }
        text(words)
    }
}

/// Returns the length of such a text in an answer, as the limit counts it.
pub fn length(text: &str, server: &str, limit: Limit) -> usize {
    let text = format!("{FIRST}{text}");
    limit.length(&Injected::quoted(server, Strength::Suggestion, &text))
}

impl fmt::Display for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words().0)
    }
}
