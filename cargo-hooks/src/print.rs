//! The output of commands: results on standard output, failures on standard error.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use hooks_text::terminal::shown;
pub(super) use hooks_text::terminal::{clip, listed};
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

#[cfg(test)]
pub(super) mod tests {
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
}
