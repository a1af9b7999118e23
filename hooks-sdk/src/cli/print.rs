//! The output of commands: results on standard output, failures on standard error.

use std::{
    borrow::Cow,
    io::{self, Write},
    process::ExitCode,
};

use serde::Serialize;

use super::CommandError;

/// Writes text with a line end. A closed standard output is no failure.
///
/// Control characters are escaped: a text can come from a file that somebody else wrote.
pub(super) fn text(text: &str) -> Result<(), CommandError> {
    let mut out = io::stdout().lock();
    let text = shown(text.trim_end_matches('\n'));
    let written = writeln!(out, "{text}").and_then(|()| out.flush());
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
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
    let error = error.to_string();
    _ = writeln!(io::stderr(), "error: {}", shown(&error));
    ExitCode::FAILURE
}

/// Replaces each character that a terminal obeys, other than line ends and tabs, by its escape, which JSON and JavaScript
/// read as the same character.
pub(super) fn shown(text: &str) -> Cow<'_, str> {
    let obeyed = |letter: char| {
        let is_control = letter.is_control() && !matches!(letter, '\n' | '\t');
        is_control || matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if !text.contains(obeyed) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        match obeyed(letter) {
            true => shown.push_str(&format!("\\u{:04x}", u32::from(letter))),
            false => shown.push(letter),
        }
    }
    Cow::Owned(shown)
}

/// Formats a number with its noun, in the singular or the plural.
pub(super) fn counted(number: u64, one: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {one}{plural}")
}

/// Returns the items of a list, such as `a, b and c`.
pub(super) fn listed(items: &[String], and: &str) -> String {
    match items {
        [all @ .., last] if !all.is_empty() => format!("{} {and} {last}", all.join(", ")),
        _ => items.concat(),
    }
}

/// Shortens a text to one line of at most `most` characters.
pub(super) fn clip(text: &str, most: usize) -> String {
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= most {
        return line;
    }
    let mut clipped: String = line.chars().take(most.saturating_sub(1)).collect();
    clipped.push('…');
    clipped
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
    fn a_terminal_obeys_nothing_that_is_shown() {
        let text = "a\u{1b}]0;title\u{7}\r\u{9b}2J\u{202e}b\tc\nd é";
        let safe = "a\\u001b]0;title\\u0007\\u000d\\u009b2J\\u202eb\tc\nd é";
        assert_eq!(shown(text), safe);
        let json = serde_json::to_string(text).unwrap();
        assert_eq!(serde_json::from_str::<String>(&shown(&json)).unwrap(), text);
        assert!(matches!(shown("plain\n"), Cow::Borrowed(_)));
    }

    #[test]
    fn one_is_singular() {
        assert_eq!(counted(1, "session"), "1 session");
        assert_eq!(counted(0, "session"), "0 sessions");
    }
}
