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

/// Returns the exit code, and writes a failure to standard error.
pub(super) fn outcome(outcome: Result<(), CommandError>) -> ExitCode {
    let Err(error) = outcome else {
        return ExitCode::SUCCESS;
    };
    _ = writeln!(io::stderr(), "error: {}", shown(&error.to_string()));
    ExitCode::FAILURE
}

/// Replaces each character that a terminal obeys, other than line ends and tabs, by its escape, which JSON and JavaScript
/// read as the same character.
fn shown(text: &str) -> Cow<'_, str> {
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

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Puts a program at a path that is this shell script.
    ///
    /// A child writes it. A file that this process has open for writing is also open in the children that other threads
    /// start meanwhile, and no system starts a program that somebody writes.
    #[cfg(unix)]
    pub(crate) fn put_script(path: &std::path::Path, script: &str) {
        let write = r#"printf %s "$1" >"$0" && chmod 755 "$0""#;
        let mut shell = std::process::Command::new("sh");
        let shell = shell.args(["-c", write]).arg(path).arg(script);
        assert!(shell.status().unwrap().success());
    }

    #[test]
    fn a_terminal_obeys_nothing_that_is_shown() {
        let text = "a\u{1b}]0;title\u{7}\r\u{9b}2J\u{202e}b\tc\nd é";
        let safe = "a\\u001b]0;title\\u0007\\u000d\\u009b2J\\u202eb\tc\nd é";
        assert_eq!(shown(text), safe);
        assert!(matches!(shown("plain\n"), Cow::Borrowed(_)));
    }
}
