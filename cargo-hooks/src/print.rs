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

/// Returns the exit code, and writes a failure to standard error.
pub(super) fn outcome(outcome: Result<(), CommandError>) -> ExitCode {
    let Err(error) = outcome else {
        return ExitCode::SUCCESS;
    };
    print_error(&*error);
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
