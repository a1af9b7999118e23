//! Long probes: texts near a client's limit, in several scripts, by whose parts a cut is seen.

use std::fmt;

use serde::Serialize;

use crate::Limit;
use hooks_core::lifecycle::{Event, Strength, host::Injected};

/// The part of a limit that a long probe has, in percent.
const PART: usize = 99;

/// How many words a line of a long probe has.
const LINE: usize = 20;

/// The script of a long probe. A character has one to four bytes, and one or two UTF-16 units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
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

    pub(super) fn named(name: &str) -> Option<Script> {
        let mut all = Script::ALL.into_iter();
        all.find(|script| script.words().0 == name)
    }

    /// Makes a text of numbered words that fills 99 % of a limit, in an answer of the server `server`. `nonce` is its first
    /// word.
    pub(super) fn text(self, nonce: &str, event: Event, server: &str, limit: Limit) -> String {
        let text = |words: usize| {
            let mut text = format!("{nonce} is the delivery probe of {event}.");
            for number in 0..words {
                let gap = if number % LINE == 0 { '\n' } else { ' ' };
                text.push_str(&format!("{gap}{}{number:05}", self.words().1));
            }
            text
        };
        let length = |words| {
            limit.length(&Injected::quoted(
                server,
                Strength::Suggestion,
                &text(words),
            ))
        };
        let most = limit.most * PART / 100;
        let (empty, some) = (length(0), length(1_000));
        let mut words = most.saturating_sub(empty) * 1_000 / (some - empty).max(1);
        while words > 0 && length(words) > most {
            words -= 1;
        }
        text(words)
    }
}

impl fmt::Display for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words().0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ALL, Excess};

    #[test]
    fn a_long_probe_fills_the_limit_and_does_not_exceed_it() {
        let event = Event::PostToolUse;
        let budgets = ALL.map(|client| client.budget(event));
        for limit in budgets.into_iter().chain([Limit::bytes(200, Excess::Cut)]) {
            for script in Script::ALL {
                let text = script.text("17", event, "memory", limit);
                let length = limit.length(&Injected::quoted("memory", Strength::Suggestion, &text));
                let (least, most) = (limit.most * 97 / 100, limit.most * 99 / 100);
                let is_long = length > least || limit.most < 1_000;
                assert!(is_long && length <= most, "{limit} {script}: {length}");
                assert!(text.starts_with("17 is the delivery probe of post_tool_use."));
                assert_eq!(Script::named(&script.to_string()), Some(script));
            }
        }
    }
}
