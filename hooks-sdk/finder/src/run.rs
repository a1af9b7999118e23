//! Runs of one alphabet in a text, each measured once.

/// The characters that the body of a token is made of. All are ASCII.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Alphabet {
    /// `A-Z a-z 0-9`
    Letters,
    /// `A-Z a-z 0-9 -`
    Hyphened,
    /// `A-Z a-z 0-9 - _`
    Url,
    /// `A-Z a-z 0-9 - _ /`
    Path,
    /// `A-Z 0-9`
    Upper,
    /// `0-9 a-f`
    Hex,
}

impl Alphabet {
    const COUNT: usize = 6;

    fn has(self, byte: u8) -> bool {
        match self {
            Alphabet::Letters => byte.is_ascii_alphanumeric(),
            Alphabet::Hyphened => byte.is_ascii_alphanumeric() || byte == b'-',
            Alphabet::Url => byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'),
            Alphabet::Path => byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'/'),
            Alphabet::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Alphabet::Hex => byte.is_ascii_digit() || matches!(byte, b'a'..=b'f'),
        }
    }
}

/// The most parts of a shape.
pub(super) const PARTS: usize = 3;

#[derive(Clone, Copy, Default)]
struct Run {
    start: usize,
    end: usize,
    /// Behind its last digit, or 0.
    digit: usize,
}

/// The last run of each alphabet in each part of a shape.
///
/// Many tokens can begin in one run, so that a text of nothing but beginnings would be read once for each of them.
pub(super) struct Runs<'t> {
    text: &'t [u8],
    known: [[Run; Alphabet::COUNT]; PARTS],
}

impl<'t> Runs<'t> {
    pub(super) fn new(text: &'t str) -> Runs<'t> {
        Runs {
            text: text.as_bytes(),
            known: Default::default(),
        }
    }

    /// Returns where the run at `at` ends, and whether it has a digit.
    pub(super) fn end(&mut self, part: usize, alphabet: Alphabet, at: usize) -> (usize, bool) {
        let run = &mut self.known[part][alphabet as usize];
        if !(run.start..run.end).contains(&at) {
            let (mut end, mut digit) = (at, 0);
            while let Some(byte) = self.text.get(end).filter(|byte| alphabet.has(**byte)) {
                end += 1;
                if byte.is_ascii_digit() {
                    digit = end;
                }
            }
            *run = Run {
                start: at,
                end,
                digit,
            };
        }
        (run.end, run.digit > at)
    }
}

/// Whether a byte belongs to a word of ASCII. A letter of another alphabet beside a key does not hide the key.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Whether a word of ASCII could begin at `at`.
pub(super) fn begins(text: &[u8], at: usize) -> bool {
    at.checked_sub(1)
        .is_none_or(|before| !is_word(text[before]))
}

/// Whether a word of ASCII could end at `at`.
pub(super) fn ends(text: &[u8], at: usize) -> bool {
    text.get(at).is_none_or(|byte| !is_word(*byte))
}
