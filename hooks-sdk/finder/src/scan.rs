//! What is found in a text, and where: one pass of an automaton, and a close look where it stops.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use super::{
    Finding, FindingKind, address,
    escaped::{LEVELS, Unescaped},
    label, number, pem,
    run::Runs,
    shapes::{SHAPES, Shape},
    words,
};

/// What a word that the automaton stops at may be.
#[derive(Clone, Copy, Debug)]
enum WordMeaning {
    /// The beginning of a token.
    Shape(&'static Shape),
    /// The first word of a label.
    Label,
    /// The end of the only word of a label.
    LabelEnd,
    /// The `@` of an e-mail address.
    Email,
    /// The `+` of a phone number.
    Phone,
    /// The `://` of an address with a password.
    Address,
    /// The first line of a private key.
    KeyBegin,
    /// The last line of a private key.
    KeyEnd,
}

struct WordAutomaton {
    automaton: AhoCorasick,
    /// In the order of the automaton's patterns.
    meanings: Vec<WordMeaning>,
}

static WORDS: LazyLock<WordAutomaton> = LazyLock::new(|| {
    let mut words: Vec<(String, WordMeaning)> = vec![
        ("@".to_owned(), WordMeaning::Email),
        ("+".to_owned(), WordMeaning::Phone),
        ("://".to_owned(), WordMeaning::Address),
        (pem::BEGIN.to_owned(), WordMeaning::KeyBegin),
        (pem::END.to_owned(), WordMeaning::KeyEnd),
    ];
    let shapes = SHAPES.iter();
    words.extend(shapes.map(|shape| (shape.beginning().to_owned(), WordMeaning::Shape(shape))));
    words.extend(label::ends().map(|word| (word, WordMeaning::LabelEnd)));
    words.extend(label::first_words().map(|word| (word, WordMeaning::Label)));
    // A DFA: of its kinds the fastest, and built once in a process.
    let automaton = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .kind(Some(AhoCorasickKind::DFA))
        .build(words.iter().map(|(word, _)| word))
        .expect("a test builds it");
    WordAutomaton {
        automaton,
        meanings: words.into_iter().map(|(_, meaning)| meaning).collect(),
    }
});

/// Returns everything in the text that is not to be shown, in order. Findings that overlap are one.
///
/// The text may have any length. The time grows with its length, whatever is in it. A text with escapes of JSON, such as
/// `\n`, is read with and without them, also in JSON inside of a JSON text, three times at most.
pub fn find(text: &str) -> Vec<Finding> {
    find_where(text, |_| true)
}

/// As [`find`], for the kinds alone that `wanted` names: personal data without secrets, or secrets without it.
pub fn find_where(text: &str, wanted: impl Fn(FindingKind) -> bool) -> Vec<Finding> {
    found(text, &wanted, false)
}

/// As [`find_where`]. `eager` also takes a plain word for a password where it could be another word.
pub(super) fn found(text: &str, wanted: &dyn Fn(FindingKind) -> bool, eager: bool) -> Vec<Finding> {
    let mut found = Vec::new();
    once(text, wanted, eager, &mut found);
    let mut levels: Vec<Unescaped> = Vec::new();
    while levels.len() < LEVELS
        && let Some(read) = Unescaped::of(levels.last().map_or(text, |level| &level.text))
    {
        let start = found.len();
        once(&read.text, wanted, eager, &mut found);
        levels.push(read);
        for one in &mut found[start..] {
            for level in levels.iter().rev() {
                (one.start, one.end) = (level.origin(one.start), level.origin(one.end));
            }
        }
    }
    merged(found)
}

/// Adds what is found in a text as it is written.
fn once(text: &str, wanted: &dyn Fn(FindingKind) -> bool, eager: bool, found: &mut Vec<Finding>) {
    let first = found.len();
    let mut add = |kind, rule, (start, end)| {
        // Of many tokens that end with the same run, the first is enough.
        let inside = |last: &Finding| last.kind == kind && last.start < start && end <= last.end;
        if wanted(kind) && !found[first..].last().is_some_and(inside) {
            found.push(Finding {
                kind,
                rule,
                start,
                end,
            });
        }
    };
    let mut runs = Runs::new(text);
    let (mut key_begins, mut key_ends, mut labels) = (Vec::new(), Vec::new(), Vec::new());
    for hit in WORDS.automaton.find_overlapping_iter(text) {
        let (start, end) = (hit.start(), hit.end());
        match WORDS.meanings[hit.pattern().as_usize()] {
            WordMeaning::Shape(shape) => {
                if let Some(end) = shape.end(text, start, &mut runs) {
                    add(shape.kind, shape.rule, (start, end));
                }
            }
            WordMeaning::Label if words::begins(text, start) && words::ends_at(text, end) => {
                labels.push(start)
            }
            WordMeaning::LabelEnd if words::ends_at(text, end) => {
                labels.push(words::start(text, start))
            }
            WordMeaning::Label | WordMeaning::LabelEnd => {}
            WordMeaning::Email => {
                if let Some(place) = address::email(text, start) {
                    add(FindingKind::EmailAddress, "email-address", place);
                }
            }
            WordMeaning::Phone => {
                if let Some(end) = address::phone(text, start) {
                    add(FindingKind::PhoneNumber, "phone-number", (start, end));
                }
            }
            WordMeaning::Address => {
                if let Some(place) = address::password(text, end) {
                    add(FindingKind::Password, "password-in-url", place);
                }
            }
            WordMeaning::KeyBegin if &text[start..end] == pem::BEGIN => {
                key_begins.extend(pem::line(text, end).map(|end| (start, end)));
            }
            WordMeaning::KeyEnd if &text[start..end] == pem::END => {
                key_ends.extend(pem::line(text, end).map(|end| (start, end)));
            }
            WordMeaning::KeyBegin | WordMeaning::KeyEnd => {}
        }
    }
    for place in pem::keys(text, &key_begins, &key_ends) {
        add(FindingKind::PrivateKey, "private-key", place);
    }
    number::find(text, |kind, start, end| {
        let rule = match kind {
            FindingKind::Iban => "iban",
            FindingKind::UsSsn => "us-ssn",
            _ => "credit-card",
        };
        add(kind, rule, (start, end));
    });
    label::find(text, labels, eager, &mut add);
}

fn merged(mut found: Vec<Finding>) -> Vec<Finding> {
    // The longer of two beginnings was met later, and its rule says more.
    found.reverse();
    found.sort_by_key(|one| (one.start, usize::MAX - one.end, one.kind));
    let mut merged: Vec<Finding> = Vec::with_capacity(found.len());
    for one in found {
        match merged.last_mut() {
            Some(last) if one.start < last.end => last.end = last.end.max(one.end),
            _ => merged.push(one),
        }
    }
    merged
}

/// Returns the finding in a value that stands under a name, as `hunter2` does in `{"password": "hunter2"}`. The value
/// counts whatever it looks like. `number` is whether it is a number and no text.
pub fn named(name: &str, value: &str, number: bool) -> Option<Finding> {
    let announces = label::announced(name)?;
    let (kind, rule) = label::kind(announces);
    label::is_named(announces, value, number).then_some(Finding {
        kind,
        rule,
        start: 0,
        end: value.len(),
    })
}

/// Whether a name is one of a secret, so that what lies below it is one.
pub fn names_secret(name: &str) -> bool {
    label::announced(name).is_some()
}
