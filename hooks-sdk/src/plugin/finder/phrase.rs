//! Seed phrases of wallets: twelve or more words in a row, all of them from the list of BIP-39.

use std::{collections::HashSet, ops::RangeInclusive, sync::LazyLock};

use bip39::Language;

/// The shortest phrase, in words.
const SHORTEST: usize = 12;
/// The most bytes between two words: a blank, a comma, a line break with a number.
const BETWEEN: usize = 8;
/// The length of the list's words, in bytes.
const LENGTH: RangeInclusive<usize> = 3..=8;
/// The shortest phrase, in bytes, with one sign between two words.
const SPAN: usize = SHORTEST * (*LENGTH.start() + 1) - 1;

static LISTED: LazyLock<HashSet<u64>> = LazyLock::new(|| {
    let words = Language::English.word_list().iter();
    words.filter_map(|word| key(word.as_bytes())).collect()
});

/// Where seed phrases begin and end, in bytes.
///
/// A phrase is never shorter than [`SPAN`], so that one word in each such span tells whether a phrase could be there.
pub(super) fn find(text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let span = at..at + SPAN;
        at = span.end;
        let Some((mut begin, mut end)) = word_at(text, span.start) else {
            continue;
        };
        let mut length = 1;
        while let Some(word) = word_before(text, begin) {
            begin = word;
            length += 1;
        }
        while let Some(word) = word_after(text, end) {
            end = word;
            length += 1;
        }
        if length >= SHORTEST {
            found.push((begin, end));
        }
        at = at.max(end.next_multiple_of(SPAN));
    }
    found
}

/// The listed word that stands at a place, or is the next one behind it.
fn word_at(text: &str, mut at: usize) -> Option<(usize, usize)> {
    while !text.is_char_boundary(at) {
        at += 1;
    }
    let bytes = text.as_bytes();
    let letters = bytes[..at].iter().rev().take(LENGTH.end() + 1);
    let before = letters
        .take_while(|byte| byte.is_ascii_alphabetic())
        .count();
    let inside = bytes.get(at).is_some_and(u8::is_ascii_alphabetic);
    let begin = if inside { at - before } else { skip(text, at)? };
    (!text[..begin].ends_with(char::is_alphabetic)).then_some(())?;
    Some((begin, word_end(text, begin)?))
}

/// Where the listed word ends that follows the word that ends at `end`.
fn word_after(text: &str, end: usize) -> Option<usize> {
    word_end(text, skip(text, end)?)
}

/// Where the listed word begins that stands before the word that begins at `begin`.
fn word_before(text: &str, begin: usize) -> Option<usize> {
    let mut signs = text[..begin].char_indices().rev().take(BETWEEN + 1);
    let (last, letter) = signs.find(|(_, sign)| sign.is_alphabetic())?;
    let rest = &text[..last + letter.len_utf8()];
    (begin - rest.len() <= BETWEEN).then_some(())?;
    let letters = rest.bytes().rev().take(LENGTH.end() + 1);
    let start = rest.len() - letters.take_while(u8::is_ascii_alphabetic).count();
    let listed = key(&rest.as_bytes()[start..]).is_some_and(|key| LISTED.contains(&key));
    (listed && !rest[..start].ends_with(char::is_alphabetic)).then_some(start)
}

/// Where the next word begins behind a place, if it is near.
fn skip(text: &str, at: usize) -> Option<usize> {
    let mut signs = text[at..].char_indices().take(BETWEEN + 1);
    let (gap, _) = signs.find(|(_, sign)| sign.is_alphabetic())?;
    (gap <= BETWEEN).then_some(at + gap)
}

/// Where the word ends that begins at a place, if the list has it.
fn word_end(text: &str, begin: usize) -> Option<usize> {
    let bytes = &text.as_bytes()[begin..];
    let letters = bytes.iter().take(LENGTH.end() + 1);
    let length = letters
        .take_while(|byte| byte.is_ascii_alphabetic())
        .count();
    let end = begin + length;
    let listed = key(&bytes[..length]).is_some_and(|key| LISTED.contains(&key));
    (listed && !text[end..].starts_with(char::is_alphabetic)).then_some(end)
}

/// The bytes of a word in lower case as one number, if the list has words of its length.
fn key(word: &[u8]) -> Option<u64> {
    let mut key = [0; *LENGTH.end()];
    LENGTH.contains(&word.len()).then(|| {
        key[..word.len()].copy_from_slice(word);
        key.make_ascii_lowercase();
        u64::from_le_bytes(key)
    })
}

#[cfg(test)]
mod tests {
    use super::find;

    const PHRASE: &str =
        "legal winner thank year wave sausage worth useful legal winner thank yellow";

    #[test]
    fn a_phrase_is_found_however_it_is_written() {
        assert_eq!(find(PHRASE), [(0, PHRASE.len())]);
        let told = format!("My words: {PHRASE}, for ever");
        assert_eq!(find(&told), [(10, 10 + PHRASE.len())]);
        let words = PHRASE.split(' ').enumerate();
        let listed: String = words
            .map(|(at, word)| format!("{}. {}\n", at + 1, word.to_uppercase()))
            .collect();
        assert_eq!(find(&listed), [(3, listed.len() - 1)]);
    }

    #[test]
    fn prose_and_short_rows_are_none() {
        let eleven = PHRASE.rsplit_once(' ').map_or("", |(rest, _)| rest);
        for text in [
            "",
            eleven,
            "You can just ask about this any day and there will be someone who must answer",
            "wir haben heute morgen einen neuen server bestellt und dann noch eine platte",
        ] {
            assert_eq!(find(text), [], "{text}");
        }
    }
}
