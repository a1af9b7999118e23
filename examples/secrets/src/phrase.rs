//! Seed phrases of wallets: twelve or more words in a row, all of them from the list of BIP-39.

use bip39::Language;

/// The shortest phrase, in words.
const SHORTEST: usize = 12;
/// The most bytes between two words: a blank, a comma, a line break with a number.
const BETWEEN: usize = 8;
/// The longest word of the list, in bytes.
const LONGEST: usize = 8;

/// Where seed phrases begin and end, in bytes.
pub(crate) fn find(text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let (mut begin, mut end, mut count) = (0, 0, 0);
    for (start, word) in words(text) {
        let listed = is_listed(word);
        let joined = count > 0 && start - end <= BETWEEN && listed;
        if !joined {
            if count >= SHORTEST {
                found.push((begin, end));
            }
            count = 0;
            begin = start;
        }
        if listed {
            count += 1;
            end = start + word.len();
        }
    }
    if count >= SHORTEST {
        found.push((begin, end));
    }
    found
}

/// Runs of letters, and where they begin.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let pieces = text.split(|c: char| !c.is_alphabetic());
    pieces.filter(|piece| !piece.is_empty()).map(|piece| {
        let start = piece.as_ptr() as usize - text.as_ptr() as usize;
        (start, piece)
    })
}

fn is_listed(word: &str) -> bool {
    word.len() <= LONGEST
        && Language::English
            .find_word(&word.to_ascii_lowercase())
            .is_some()
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
