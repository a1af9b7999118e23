//! What a pattern cannot say: check digits, and numbers that are never given out.

/// The shortest and the longest payment card number, in digits.
const CARD: std::ops::RangeInclusive<usize> = 13..=19;

/// The longest header line of a private key, in bytes.
const MAX_HEADER: usize = 256;

pub(crate) fn has_digit(key: &str) -> bool {
    key.bytes().any(|byte| byte.is_ascii_digit())
}

/// Whether it is a number that could have been given out.
pub(crate) fn is_ssn(number: &str) -> bool {
    let separators = number.bytes().filter(|byte| !byte.is_ascii_digit());
    let mut separators: Vec<u8> = separators.collect();
    separators.dedup();
    let parts: Vec<&str> = number.split(['-', ' ']).collect();
    let [area, group, serial] = parts.as_slice() else {
        return false;
    };
    let given = *area != "000" && *area != "666" && !area.starts_with('9');
    separators.len() == 1 && given && *group != "00" && *serial != "0000"
}

/// The payment cards in a run of digits, each made of whole groups; the longest that fits at a place counts.
pub(crate) fn cards(run: &str) -> Vec<(usize, usize)> {
    // Where each digit stands; a group begins where the one before is not its neighbour.
    let digits: Vec<(usize, u8)> = run
        .bytes()
        .enumerate()
        .filter(|(_, byte)| byte.is_ascii_digit())
        .map(|(at, byte)| (at, byte - b'0'))
        .collect();
    let begins = |at: usize| at == 0 || digits[at - 1].0 + 1 < digits[at].0;
    let mut found = Vec::new();
    let mut at = 0;
    while at < digits.len() {
        let lengths = CARD.rev().filter(|length| at + length <= digits.len());
        let ends = |length: &usize| at + length == digits.len() || begins(at + length);
        let card = lengths
            .filter(ends)
            .find(|length| begins(at) && is_card(&digits[at..at + length]));
        at += match card {
            Some(length) => {
                let last = digits[at + length - 1].0;
                found.push((digits[at].0, last + 1));
                length
            }
            None => 1,
        };
    }
    found
}

/// Whether the check digit is right, by Luhn, and the first is one of the card networks'.
fn is_card(digits: &[(usize, u8)]) -> bool {
    let network = digits
        .first()
        .is_some_and(|(_, first)| (2..=6).contains(first));
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(at, (_, digit))| {
            let doubled = u32::from(*digit) * if at % 2 == 1 { 2 } else { 1 };
            doubled / 10 + doubled % 10
        })
        .sum();
    network && sum.is_multiple_of(10)
}

/// Where a key ends whose last line is missing: behind its headers and its base64.
pub(crate) fn end_of_key(text: &str, begin: usize) -> usize {
    let of_key = |c: char| c.is_ascii_alphanumeric() || "+/=\\ \t\r".contains(c);
    let mut end = begin;
    loop {
        let rest = &text[end..];
        if let Some(length) = header(rest) {
            end += length;
            continue;
        }
        let Some(stop) = rest.find(|c| !of_key(c)) else {
            return text.len();
        };
        end += stop;
        if !rest[stop..].starts_with('\n') {
            return end;
        }
        end += 1;
    }
}

/// The length of a header line, if the text begins with one.
fn header(text: &str) -> Option<usize> {
    let length = text
        .bytes()
        .take(MAX_HEADER)
        .position(|byte| byte == b'\n')?;
    let (name, _) = text[..length].split_once(": ")?;
    let named = name
        .bytes()
        .all(|byte| byte.is_ascii_alphabetic() || byte == b'-');
    (named && !name.is_empty()).then_some(length + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cards_are_found_among_other_numbers() {
        for (run, expected) in [
            ("4111111111111111", vec![(0, 16)]),
            ("4111 1111 1111 1111", vec![(0, 19)]),
            ("2026 4111-1111-1111-1111 12", vec![(5, 24)]),
            ("4111111111111112", vec![]),
            ("41111111111111111234", vec![]),
            ("378282246310005 4111111111111111", vec![(0, 15), (16, 32)]),
            ("0000000000000", vec![]),
        ] {
            assert_eq!(cards(run), expected, "{run}");
        }
    }

    #[test]
    fn numbers_that_are_never_given_out_are_none() {
        for good in ["123-45-6789", "123 45 6789"] {
            assert!(is_ssn(good), "{good}");
        }
        for bad in [
            "000-45-6789",
            "666-45-6789",
            "900-45-6789",
            "123-00-6789",
            "123-45-0000",
            "123-45 6789",
        ] {
            assert!(!is_ssn(bad), "{bad}");
        }
    }

    #[test]
    fn a_key_without_an_end_stops_at_prose() {
        let key = "\nProc-Type: 4,ENCRYPTED\n\nMIIE+/==\nabc\n";
        let text = format!("{key}, and so on");
        assert_eq!(end_of_key(&text, 0), key.len());
        assert_eq!(end_of_key("", 0), 0);
    }
}
