//! Secrets that the text itself names: `Passwort: …`, `the API key for the shop is …`, `pw …`.

use std::{
    collections::{BTreeSet, HashMap},
    sync::LazyLock,
};

use super::{
    FindingKind,
    label_words::{Announces, ENDS, LABELS, Role},
    value::Value,
};

/// The most words of a label.
const WORDS: usize = 4;
/// The most words between a label and what joins it to its value.
const GAP: usize = 6;

/// Each label with what it announces, and the beginnings of longer labels.
static BY_WORDS: LazyLock<HashMap<&str, Beginning>> = LazyLock::new(|| {
    let mut beginnings = HashMap::<&str, Beginning>::new();
    for (announces, labels) in LABELS {
        for label in labels.split(", ") {
            beginnings.entry(label).or_default().announces = Some(*announces);
            for (blank, _) in label.match_indices(' ') {
                beginnings.entry(&label[..blank]).or_default().goes_on = true;
            }
        }
    }
    beginnings
});

/// What words at the beginning of a label mean.
#[derive(Clone, Copy, Debug, Default)]
struct Beginning {
    announces: Option<Announces>,
    /// Whether a longer label begins with them.
    goes_on: bool,
}

/// The first words of all labels, for an automaton that ignores the case of ASCII.
pub(super) fn first_words() -> impl Iterator<Item = String> {
    let labels = BY_WORDS.keys();
    let words = labels.filter_map(|label| label.split(' ').next());
    words.collect::<BTreeSet<_>>().into_iter().flat_map(cases)
}

/// How a label ends that is one word, for the same automaton.
pub(super) fn ends() -> impl Iterator<Item = String> {
    ENDS.iter().flat_map(|(end, _)| cases(end))
}

/// A word in lower case with each of its letters beyond ASCII in either case.
fn cases(word: &str) -> Vec<String> {
    let mut cases = vec![String::new()];
    for letter in word.chars() {
        let upper = letter.to_uppercase().to_string();
        let other = (!letter.is_ascii()
            && upper.chars().count() == 1
            && !upper.starts_with(letter))
        .then(|| {
            cases
                .iter()
                .map(|case| case.clone() + &upper)
                .collect::<Vec<_>>()
        });
        cases.iter_mut().for_each(|case| case.push(letter));
        cases.extend(other.into_iter().flatten());
    }
    cases
}

/// Whether a word begins at `at`.
pub(super) fn begins(text: &str, at: usize) -> bool {
    match at.checked_sub(1).map(|before| text.as_bytes()[before]) {
        None => true,
        Some(byte) if byte.is_ascii() => !byte.is_ascii_alphanumeric(),
        Some(_) => !text[..at].ends_with(char::is_alphanumeric),
    }
}

/// Whether a word ends at `at`.
pub(super) fn ends_at(text: &str, at: usize) -> bool {
    match text.as_bytes().get(at) {
        None => true,
        Some(byte) if byte.is_ascii() => !byte.is_ascii_alphanumeric(),
        Some(_) => !text[at..].starts_with(char::is_alphanumeric),
    }
}

/// Where the word begins that goes on at `at`.
pub(super) fn start(text: &str, at: usize) -> usize {
    text[..at].trim_end_matches(char::is_alphanumeric).len()
}

/// Where the words of a text begin.
#[cfg(feature = "policy")]
pub(super) fn words(text: &str) -> impl Iterator<Item = usize> {
    let mut words = Words { text, at: 0 };
    std::iter::from_fn(move || words.next().map(|word| start(text, word.end)))
}

/// Whether a name ends with a label, as `apiKey` and `db_password` do.
#[cfg(feature = "policy")]
pub(super) fn is_label(name: &str) -> bool {
    let ends = |at| label(Words { text: name, at }).is_some_and(|(_, end)| end == name.len());
    words(name).any(ends)
}

/// Calls `found` with each value that a label announces. The labels begin at some of the places `at`, which are words.
///
/// Each label is looked at once, and no further than its line.
pub(super) fn find(
    text: &str,
    mut at: Vec<usize>,
    mut found: impl FnMut(FindingKind, &'static str, (usize, usize)),
) {
    at.sort_unstable();
    let mut behind = 0;
    for start in at {
        if start < behind {
            continue;
        }
        let words = Words { text, at: start };
        let Some((announces, end)) = label(words) else {
            continue;
        };
        behind = end;
        let tail = Tail { text, end };
        if let Some(value) = tail.value(announces) {
            let (kind, rule) = match announces {
                Announces::Key | Announces::Perhaps => (FindingKind::ApiKey, "generic-api-key"),
                Announces::SocialSecurity => (FindingKind::UsSsn, "us-ssn"),
                _ => (FindingKind::Password, "password"),
            };
            let place = value.place(text);
            behind = place.end;
            found(kind, rule, (place.start, place.end));
        }
    }
}

/// A run of letters and digits, in lower case.
#[derive(Debug)]
struct Word {
    end: usize,
    lower: String,
    /// Whether no line ends, and no clause, between the word before and this one.
    joined: bool,
}

/// The words of a text from a place on.
#[derive(Clone, Copy, Debug)]
struct Words<'t> {
    text: &'t str,
    at: usize,
}

impl Iterator for Words<'_> {
    type Item = Word;

    fn next(&mut self) -> Option<Word> {
        let start = skip(self.text, self.at, false);
        let gap = &self.text[self.at..start];
        self.at = skip(self.text, start, true);
        (start < self.at).then(|| Word {
            end: self.at,
            lower: self.text[start..self.at].to_lowercase(),
            joined: gap.chars().all(|c| {
                matches!(
                    c,
                    ' ' | '\u{a0}' | '\t' | '-' | '_' | '\'' | '’' | '"' | '`' | '*' | '(' | ')'
                )
            }),
        })
    }
}

/// Where the letters and digits, or the other signs, end that begin at a place.
fn skip(text: &str, mut at: usize, letters: bool) -> usize {
    let bytes = text.as_bytes();
    loop {
        let same = |byte: &&u8| byte.is_ascii() && byte.is_ascii_alphanumeric() == letters;
        at += bytes[at..].iter().take_while(same).count();
        if bytes.get(at).is_none_or(u8::is_ascii) {
            return at;
        }
        match text[at..].chars().next() {
            Some(sign) if sign.is_alphanumeric() == letters => at += sign.len_utf8(),
            _ => return at,
        }
    }
}

/// The label that the words begin with, the longest, and where it ends.
fn label(mut words: Words<'_>) -> Option<(Announces, usize)> {
    let first = words.next()?;
    let mut found = ENDS
        .iter()
        .find(|(end, _)| first.lower.ends_with(end))
        .map(|(_, announces)| (*announces, first.end));
    let (mut name, mut end) = (first.lower, first.end);
    for _ in 0..WORDS {
        let Some(beginning) = BY_WORDS.get(&*name) else {
            break;
        };
        found = beginning
            .announces
            .map(|announces| (announces, end))
            .or(found);
        if !beginning.goes_on {
            break;
        }
        let Some(word) = words.next().filter(|word| word.joined) else {
            break;
        };
        name = name + " " + &word.lower;
        end = word.end;
    }
    found
}

/// How a value is joined to its label.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Joint {
    /// `:`, `=` or an arrow.
    Mark,
    /// `is`.
    Verb,
    /// Nothing.
    None,
}

/// The text after a label.
struct Tail<'t> {
    text: &'t str,
    end: usize,
}

impl<'t> Tail<'t> {
    fn value(&self, announces: Announces) -> Option<Value<'t>> {
        if let Some(at) = mark(self.text, self.end) {
            return self.taken(announces, Joint::Mark, at);
        }
        let mut near = Words {
            text: self.text,
            at: self.end,
        };
        for at in 0..GAP {
            let Some(word) = near.next().filter(|word| word.joined) else {
                break;
            };
            let role = Role::of(&word.lower);
            if role.verb {
                let adverbs = near.take_while(|word| word.joined && Role::of(&word.lower).adverb);
                let end = adverbs.last().map_or(word.end, |adverb| adverb.end);
                return match mark(self.text, end) {
                    Some(end) => self.taken(announces, Joint::Mark, end),
                    None => self.taken(announces, Joint::Verb, end),
                };
            }
            if role.onto
                && let Some(value) = self.taken(announces, Joint::None, word.end)
            {
                return Some(value);
            }
            if at == 0 && !role.connector {
                break;
            }
            if let Some(end) = mark(self.text, word.end) {
                return self.taken(announces, Joint::Mark, end);
            }
        }
        self.taken(announces, Joint::None, self.end)
    }

    /// The value that begins there, if it is one of that kind.
    fn taken(&self, announces: Announces, joint: Joint, at: usize) -> Option<Value<'t>> {
        let mut value = Value::at(self.text, at)?;
        // The scheme of an `Authorization` is no secret, what follows it is.
        if ["bearer", "basic", "token"].contains(&&*value.text.to_lowercase()) {
            value = Value::at(self.text, value.place(self.text).end)?;
        }
        let telling = value.is_telling();
        let word = || value.is_word(joint == Joint::Verb);
        let counts = match (announces, joint) {
            (Announces::Pin, _) => value.is_digits(4..13),
            (Announces::CardCode, _) => value.is_digits(3..5),
            (Announces::SocialSecurity, _) => value.is_digits(9..10),
            (Announces::Perhaps, _) => {
                telling || joint == Joint::Mark && self.is_assigned(at) && word()
            }
            (Announces::Short, Joint::None) => telling || word(),
            (Announces::Password | Announces::Key, Joint::None) => telling && value.text.len() >= 6,
            (Announces::Key, _) => telling || word(),
            (Announces::Password | Announces::Short, _) => {
                telling || word() || value.is_digits(4..65)
            }
        };
        counts.then_some(value)
    }

    fn is_assigned(&self, at: usize) -> bool {
        self.text[..at].ends_with('=')
    }
}

/// Where a `:`, a `=` or an arrow ends that stands there, behind closing quotation marks.
fn mark(text: &str, at: usize) -> Option<usize> {
    let rest =
        text[at..].trim_start_matches([' ', '\t', '\u{a0}', '"', '\'', '`', '*', '_', ')', ']']);
    let marks = [":=", "=>", "->", "→", "：", ":", "="];
    let mark = marks.into_iter().find(|mark| rest.starts_with(mark))?;
    let behind = &rest[mark.len()..];
    // A path of a program, a comparison, an address.
    let other = behind.starts_with([':', '=', '/']) || rest.starts_with("::");
    (!other).then(|| text.len() - behind.len())
}
