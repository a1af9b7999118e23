//! The sentences of the book are short and plain.

use pulldown_cmark::{Event, Tag, TagEnd};

use crate::{
    architecture::root,
    book::{parser, read, written},
};

/// The most words of a sentence.
const MOST_IN_A_SENTENCE: usize = 30;

/// The sentences of a page's paragraphs, items and cells, with inline code as one word.
fn sentences(text: &str) -> Vec<String> {
    let mut blocks: Vec<String> = vec![String::new()];
    let mut in_code = false;
    let mut in_heading = false;
    for event in parser(text) {
        match event {
            Event::Start(Tag::CodeBlock(_)) => in_code = true,
            Event::End(TagEnd::CodeBlock) => in_code = false,
            Event::Start(Tag::Heading { .. }) => in_heading = true,
            Event::End(TagEnd::Heading(_)) => in_heading = false,
            Event::Start(Tag::Paragraph | Tag::Item | Tag::TableCell | Tag::List(_)) => {
                blocks.push(String::new())
            }
            Event::End(TagEnd::Paragraph | TagEnd::Item | TagEnd::TableCell) => {
                blocks.push(String::new())
            }
            Event::Code(_) => blocks.last_mut().expect("one").push_str("CODE"),
            Event::SoftBreak | Event::HardBreak => blocks.last_mut().expect("one").push(' '),
            Event::Text(words) if !in_code && !in_heading => {
                blocks.last_mut().expect("one").push_str(&words)
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    for block in blocks {
        let mut sentence = String::new();
        for word in block.split_whitespace() {
            if !sentence.is_empty() {
                sentence.push(' ');
            }
            sentence.push_str(word);
            let end = word.trim_end_matches([')', '"', '”']);
            let is_abbreviation = ["e.g.", "i.e.", "etc."].contains(&end);
            if end.ends_with(['.', '?', '!', ':']) && !is_abbreviation {
                found.push(std::mem::take(&mut sentence));
            }
        }
        found.push(sentence);
    }
    found.retain(|sentence| !sentence.is_empty());
    found
}

/// Words that readers stumble over, with the reason.
const FORBIDDEN: &[(&str, &str)] = &[
    ("stands", "name the verb: is, has, runs, contains"),
    ("stand", "name the verb: are, have, run, contain"),
    (
        "does not say",
        "a document leaves open, a machine does not report",
    ),
    ("do not say", "documents leave open, machines do not report"),
    ("stand for", "write: mean"),
    ("says", "a machine prints, reports, returns or has"),
    ("said", "a machine prints, reports, returns or has"),
    ("tells", "a machine reports, sends or prints"),
    ("told", "a machine reports, sends or prints"),
    ("anew", "write: again"),
    ("alike", "write: in the same way"),
    ("shall", "write: must"),
    ("comes of age", "write: expires"),
    ("brings about", "write: causes"),
    ("whoever", "name the subject"),
    ("of ours", "write: our"),
];

/// Words behind which `what` is a noun: "in what the client sends". Behind a verb it begins a question: "shows what happens".
const BEFORE_A_NOUN: &[&str] = &[
    "of", "in", "from", "with", "for", "than", "on", "to", "at", "by", "as", "after", "behind",
    "and", "but", "all", "reads", "returns", "needs", "sends", "allows", "about",
];

#[test]
fn sentences_are_short_and_plain() {
    let mut broken = Vec::new();
    let mut pages = written();
    pages.push(root().join("README.md"));
    for page in pages {
        let name = page
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        for sentence in sentences(&read(&page)) {
            let count = sentence.split(' ').count();
            if count > MOST_IN_A_SENTENCE {
                broken.push(format!("{name}: {count} words: {sentence}"));
            }
            let lower: String = sentence
                .to_lowercase()
                .chars()
                .map(|letter| {
                    if letter.is_alphanumeric() || letter == '-' {
                        letter
                    } else {
                        ' '
                    }
                })
                .collect();
            let padded = format!(
                " {} ",
                lower.split_whitespace().collect::<Vec<_>>().join(" ")
            );
            for (word, why) in FORBIDDEN {
                if padded.contains(&format!(" {word} ")) {
                    broken.push(format!("{name}: `{word}` ({why}): {sentence}"));
                }
            }
            // "Who sees what" and "Who decided what" are titles.
            let padded = padded
                .replace(" who sees what ", " ")
                .replace(" who decided what ", " ");
            let is_noun = padded.starts_with(" what ") && count > 4
                || BEFORE_A_NOUN
                    .iter()
                    .any(|word| padded.contains(&format!(" {word} what ")));
            if is_noun && !sentence.ends_with('?') {
                broken.push(format!("{name}: `what` as a noun: {sentence}"));
            }
        }
    }
    assert!(
        broken.is_empty(),
        "{} sentences\n{}",
        broken.len(),
        broken.join("\n")
    );
}

#[test]
fn sentences_end_at_their_marks() {
    let text = "# No\n\nOne `a b` two. Three?\n\n- four: five\n\n```text\nnot. this.\n```\n";
    assert_eq!(
        sentences(text),
        ["One CODE two.", "Three?", "four:", "five"]
    );
}
