//! What a command writes: its answer on standard output, its failure on standard error.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use serde::Serialize;

use super::Failure;

/// Writes text, with a line end behind it; a reader that went away is no failure.
pub(super) fn text(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let written = writeln!(out, "{}", text.trim_end_matches('\n')).and_then(|()| out.flush());
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// Writes a value as JSON.
pub(super) fn json(value: &impl Serialize) -> Result<(), Failure> {
    text(&serde_json::to_string_pretty(value)?)
}

/// The exit code; a failure stands on standard error.
pub(super) fn outcome(outcome: Result<(), Failure>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// At most so many characters of one line.
pub(super) fn clip(text: &str, most: usize) -> String {
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= most {
        return line;
    }
    let mut clipped: String = line.chars().take(most.saturating_sub(1)).collect();
    clipped.push('…');
    clipped
}
