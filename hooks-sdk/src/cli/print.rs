//! The output of commands: results on standard output, failures on standard error.

use std::process::ExitCode;

pub(super) use hooks_text::terminal::{clip, listed};
use hooks_text::terminal::{print, print_error};
use serde::Serialize;

use super::CommandError;

/// Writes text with a line end.
pub(super) fn text(text: &str) -> Result<(), CommandError> {
    Ok(print(text)?)
}

/// Writes a value as JSON.
pub(super) fn json(value: &impl Serialize) -> Result<(), CommandError> {
    text(&serde_json::to_string_pretty(value)?)
}

/// Returns the exit code, and writes a failure to standard error: 2 for a wrong command line, 1 for any other failure.
pub(super) fn outcome(outcome: Result<(), CommandError>) -> ExitCode {
    let Err(error) = outcome else {
        return ExitCode::SUCCESS;
    };
    if let Some(usage) = error.downcast_ref::<clap::Error>() {
        _ = usage.print();
        return ExitCode::from(u8::try_from(usage.exit_code()).unwrap_or(1));
    }
    print_error(&*error);
    ExitCode::FAILURE
}

/// Formats sections that have lines: the heading, the lines, and a blank line before the next one.
pub(super) fn sections(all: impl IntoIterator<Item = (String, Vec<String>)>) -> String {
    let all = all.into_iter().filter(|(_, lines)| !lines.is_empty());
    let all = all.map(|(heading, lines)| format!("{heading}\n{}", lines.join("\n")));
    all.collect::<Vec<_>>().join("\n\n")
}

/// Formats a number with its noun, in the singular or the plural.
pub(super) fn counted(number: u64, one: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {one}{plural}")
}

/// Returns the first heading of a markdown text, and the first sentence below it.
pub(super) fn gist(text: &str) -> (Option<&str>, String) {
    let mut lines = text
        .lines()
        .map(str::trim)
        .skip_while(|line| line.is_empty());
    let mut rest = lines.clone();
    let heading = rest.next().filter(|line| line.starts_with('#'));
    if heading.is_some() {
        lines = rest;
    }
    let is_words = |line: &&str| !line.is_empty() && !line.starts_with('#');
    let paragraph: Vec<&str> = lines
        .skip_while(|line| !is_words(line))
        .take_while(is_words)
        .collect();
    let paragraph = paragraph.join(" ");
    let paragraph = paragraph.trim_start_matches(['>', '-', '*', ' ']);
    let end = paragraph
        .match_indices(['.', '!', '?'])
        .map(|(at, _)| at + 1)
        .find(|&end| paragraph[end..].is_empty() || paragraph[end..].starts_with(' '));
    let sentence = &paragraph[..end.unwrap_or(paragraph.len())];
    let heading = heading.map(|line| line.trim_start_matches('#').trim());
    (heading, clip(sentence, 110))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gist_of_a_text_is_its_heading_and_first_sentence() {
        for (text, heading, sentence) in [
            ("Say it. Then go on.", None, "Say it."),
            (
                "\n## Begin\n\n- Call `a.b` first,\n  please! Thanks.",
                Some("Begin"),
                "Call `a.b` first, please!",
            ),
            ("# Only a heading", Some("Only a heading"), ""),
            ("# A\n## B\nNo end", Some("A"), "No end"),
            ("", None, ""),
        ] {
            assert_eq!(gist(text), (heading, sentence.to_owned()), "{text:?}");
        }
        assert!(gist(&"é".repeat(200)).1.ends_with('…'));
    }

    #[test]
    fn one_is_singular() {
        assert_eq!(counted(1, "session"), "1 session");
        assert_eq!(counted(0, "session"), "0 sessions");
    }
}
