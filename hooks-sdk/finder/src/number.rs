//! Numbers: payment cards by their check digit, social security numbers by their separators, IBANs by their checksum.

use super::{
    FindingKind, iban,
    run::{begins, ends},
};

/// The shortest and the longest payment card number, in digits.
const CARD: std::ops::RangeInclusive<usize> = 13..=19;

/// The fewest digits of a payment card, and of an IBAN with its letters.
const FEWEST: usize = *CARD.start();

/// Calls `found` with each card, social security number and IBAN, and where it begins and ends, in bytes.
///
/// Digits with at most one space or hyphen between two of them are one run.
pub(super) fn find(text: &str, mut found: impl FnMut(FindingKind, usize, usize)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(skipped) = bytes[at..].iter().position(u8::is_ascii_digit) {
        let start = at + skipped;
        if let Some(end) = start
            .checked_sub(2)
            .and_then(|begin| iban::end(bytes, begin))
        {
            found(FindingKind::Iban, start - 2, end);
        }
        at = start;
        let mut digits = 0;
        loop {
            let group = bytes[at..]
                .iter()
                .take_while(|byte| byte.is_ascii_digit())
                .count();
            if group == 3 && ssn(bytes, at) {
                found(FindingKind::UsSsn, at, at + SSN);
            }
            digits += group;
            at += group;
            let joined = matches!(bytes.get(at), Some(b' ' | b'-'))
                && bytes.get(at + 1).is_some_and(u8::is_ascii_digit);
            if !joined {
                break;
            }
            at += 1;
        }
        if digits >= FEWEST {
            for (from, to) in cards(&text[start..at]) {
                let (from, to) = (start + from, start + to);
                if !in_uuid(bytes, from, to) {
                    found(FindingKind::CreditCard, from, to);
                }
            }
        }
    }
}

/// The length of a UUID, with its hyphens.
const UUID: usize = 36;

/// Whether these digits are a part of a UUID. One in some thousands of UUIDs has digits that are right for a card.
fn in_uuid(text: &[u8], from: usize, to: usize) -> bool {
    (to.saturating_sub(UUID)..=from).any(|start| {
        let end = start + UUID;
        let is_uuid = |uuid: &[u8]| {
            let is_right = |(at, byte): (usize, &u8)| match at {
                8 | 13 | 18 | 23 => *byte == b'-',
                _ => byte.is_ascii_hexdigit(),
            };
            uuid.iter().enumerate().all(is_right) && uuid.iter().any(u8::is_ascii_alphabetic)
        };
        text.get(start..end).is_some_and(is_uuid) && begins(text, start) && ends(text, end)
    })
}

/// The length of a social security number, with its separators.
const SSN: usize = 11;

/// Whether a social security number stands there by itself, one that could have been given out.
fn ssn(text: &[u8], at: usize) -> bool {
    let number = text
        .get(at..at + SSN)
        .filter(|_| begins(text, at) && ends(text, at + SSN));
    number
        .and_then(|number| std::str::from_utf8(number).ok())
        .is_some_and(is_ssn)
}

/// Whether it is a number that could have been given out.
fn is_ssn(number: &str) -> bool {
    let separators = number.bytes().filter(|byte| !byte.is_ascii_digit());
    let mut separators: Vec<u8> = separators.collect();
    separators.dedup();
    let parts: Vec<&str> = number.split(['-', ' ']).collect();
    let [area, group, serial] = parts.as_slice() else {
        return false;
    };
    let lengths = [area.len(), group.len(), serial.len()] == [3, 2, 4];
    let digits = parts
        .iter()
        .flat_map(|part| part.bytes())
        .all(|byte| byte.is_ascii_digit());
    let given = lengths && digits && *area != "000" && *area != "666" && !area.starts_with('9');
    separators.len() == 1 && given && *group != "00" && *serial != "0000"
}

/// The payment cards in a run of digits, each made of whole groups; the longest that fits at a place counts.
fn cards(run: &str) -> Vec<(usize, usize)> {
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
    fn digits_of_a_uuid_are_no_card() {
        let found = |text: &str| {
            let mut found = Vec::new();
            find(text, |kind, from, to| found.push((kind, from, to)));
            found
        };
        for uuid in [
            "01a20df4-1111-7111-1116-3deabde4b9e5",
            "id=01a20df4-1111-7111-1116-3deabde4b9e5.",
            "01A20DF4-1111-7111-1116-3DEABDE4B9E5",
        ] {
            assert_eq!(found(uuid), [], "{uuid}");
        }
        for card in [
            "f4-1111-7111-1116",
            "01a20df4-1111-7111-1116",
            "01a20df4-1111-7111-1116-3deabde4b9e55",
            "x01a20df4-1111-7111-1116-3deabde4b9e5",
        ] {
            assert_eq!(found(card).len(), 1, "{card}");
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
}
