//! Secrets that the text itself names: `Passwort: …`, `the API key for the shop is …`, `pw …`.

use std::{collections::HashMap, sync::LazyLock};

use crate::{
    find::{Kind, Span, span},
    label_words::{ADVERBS, Announces, CONNECTORS, ENDS, LABELS, ONTO, VERBS, is_one_of},
    value::Value,
};

/// The most words of a label.
const WORDS: usize = 4;
/// The most words between a label and what joins it to its value.
const GAP: usize = 6;

static BY_WORDS: LazyLock<HashMap<&str, Announces>> = LazyLock::new(|| {
    let labels = LABELS.iter();
    let each =
        labels.flat_map(|(announces, labels)| labels.split(", ").map(|label| (label, *announces)));
    each.collect()
});

/// The values that labels announce, in order; each label is looked at once, and no further than its line.
pub(crate) fn find(text: &str) -> Vec<Span> {
    let words = words(text);
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let Some((announces, length)) = label(&words[at..]) else {
            at += 1;
            continue;
        };
        at += length;
        let tail = Tail {
            text,
            words: &words[at..],
            end: words[at - 1].end,
        };
        if let Some(value) = tail.value(announces) {
            let kind = match announces {
                Announces::Key | Announces::Perhaps => Kind::ApiKey,
                Announces::SocialSecurity => Kind::UsSsn,
                _ => Kind::Password,
            };
            let place = value.place(text);
            let behind = place.end;
            found.push(span(kind, place.start, behind));
            at += words[at..].partition_point(|word| word.start < behind);
        }
    }
    found
}

/// A run of letters and digits, in lower case.
#[derive(Debug)]
struct Word {
    start: usize,
    end: usize,
    lower: String,
    /// Whether no line ends, and no clause, between the word before and this one.
    joined: bool,
}

fn words(text: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    for piece in text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|piece| !piece.is_empty())
    {
        let start = piece.as_ptr() as usize - text.as_ptr() as usize;
        let before = words.last().map_or(0, |word| word.end);
        let joined = text[before..start]
            .chars()
            .all(|c| " \u{a0}\t-_'’\"`*()".contains(c));
        words.push(Word {
            start,
            end: start + piece.len(),
            lower: piece.to_lowercase(),
            joined,
        });
    }
    words
}

/// The label that the words begin with, the longest, and how many words it has.
fn label(words: &[Word]) -> Option<(Announces, usize)> {
    let mut name = String::new();
    let mut found = None;
    for (at, word) in words.iter().take(WORDS).enumerate() {
        if at > 0 {
            if !word.joined {
                break;
            }
            name.push(' ');
        }
        name.push_str(&word.lower);
        if let Some(announces) = BY_WORDS.get(&*name) {
            found = Some((*announces, at + 1));
        }
    }
    let ends = |(end, announces): &(&str, Announces)| {
        let word = words.first()?;
        word.lower.ends_with(end).then_some((*announces, 1))
    };
    found.or_else(|| ENDS.iter().find_map(ends))
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
    words: &'t [Word],
    end: usize,
}

impl<'t> Tail<'t> {
    fn value(&self, announces: Announces) -> Option<Value<'t>> {
        if let Some(at) = mark(self.text, self.end) {
            return self.taken(announces, Joint::Mark, at);
        }
        let near = self.words.iter().take(GAP).take_while(|word| word.joined);
        for (at, word) in near.enumerate() {
            let lower = &*word.lower;
            if is_one_of(VERBS, lower) {
                let adverbs = self.words[at + 1..].iter();
                let adverbs =
                    adverbs.take_while(|word| word.joined && is_one_of(ADVERBS, &word.lower));
                let end = adverbs.last().map_or(word.end, |adverb| adverb.end);
                return match mark(self.text, end) {
                    Some(end) => self.taken(announces, Joint::Mark, end),
                    None => self.taken(announces, Joint::Verb, end),
                };
            }
            if is_one_of(ONTO, lower)
                && let Some(value) = self.taken(announces, Joint::None, word.end)
            {
                return Some(value);
            }
            if at == 0 && !is_one_of(CONNECTORS, lower) {
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
