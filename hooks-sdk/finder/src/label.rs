//! Secrets that the text itself names: `Passwort: …`, `the API key for the shop is …`, `login kim / …`.

use std::{
    collections::{BTreeSet, HashMap},
    sync::LazyLock,
};

use super::words::words_of;
use super::{
    FindingKind, REDACTED,
    label_words::{Announces, ENDS, LABELS, PLACES, Role},
    member,
    value::Value,
    words::Words,
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
    let umlauts = |word: &str| [word.to_owned(), word.replace('ö', "Ö").replace('ü', "Ü")];
    words.flat_map(umlauts).collect::<BTreeSet<_>>().into_iter()
}

/// How a label ends that is one word, for the same automaton.
pub(super) fn ends() -> impl Iterator<Item = String> {
    ENDS.iter().map(|(end, _)| (*end).to_owned())
}

/// What the name of a member announces, if it ends with a label, as `apiKey`, `db_password` and `password2` do.
pub(super) fn announced(name: &str) -> Option<Announces> {
    let words = words_of(name);
    let words: Vec<&str> = words.iter().map(|word| &**word).collect();
    let count = words.len();
    let longest = (count.saturating_sub(WORDS)..count).find_map(|from| {
        let found = BY_WORDS.get(&*words[from..].join(" "))?.announces?;
        Some((found, from))
    });
    let by_end = || {
        let last = words.last()?;
        let end = ENDS.iter().find(|(end, _)| last.ends_with(end))?;
        Some((end.1, count - 1))
    };
    let (announces, from) = longest.or_else(by_end)?;
    let of_user = matches!(announces, Announces::Login | Announces::Scheme);
    let place = words[from] == "token" && from > 0 && PLACES.contains(&words[from - 1]);
    (!of_user && !place).then_some(announces)
}

/// Whether the value of a member is a secret by what its name announces, whatever it looks like. `number` is whether it
/// is a number and no text.
pub(super) fn is_named(announces: Announces, value: &str, number: bool) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    match announces {
        Announces::Pin => value.chars().count() >= 4 && digits > 0,
        Announces::CardCode => (3..5).contains(&digits),
        Announces::SocialSecurity => digits == 9,
        Announces::Perhaps => {
            let word = value.to_ascii_lowercase();
            let is_answer = ["yes", "no", "true", "false", "ok", "none", "null"].contains(&&*word);
            !number && !value.trim().is_empty() && value != REDACTED && !is_answer
        }
        _ => !value.trim().is_empty() && value != REDACTED,
    }
}

/// Returns the kind and the rule of what a label announces.
pub(super) fn kind(announces: Announces) -> (FindingKind, &'static str) {
    match announces {
        Announces::Key | Announces::Perhaps | Announces::Scheme => {
            (FindingKind::ApiKey, "generic-api-key")
        }
        Announces::SocialSecurity => (FindingKind::UsSsn, "us-ssn"),
        _ => (FindingKind::Password, "password"),
    }
}

/// Calls `found` with each value that a label announces. The labels begin at some of the places `at`, which are words.
/// `eager` also takes a plain word for a password where it could be another word.
///
/// Each label is looked at once, and no further than its line, or the end of the member that it names.
pub(super) fn find(
    text: &str,
    mut at: Vec<usize>,
    eager: bool,
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
        if is_place(&text[start..end], &text[..start]) {
            continue;
        }
        behind = end;
        let (kind, rule) = kind(announces);
        if let Some(at) = member::value(text, end) {
            if !matches!(announces, Announces::Login | Announces::Scheme) {
                for place in member::texts(text, at) {
                    behind = behind.max(place.end);
                    let number = member::is_number(text, &place);
                    if is_named(announces, &text[place.clone()], number) {
                        found(kind, rule, (place.start, place.end));
                    }
                }
            }
            continue;
        }
        let tail = Tail { text, end, eager };
        if let Some(value) = tail.value(announces) {
            let place = value.place(text);
            behind = place.end;
            found(kind, rule, (place.start, place.end));
        }
    }
}

/// Whether a token is a place in a list, as in `next_page_token` and `nextPageToken`.
fn is_place(label: &str, before: &str) -> bool {
    let label = label.to_ascii_lowercase();
    let Some(compound) = label.strip_suffix("token") else {
        return false;
    };
    if !compound.is_empty() {
        return PLACES.iter().any(|place| compound.ends_with(place));
    }
    let before = before.strip_suffix(['_', '-', ' ']).unwrap_or_default();
    let from = before.len()
        - before
            .bytes()
            .rev()
            .take(16)
            .take_while(u8::is_ascii_alphabetic)
            .count();
    PLACES
        .iter()
        .any(|place| before[from..].eq_ignore_ascii_case(place))
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
    /// Words that say what the label is for, and then a mark or a verb.
    Far,
    /// Nothing, or `to`.
    None,
}

/// The text after a label.
struct Tail<'t> {
    text: &'t str,
    end: usize,
    eager: bool,
}

impl<'t> Tail<'t> {
    fn value(&self, announces: Announces) -> Option<Value<'t>> {
        if announces == Announces::Scheme {
            let value = Value::at(self.text, self.end)?;
            let (length, padded) = (value.text.len(), value.ends_with(self.text, '='));
            return (length >= 16 && value.is_telling() || length >= 7 && padded).then_some(value);
        }
        let own = (announces != Announces::Login).then(|| self.announced(announces));
        own.flatten().or_else(|| match announces {
            Announces::Login | Announces::Key | Announces::Perhaps => self.behind_name(),
            _ => None,
        })
    }

    fn announced(&self, announces: Announces) -> Option<Value<'t>> {
        if let Some(at) = mark(self.text, self.end) {
            return self.taken(announces, Joint::Mark, at);
        }
        let mut near = Words {
            text: self.text,
            at: self.end,
        };
        for gap in 0..GAP {
            let Some(word) = near.next().filter(|word| word.joined) else {
                break;
            };
            let role = Role::of(&word.lower);
            if role.verb {
                let joint = if gap == 0 { Joint::Verb } else { Joint::Far };
                let (joint, at) = match mark(self.text, word.end) {
                    Some(at) if gap == 0 => (Joint::Mark, at),
                    Some(at) => (joint, at),
                    None => (joint, word.end),
                };
                let value = self.taken(announces, joint, at);
                // One word may be between them, as in `is now hunter2`, and one more: `was changed to hunter2`.
                return value.or_else(|| {
                    let mut between = Words {
                        text: self.text,
                        at,
                    };
                    let first = between.next().filter(|word| word.joined)?;
                    let second = || {
                        let second = between.next().filter(|word| word.joined)?;
                        let onto = Role::of(&second.lower).onto;
                        onto.then(|| self.taken(announces, Joint::None, second.end))?
                    };
                    self.taken(announces, Joint::None, first.end)
                        .or_else(second)
                });
            }
            if role.onto
                && let Some(value) = self.taken(announces, Joint::None, word.end)
            {
                return Some(value);
            }
            if let Some(at) = mark(self.text, word.end) {
                return self.taken(announces, Joint::Far, at);
            }
        }
        self.taken(announces, Joint::None, self.end)
    }

    /// The password behind a user's name: `kim / hunter2`.
    fn behind_name(&self) -> Option<Value<'t>> {
        let at = mark(self.text, self.end).unwrap_or(self.end);
        let mut names = Words {
            text: self.text,
            at,
        };
        // An address is a name of several words.
        for _ in 0..WORDS {
            let name = names.next()?;
            let between = &self.text[at..name.start];
            if between.len() > 64 || between.contains(['\n', '/', ';', ',']) {
                return None;
            }
            let rest = &self.text[name.end..];
            let behind = rest.trim_start_matches([' ', '\t']);
            let spaced = behind.len() < rest.len();
            let sign = behind.chars().next()?;
            let joins = match sign {
                '/' => spaced && behind[1..].starts_with(' '),
                '|' => true,
                _ => false,
            };
            if joins {
                let value = Value::at(self.text, self.text.len() - behind.len() + 1)?;
                let counts = value.is_telling() || self.eager && value.is_word();
                return counts.then_some(value);
            }
            if spaced {
                return None;
            }
        }
        None
    }

    /// The value that begins there, if it is one of that kind.
    fn taken(&self, announces: Announces, joint: Joint, at: usize) -> Option<Value<'t>> {
        let mut value = Value::at(self.text, at)?;
        // The scheme of an `Authorization` is no secret, what follows it is.
        if ["bearer", "basic", "token"].contains(&&*value.text.to_lowercase()) {
            value = Value::at(self.text, value.place(self.text).end)?;
        }
        let telling = value.is_telling();
        let quoted = || value.quoted && value.is_word();
        let word = || match joint {
            Joint::Mark => value.is_word(),
            Joint::Verb | Joint::Far => quoted() || self.eager && value.is_word(),
            Joint::None => false,
        };
        let counts = match (announces, joint) {
            (Announces::Pin, _) => value.is_digits(4..13),
            (Announces::CardCode, _) => value.is_digits(3..5),
            (Announces::SocialSecurity, _) => value.is_digits(9..10),
            (Announces::Perhaps, Joint::Mark | Joint::Verb) => {
                telling || (self.eager || self.is_assigned(at)) && word()
            }
            (Announces::Perhaps, _) => false,
            (Announces::Short, Joint::None) => telling || value.is_word(),
            (Announces::Password | Announces::Key, Joint::None) => telling && value.text.len() >= 6,
            (Announces::Key, _) => telling || word(),
            (Announces::Password | Announces::Short, Joint::Far) => telling || word(),
            (Announces::Password | Announces::Short, _) => {
                telling || word() || value.is_digits(4..65)
            }
            (Announces::Login | Announces::Scheme, _) => false,
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
