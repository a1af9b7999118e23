//! The search for a hook's text in what the model was told.

use std::{fmt, ops::Range};

use serde::Serialize;

use super::stand_in::RequestText;

/// How many letters are enough to know a text by a part of it.
const TELLING: usize = 12;

/// The part of a text, in letters, by which a cut text is known; half of a shorter text.
const MOST_TELLING: usize = 200;

/// Where a text is in the requests of the agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Where {
    /// The first request that has it, from 1.
    pub request: usize,
    /// Who says it: `system`, `developer`, `user`, `tool result` or `tool description`.
    pub role: String,
    /// How often one request has it in one role, at most.
    #[serde(skip)]
    pub(super) times: usize,
    /// The part that is missing; `None` if the client kept the text whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut: Option<Cut>,
}

/// The part of a text that the client cut, in characters of the text without the line that names its server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Cut {
    /// The number of characters of the text.
    pub of: usize,
    /// How many of its first characters are there.
    pub first: usize,
    /// How many of its last characters are there.
    pub last: usize,
}

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Cut { of, first, last } = self;
        match (first, last) {
            (0, last) => write!(
                f,
                "its beginning: the last {last} of {of} characters are there"
            ),
            (first, 0) => write!(f, "its end: the first {first} of {of} characters are there"),
            (first, last) => write!(
                f,
                "its middle: the first {first} and the last {last} of {of} characters are there"
            ),
        }
    }
}

/// The requests of the agent, for searching.
#[derive(Debug)]
pub struct Requests(Vec<Vec<(String, String)>>);

impl Requests {
    /// Prepares the requests for searching.
    pub fn of(requests: &[Vec<RequestText>]) -> Requests {
        let letters = |told: &RequestText| (told.role.clone(), letters(&told.text));
        let each = requests
            .iter()
            .map(|told| told.iter().map(letters).collect());
        Requests(each.collect())
    }

    /// Searches a text by its letters, digits and signs: clients quote, escape and wrap it.
    pub(super) fn find(&self, text: &str) -> Option<Where> {
        // The first line, which names the server, is in all texts.
        let own = text.split_once('\n').map_or(text, |(_, own)| own);
        if letters(own).is_empty() {
            return None;
        }
        let found = self.find_letters(&letters(text));
        // An escape in the text itself is still there after the client has escaped it once more.
        let found = found.or_else(|| self.find_letters(&plain(text)));
        let found = found.or_else(|| self.find_parts(own, &marked(own)));
        found.or_else(|| {
            let all = own.char_indices();
            let kept: Vec<(usize, char)> = all.filter(|(_, letter)| is_kept(*letter)).collect();
            self.find_parts(own, &kept)
        })
    }

    /// Returns whether a request has the whole text.
    pub fn has(&self, text: &str) -> bool {
        self.find(text).is_some_and(|place| place.cut.is_none())
    }

    /// Returns how often a text is a part of these texts, which is how often a request may have it.
    pub(super) fn within<'t>(text: &str, texts: impl Iterator<Item = &'t str>) -> usize {
        let text = letters(text);
        if text.is_empty() {
            return 0;
        }
        texts.map(|all| letters(all).matches(&text).count()).sum()
    }

    fn find_letters(&self, letters: &str) -> Option<Where> {
        if letters.is_empty() {
            return None;
        }
        // Claude Code says the reason not to stop to its agent twice, in two roles.
        let times = |told: &[(String, String)]| {
            let in_role = |role: &String| {
                let same = told.iter().filter(|(other, _)| other == role);
                same.map(|(_, text)| text.matches(letters).count())
                    .sum::<usize>()
            };
            told.iter()
                .map(|(role, _)| in_role(role))
                .max()
                .unwrap_or_default()
        };
        let mut all = self.0.iter().enumerate();
        let (at, told) = all.find(|(_, told)| times(told) > 0)?;
        let (role, _) = told.iter().find(|(_, text)| text.contains(letters))?;
        Some(Where {
            request: at + 1,
            role: role.clone(),
            times: self
                .0
                .iter()
                .map(|told| times(told))
                .max()
                .unwrap_or_default(),
            cut: None,
        })
    }

    /// Searches the beginning and the end of a text, as much of each as one place has. `kept` are its letters with their
    /// places.
    fn find_parts(&self, own: &str, kept: &[(usize, char)]) -> Option<Where> {
        let enough = (kept.len() / 2).clamp(TELLING, MOST_TELLING);
        let part = |range: Range<usize>| -> String {
            kept[range].iter().map(|(_, letter)| *letter).collect()
        };
        let mut best: Option<(usize, Where)> = None;
        for (at, told) in self.0.iter().enumerate() {
            for (role, text) in told {
                let first = longest(kept.len(), |length| text.contains(&part(0..length)));
                let rest = kept.len() - first;
                let last = longest(rest, |length| {
                    text.contains(&part(kept.len() - length..kept.len()))
                });
                // A few letters are also in other texts.
                let telling = |length| if length < TELLING { 0 } else { length };
                let (first, last) = (telling(first), telling(last));
                if first + last < enough
                    || best.as_ref().is_some_and(|(most, _)| *most >= first + last)
                {
                    continue;
                }
                let before = |at: usize| {
                    let end = kept.get(at).map_or(own.len(), |(end, _)| *end);
                    own[..end].chars().count()
                };
                let of = own.chars().count();
                let cut = Cut {
                    of,
                    first: if first == 0 { 0 } else { before(first) },
                    last: of - before(kept.len() - last),
                };
                let place = Where {
                    request: at + 1,
                    role: role.clone(),
                    times: 1,
                    cut: Some(cut),
                };
                best = Some((first + last, place));
            }
        }
        best.map(|(_, place)| place)
    }
}

/// Returns the greatest length up to `most` that holds, if every shorter one holds too.
fn longest(most: usize, holds: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, most);
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        if holds(middle) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    low
}

/// Returns whether a client leaves this character as it is: not white space, and no character with a meaning in JSON, HTML
/// or markdown.
fn is_kept(letter: char) -> bool {
    let is_escaped = matches!(letter, '\\' | '"' | '\'' | '<' | '>' | '&' | '`');
    !letter.is_whitespace() && !letter.is_control() && !is_escaped
}

fn plain(text: &str) -> String {
    text.chars().filter(|letter| is_kept(*letter)).collect()
}

/// Returns the letters, digits and signs of a text, without escapes of JSON and HTML.
fn letters(text: &str) -> String {
    let marked = marked(text).into_iter();
    marked.map(|(_, letter)| letter).collect()
}

/// Returns the same letters, each with its place in the text.
fn marked(text: &str) -> Vec<(usize, char)> {
    let mut letters = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(letter) = text[at..].chars().next() {
        let rest = &text[at..];
        let (said, skipped) = match letter {
            '\\' => escaped(rest).map_or((None, 2), |(said, length)| (Some(said), length)),
            '&' => ["&lt;", "&gt;", "&amp;", "&quot;", "&#39;"]
                .iter()
                .find(|escape| rest.starts_with(**escape))
                .map_or((None, 1), |escape| (None, escape.len())),
            _ => (Some(letter), letter.len_utf8()),
        };
        letters.extend(
            said.filter(|letter| is_kept(*letter))
                .map(|letter| (at, letter)),
        );
        at = (at + skipped).min(text.len());
        while !text.is_char_boundary(at) {
            at += 1;
        }
    }
    letters
}

/// Returns the character of an escape such as `\u00e9`, or of a pair of them, and the length of the escape.
fn escaped(text: &str) -> Option<(char, usize)> {
    let unit = |at: usize| {
        let escape = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(escape, 16).ok()
    };
    let units: Vec<u16> = [unit(0), unit(6)]
        .into_iter()
        .map_while(|unit| unit)
        .collect();
    let character = char::decode_utf16(units).next()?.ok()?;
    Some((character, character.len_utf16() * 6))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::prove) fn requests(all: &[&[(&str, &str)]]) -> Requests {
        let told = |(role, text): &(&str, &str)| RequestText {
            role: role.to_string(),
            text: text.to_string(),
        };
        let all: Vec<Vec<RequestText>> = all
            .iter()
            .map(|each| each.iter().map(told).collect())
            .collect();
        Requests::of(&all)
    }

    #[test]
    fn a_text_is_found_however_the_client_quotes_it() {
        let text = "Hook of `a` (must):\n> Say \"é\" & <b>, C:\\n, and so much more of the same.";
        for written in [
            text.to_owned(),
            serde_json::to_string(text).expect("JSON"),
            text.replace('&', "&amp;")
                .replace('<', "&lt;")
                .replace('>', "&gt;"),
            format!("before {} after", text.replace('\n', "\r\n   ")),
        ] {
            let found = requests(&[&[("system", "other")], &[("user", &written)]]).find(text);
            let found = found.unwrap_or_else(|| panic!("{written}"));
            assert_eq!(
                (found.request, &*found.role, found.times, found.cut),
                (2, "user", 1, None)
            );
        }
        let half = requests(&[&[("user", &text[..text.len() - 8])]])
            .find(text)
            .expect("the beginning");
        assert!(half.cut.is_some());
        assert_eq!(requests(&[&[("user", "Hook of")]]).find(text), None);
        assert_eq!(requests(&[&[("user", "x")]]).find("…"), None);
        let escapes = r#"{"text":"Say \u0437\u0434 \ud83d\ude00, and so on."}"#;
        let found = requests(&[&[("user", escapes)]]).find("Say зд 😀, and so on.");
        assert_eq!(found.map(|found| found.cut), Some(None));
    }

    #[test]
    fn a_cut_is_named_with_its_place() {
        let head = "Hook of the MCP server `a` (suggestion):\n> ";
        let own: String = (0..400).map(|number| format!("{number} я, ")).collect();
        let text = format!("{head}{own}");
        let characters: Vec<char> = own.chars().collect();
        let half = |range: std::ops::Range<usize>| characters[range].iter().collect::<String>();
        let all = characters.len();
        let cut_of = |said: String| {
            let found = requests(&[&[("system", "other")], &[("developer", &said)]]).find(&text);
            let found = found.expect("a part");
            assert_eq!((found.request, &*found.role), (2, "developer"));
            found.cut.expect("a cut").to_string()
        };
        let middle = format!(
            "{head}{}… tokens truncated …{}",
            half(0..900),
            half(all - 700..all)
        );
        let cut = cut_of(middle);
        assert!(cut.starts_with("its middle: the first 9"), "{cut}");
        assert!(cut.contains(" and the last 70"), "{cut}");
        let end = cut_of(format!("saved to /f\n{head}{}…", half(0..1_500)));
        assert!(end.starts_with("its end: the first 15"), "{end}");
        let beginning = cut_of(format!("… {}", half(all - 500..all)));
        assert!(
            beginning.starts_with("its beginning: the last 50"),
            "{beginning}"
        );
        // A text that only begins alike is another.
        let other = requests(&[&[("user", "Hook of the MCP server: 0 я, 1 я, 2 я, no more")]]);
        assert_eq!(other.find(&text), None);
    }

    #[test]
    fn a_text_of_signs_is_counted_as_often_as_it_is_there() {
        let text = |own: &str| format!("Hook of the MCP server `a` (suggestion):\n> {own}");
        let told = format!("{}\n\n{}\n\n{}", text("→ ✓"), text("!!! ???"), text("😀😀"));
        let all = requests(&[&[("user", &told)]]);
        for own in ["→ ✓", "!!! ???", "😀😀"] {
            let found = all.find(&text(own)).expect(own);
            assert_eq!((found.times, found.cut), (1, None), "{own}");
        }
        assert_eq!(all.find(&text("✗ ✗")), None);
        // Nothing of it can be known.
        assert_eq!(all.find(&text("<<< >>>")), None);
        let said = [text("→ ✓"), text("→ ✓ and more"), text("→ ✓")];
        let within = Requests::within(&said[0], said.iter().map(String::as_str));
        assert_eq!(within, 3);
    }
}
