//! The words of memories and queries, as PostgreSQL's full-text search takes them.
//!
//! The words are the store's own, so that a memory is found by the same words in either database. PostgreSQL's parser
//! gets them apart from each other, and takes none for an address, a path or a tag.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

use crate::store::words::words;

/// PostgreSQL keeps no longer word, in bytes.
const LONGEST: usize = 2000;

/// A text as its words, with a space between them.
pub(in crate::store) fn plain(text: &str) -> String {
    let text: String = text.nfd().filter(|c| !is_combining_mark(*c)).collect();
    let words: Vec<String> = words(&text).filter_map(|word| folded(&word)).collect();
    words.join(" ")
}

/// A word without its accents; `None` when nothing is left.
fn folded(word: &str) -> Option<String> {
    let mut folded = String::new();
    for c in word
        .nfd()
        .filter(|c| c.is_alphanumeric() && !is_combining_mark(*c))
    {
        if folded.len() + c.len_utf8() > LONGEST {
            break;
        }
        folded.push(c);
    }
    (!folded.is_empty()).then_some(folded)
}

/// A word as a part of a query: quoted, with `mark` behind it.
fn lexeme(word: &str, mark: &str) -> Option<String> {
    Some(format!("'{}'{mark}", folded(word)?))
}

/// Finds a word wherever it is.
pub(in crate::store) fn anywhere(word: &str) -> Option<String> {
    lexeme(word, "")
}

/// Finds longer words that begin so, too.
pub(in crate::store) fn beginning(word: &str) -> Option<String> {
    lexeme(word, ":*")
}

/// Finds a word in contents, which have the weight D.
pub(in crate::store) fn in_content(word: &str) -> Option<String> {
    lexeme(word, ":D")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_apart_and_without_accents() {
        assert_eq!(
            plain("Café: cafe\u{301}s, src/main.rs <b> a@b.c"),
            "cafe cafes src main rs b a b c"
        );
        assert_eq!(plain("🦀 ?!"), "");
    }

    #[test]
    fn no_word_is_syntax_or_too_long() {
        assert_eq!(beginning("naïve").as_deref(), Some("'naive':*"));
        assert_eq!(anywhere("'\\"), None);
        assert_eq!(anywhere(&"é".repeat(5000)).unwrap().len(), LONGEST + 2);
    }
}
