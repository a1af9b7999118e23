//! The figures of the README and of the book are those of the page that measures them.

use std::{collections::BTreeSet, fs};

use crate::architecture::root;

/// Returns the numbers in a text.
fn numbers(text: &str) -> BTreeSet<String> {
    let is_part = |letter: char| letter.is_ascii_digit() || ",.".contains(letter);
    let words = text.split(|letter| !is_part(letter));
    let words = words.map(|word| word.trim_matches([',', '.']).to_owned());
    words.filter(|word| !word.is_empty()).collect()
}

/// Returns the part of a page behind one text, and before another.
fn between<'p>(page: &'p str, from: &str, to: &str) -> &'p str {
    let (_, rest) = page.split_once(from).expect("the beginning of the figures");
    rest.split_once(to).map_or(rest, |(part, _)| part)
}

#[test]
fn figures_are_those_of_the_page_of_speed() {
    let read = |name: &str| fs::read_to_string(root().join(name)).expect("a page");
    // The table of features has the size of each, which a test of the packages measures.
    let sources = read("docs/project/speed.md") + &read("hooks-sdk/src/lib.rs");
    let known = numbers(&sources);
    let (readme, scaling) = (read("README.md"), read("docs/src/scaling.md"));
    let parts = [
        ("README.md", between(&readme, "The price,", "## ")),
        (
            "scaling.md",
            between(&scaling, "| ratio | first run |", "## "),
        ),
        (
            "scaling.md",
            between(
                &scaling,
                "The first plugin hook brings",
                "Before an inference",
            ),
        ),
    ];
    for (page, part) in parts {
        let other: Vec<String> = numbers(part).difference(&known).cloned().collect();
        assert!(
            other.is_empty(),
            "{page} has figures that docs/project/speed.md does not have: {other:?}"
        );
    }
}
