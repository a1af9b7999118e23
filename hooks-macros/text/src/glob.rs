//! Globs that match the names of tools: `*`, `?`, `[abc]`, `[a-z]` and `[!a-z]` over a whole name.
//!
//! This is not a crate's glob, because a server's pattern must never make a client slow: matching goes back to the last `*`
//! only, so that its time is bounded by the product of the two lengths.

use crate::problem::Problem;

/// The longest pattern, in bytes.
pub const MAX_GLOB: usize = 1024;

/// A `[` without its `]`.
pub const UNCLOSED: Problem =
    Problem::new("the pattern has a `[` without its `]`\nhelp: add the `]`");
/// Nothing between `[` and `]`.
pub const EMPTY_CLASS: Problem = Problem::new(
    "the pattern has nothing between `[` and `]`\nhelp: write the characters that may stand there",
);
/// A range that ends before it starts.
pub const REVERSED_RANGE: Problem = Problem::new(
    "the pattern has a range that ends before it starts\nhelp: swap its ends, as in `[a-z]`",
);
/// No characters.
pub const EMPTY: Problem =
    Problem::new("the pattern is empty\nhelp: leave it out to match every tool");
/// More than [`MAX_GLOB`] bytes.
pub const TOO_LONG: Problem =
    Problem::new("the pattern is longer than 1024 bytes\nhelp: shorten it with `*`");

/// Returns what is wrong with `pattern`, if anything.
pub fn problem(pattern: &str) -> Option<Problem> {
    let pattern = pattern.as_bytes();
    if pattern.is_empty() {
        return Some(EMPTY);
    }
    if pattern.len() > MAX_GLOB {
        return Some(TOO_LONG);
    }
    let mut at = 0;
    while at < pattern.len() {
        match token(pattern, at) {
            Ok((_, next)) => at = next,
            Err(problem) => return Some(problem),
        }
    }
    None
}

/// Returns whether `pattern` matches one name only: itself.
#[doc(hidden)]
pub fn is_name(pattern: &str) -> bool {
    !pattern.contains(['*', '?', '['])
}

/// Whether `pattern` matches the whole of `name`; a malformed pattern matches nothing.
///
/// `*` is any run of characters, also none; `?` any one; `[…]` one of the characters and ranges between
/// the brackets, `[!…]` one that is not. Case counts, and nothing is escaped: `[*]` is a star.
pub fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name) = (pattern.as_bytes(), name.as_bytes());
    // To match, every token is read, and a malformed one is none. So the pattern is not checked first.
    if pattern.is_empty() || pattern.len() > MAX_GLOB {
        return false;
    }
    let plain = |byte: &u8| !matches!(byte, b'*' | b'?' | b'[');
    let mut p = 0;
    while p < name.len() && pattern.get(p).is_some_and(plain) {
        if pattern[p] != name[p] {
            return false;
        }
        p += 1;
    }
    let mut n = p;
    // Where to continue after a mismatch: after the last star, which then matches one more character of the name.
    let mut star = None;
    loop {
        if p == pattern.len() && n == name.len() {
            return true;
        }
        match token(pattern, p) {
            Ok((Token::Star, next)) if next == pattern.len() => return true,
            Ok((Token::Star, next)) => {
                star = Some((next, n));
                p = next;
                continue;
            }
            Ok((one, next)) if p < pattern.len() && n < name.len() => {
                let (letter, after) = character(name, n);
                if one.takes(pattern, letter) {
                    (p, n) = (next, after);
                    continue;
                }
            }
            _ => {}
        }
        match star {
            Some((behind, taken)) if taken < name.len() => {
                let (_, after) = character(name, taken);
                star = Some((behind, after));
                (p, n) = (behind, after);
            }
            _ => return false,
        }
    }
}

#[derive(Clone, Copy)]
enum Token {
    Star,
    Any,
    Letter(u32),
    /// The bytes between the brackets, after the `!`.
    Class {
        from: usize,
        to: usize,
        negated: bool,
    },
}

impl Token {
    fn takes(self, pattern: &[u8], letter: u32) -> bool {
        match self {
            Token::Star | Token::Any => true,
            Token::Letter(own) => own == letter,
            Token::Class { from, to, negated } => {
                let mut at = from;
                let mut found = false;
                while at < to {
                    let (low, high, next) = range(pattern, at, to);
                    found |= (low..=high).contains(&letter);
                    at = next;
                }
                found != negated
            }
        }
    }
}

/// Returns the token at `at`, and the start of the next one. After the last token it returns `Any`, which is not used.
fn token(pattern: &[u8], at: usize) -> Result<(Token, usize), Problem> {
    if at >= pattern.len() {
        return Ok((Token::Any, at));
    }
    match pattern[at] {
        b'*' => Ok((Token::Star, at + 1)),
        b'?' => Ok((Token::Any, at + 1)),
        b'[' => class(pattern, at + 1),
        _ => {
            let (letter, next) = character(pattern, at);
            Ok((Token::Letter(letter), next))
        }
    }
}

fn class(pattern: &[u8], start: usize) -> Result<(Token, usize), Problem> {
    let negated = start < pattern.len() && pattern[start] == b'!';
    let from = if negated { start + 1 } else { start };
    let mut to = from;
    while to < pattern.len() && pattern[to] != b']' {
        to += 1;
    }
    if to == pattern.len() {
        return Err(UNCLOSED);
    }
    if to == from {
        return Err(EMPTY_CLASS);
    }
    let mut at = from;
    while at < to {
        let (low, high, next) = range(pattern, at, to);
        if low > high {
            return Err(REVERSED_RANGE);
        }
        at = next;
    }
    Ok((Token::Class { from, to, negated }, to + 1))
}

/// Returns the range at `at` inside of a class that ends at `to`; a single letter is a range of one.
fn range(pattern: &[u8], at: usize, to: usize) -> (u32, u32, usize) {
    let (low, next) = character(pattern, at);
    if next + 1 < to && pattern[next] == b'-' {
        let (high, next) = character(pattern, next + 1);
        return (low, high, next);
    }
    (low, low, next)
}

/// Returns the character at `at` of valid UTF-8, and the start of the next one.
fn character(bytes: &[u8], at: usize) -> (u32, usize) {
    let first = bytes[at];
    let (length, bits) = match first {
        0..0x80 => (1, first as u32),
        0x80..0xe0 => (2, (first & 0x1f) as u32),
        0xe0..0xf0 => (3, (first & 0x0f) as u32),
        0xf0..=0xff => (4, (first & 0x07) as u32),
    };
    let mut letter = bits;
    let mut more = 1;
    while more < length {
        letter = letter << 6 | (bytes[at + more] & 0x3f) as u32;
        more += 1;
    }
    (letter, at + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_matches_the_whole_name() {
        for (pattern, name, expected) in [
            ("Bash", "Bash", true),
            ("Bash", "bash", false),
            ("Bash", "BashOutput", false),
            ("mcp__annal__*", "mcp__annal__store_memory", true),
            ("mcp__annal__*", "mcp__other__store_memory", false),
            ("*", "", true),
            ("**", "x", true),
            ("?", "", false),
            ("?", "é", true),
            ("a*b*c", "aXbXbc", true),
            ("a*b*c", "aXbXb", false),
            ("[a-c]?", "b!", true),
            ("[!a-c]", "d", true),
            ("[!a-c]", "b", false),
            ("[а-я]", "ж", true),
            ("é*", "éa", true),
            ("aé", "aè", false),
            ("ab", "a", false),
            ("a", "ab", false),
            ("a**", "a", true),
            ("a*[", "a", false),
            ("[-a]", "-", true),
            ("[a-]", "-", true),
            ("[*]", "*", true),
            ("[*]", "x", false),
            ("{a,b}", "a", false),
            ("", "", false),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern:?} on {name:?}");
        }
    }

    #[test]
    fn malformed_patterns_are_named_and_match_nothing() {
        let long = "a".repeat(MAX_GLOB + 1);
        for (pattern, expected) in [
            ("", EMPTY),
            ("a[b", UNCLOSED),
            ("[!", UNCLOSED),
            ("[]", EMPTY_CLASS),
            ("[!]", EMPTY_CLASS),
            ("[z-a]", REVERSED_RANGE),
            (&long, TOO_LONG),
        ] {
            assert_eq!(problem(pattern), Some(expected), "{pattern:?}");
            assert!(!matches(pattern, pattern));
        }
    }

    #[test]
    fn many_stars_stay_cheap() {
        let pattern = "a*".repeat(MAX_GLOB / 2 - 1) + "b";
        assert!(!matches(&pattern, &"a".repeat(10_000)));
    }
}
