//! Words that say little about what a sentence is about: those that say nothing, and those that do so only together.

use std::{collections::HashMap, sync::LazyLock};

/// What a word says about a subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Says {
    /// Nothing: it joins words, or is said in any conversation.
    Nothing,
    /// Something, together with another: many subjects have it.
    Something,
    /// Much: few subjects have it.
    Much,
}

/// What joins words, what people say to each other, and what they ask of a model, in several languages.
const NOTHING: &str = include_str!("everyday/nothing.txt");

/// Common English words: of daily life, and of work with computers.
const SOMETHING: &str = include_str!("everyday/something.txt");

static KNOWN: LazyLock<HashMap<&str, Says>> = LazyLock::new(|| {
    let lists = [(SOMETHING, Says::Something), (NOTHING, Says::Nothing)];
    let mut known = HashMap::new();
    for (list, says) in lists {
        let lines = list.lines().filter(|line| !line.starts_with('#'));
        known.extend(
            lines
                .flat_map(str::split_whitespace)
                .map(|word| (word, says)),
        );
    }
    known
});

/// What a word in lower case says by itself.
pub(super) fn says(word: &str) -> Says {
    let letters = word.chars().count();
    if letters < 2 {
        return Says::Nothing;
    }
    let known = |word: &str| KNOWN.get(word).copied();
    let singular = || known(word.strip_suffix('s')?);
    match known(word).or_else(singular) {
        Some(says) => says,
        None if letters < 3 || word.bytes().all(|byte| byte.is_ascii_digit()) => Says::Something,
        None => Says::Much,
    }
}
