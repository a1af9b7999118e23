//! Texts for the terminal of a person.

use std::{
    borrow::Cow,
    io::{self, ErrorKind, Write},
};

/// Replaces each character that a terminal obeys, other than line ends and tabs, by its escape, which JSON and JavaScript
/// read as the same character.
pub fn shown(text: &str) -> Cow<'_, str> {
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

/// Writes a text to standard output, with a line end. A closed standard output is no failure.
///
/// Control characters are escaped: a text can come from a file that somebody else wrote.
pub fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let text = shown(text.trim_end_matches('\n'));
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// Writes an error to standard error, likewise.
pub fn print_error(error: &dyn std::error::Error) {
    _ = writeln!(io::stderr(), "error: {}", shown(&error.to_string()));
}

/// Returns the items of a list, such as `a, b and c`.
pub fn listed(items: &[String], and: &str) -> String {
    match items {
        [all @ .., last] if !all.is_empty() => format!("{} {and} {last}", all.join(", ")),
        _ => items.concat(),
    }
}

/// Shortens a text to one line of at most `most` characters.
pub fn clip(text: &str, most: usize) -> String {
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= most {
        return line;
    }
    let mut clipped: String = line.chars().take(most.saturating_sub(1)).collect();
    clipped.push('…');
    clipped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_obeys_nothing_that_is_shown() {
        let text = "a\u{1b}]0;title\u{7}\r\u{9b}2J\u{202e}b\tc\nd é";
        let safe = "a\\u001b]0;title\\u0007\\u000d\\u009b2J\\u202eb\tc\nd é";
        assert_eq!(shown(text), safe);
        assert!(matches!(shown("plain\n"), Cow::Borrowed(_)));
    }
}
