//! Files that are wholly the program's own, such as a generated plugin.

use std::path::{Path, PathBuf};

use super::{
    command::{EntryOwner, joined},
    error::{ConfigError, Obstacle},
    plan::Installed,
    record::{RecordedFile, digest},
};

/// The beginning of the line in which a generated plugin names its command, as one JSON array of words.
const COMMAND: &str = "const COMMAND = ";

/// The beginning of the line in which it may name its events.
const EVENTS: &str = "const EVENTS = ";

/// Returns the program's own command in a generated file: the program, then its arguments.
fn command(text: &[u8], owner: &EntryOwner) -> Option<Vec<String>> {
    let text = std::str::from_utf8(text).ok()?;
    let words = text.lines().find_map(|line| line.strip_prefix(COMMAND))?;
    let words: Vec<String> = serde_json::from_str(words.trim_end().trim_end_matches(';')).ok()?;
    owner.is_own(&joined(&words)).then_some(words)
}

/// Returns the program's own entries in a generated file: one for each event that it names in a line `const EVENTS = […]`, or
/// one without an event if there is no line.
pub(super) fn installed(text: &[u8], owner: &EntryOwner) -> Vec<Installed> {
    let Some(words) = command(text, owner) else {
        return Vec::new();
    };
    let text = String::from_utf8_lossy(text);
    let line = text.lines().find_map(|line| line.strip_prefix(EVENTS));
    let events = line.and_then(|events| serde_json::from_str(events.trim_end()).ok());
    let events: Vec<String> = events.unwrap_or_else(|| vec![String::new()]);
    let entry = |event| Installed {
        event,
        command: joined(&words),
        program: PathBuf::from(&words[0]),
    };
    events.into_iter().map(entry).collect()
}

/// Checks that a file may be replaced: its bytes are the program's own.
///
/// Without a record, it is enough that the file names the program's command: it may come from another computer.
pub(super) fn check(
    file: &Path,
    bytes: &[u8],
    known: Option<&RecordedFile>,
    owner: &EntryOwner,
) -> Result<(), ConfigError> {
    let refused = |obstacle, wrong| {
        let mend = "move it away, then run this again";
        Err(ConfigError::new(obstacle, file, wrong, mend))
    };
    match known {
        Some(known) if is_unchanged(known, bytes) => Ok(()),
        Some(_) => refused(
            Obstacle::Edited,
            "the file has been changed since it was installed",
        ),
        None if command(bytes, owner).is_some() => Ok(()),
        None => refused(Obstacle::NameTaken, "another program's file has this name"),
    }
}

/// Returns whether an installation wrote these bytes.
pub(super) fn is_unchanged(known: &RecordedFile, bytes: &[u8]) -> bool {
    let digest = digest(bytes);
    known.own && (digest == known.written || known.replaced.as_ref() == Some(&digest))
}
