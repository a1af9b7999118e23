//! The reading of a session file, line by line.

use std::{
    collections::BTreeMap,
    io::{self, BufRead},
};

use serde::Serialize;
use serde_json::Value;

use super::{claude_code::ClaudeCode, codex::Codex, moment::Moment};
use crate::clients::parsed;

/// The longest line that is read, in bytes (16 MiB).
const LONGEST_LINE: usize = 16 << 20;

/// How many kinds of unknown entries are named.
const MOST_KINDS: usize = 20;

/// An entry, with its line's number and its text.
#[derive(Clone, Copy)]
pub(super) struct TranscriptEntry<'e> {
    pub(super) value: &'e Value,
    pub(super) line: u64,
    pub(super) text: &'e [u8],
}

/// A reader of one client's entries.
pub(super) trait Entries {
    /// The client's name.
    fn client(&self) -> &'static str;

    /// Reads an entry, and adds its events. Returns whether the entry is of a known kind.
    fn read(&mut self, entry: &TranscriptEntry<'_>, moments: &mut Vec<Moment>) -> bool;

    /// Adds the events that the end of the file brings.
    fn end(&mut self, moments: &mut Vec<Moment>);
}

/// What was read, and what was not.
#[derive(Debug, Default, Serialize)]
pub(super) struct ReadTranscript {
    pub(super) lines: u64,
    /// The entries of known kinds.
    pub(super) known: u64,
    /// The lines that are not JSON objects in UTF-8, and the first of them.
    pub(super) unreadable: u64,
    pub(super) first_unreadable: Option<u64>,
    /// The lines of more than 16 MiB.
    pub(super) too_long: u64,
    pub(super) unknown: u64,
    /// The kinds of unknown entries; at most 20.
    pub(super) unknown_kinds: BTreeMap<String, u64>,
}

/// Reads a transcript, and hands each entry's events to `each`. Returns the client, if the file is one of a known client.
pub(super) fn read<F>(
    mut lines: impl BufRead,
    named: Option<&str>,
    mut each: F,
) -> io::Result<(Option<&'static str>, ReadTranscript)>
where
    F: FnMut(&'static str, Vec<Moment>) -> io::Result<()>,
{
    let mut reading = ReadTranscript::default();
    let mut entries: Option<Box<dyn Entries>> = named.and_then(of_client);
    let mut line = Vec::new();
    while let Some(is_whole) = next_line(&mut lines, &mut line)? {
        reading.lines += 1;
        if !is_whole {
            reading.too_long += 1;
            continue;
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let Ok((value @ Value::Object(_), text)) = parsed(&line) else {
            reading.unreadable += 1;
            reading.first_unreadable.get_or_insert(reading.lines);
            continue;
        };
        if entries.is_none() {
            entries = of_entry(&value);
        }
        let Some(entries) = &mut entries else {
            reading.does_not_know(&value);
            continue;
        };
        let entry = TranscriptEntry {
            value: &value,
            line: reading.lines,
            text: &text,
        };
        let mut moments = Vec::new();
        match entries.read(&entry, &mut moments) {
            true => reading.known += 1,
            false => reading.does_not_know(&value),
        }
        each(entries.client(), moments)?;
    }
    let Some(mut entries) = entries else {
        return Ok((None, reading));
    };
    let mut moments = Vec::new();
    entries.end(&mut moments);
    each(entries.client(), moments)?;
    Ok((Some(entries.client()), reading))
}

fn of_client(name: &str) -> Option<Box<dyn Entries>> {
    match name {
        "claude-code" => Some(Box::new(ClaudeCode::default())),
        "codex" => Some(Box::new(Codex::default())),
        _ => None,
    }
}

/// Tells the clients apart by an entry that only one of them writes.
fn of_entry(entry: &Value) -> Option<Box<dyn Entries>> {
    if Codex::wrote(entry) {
        of_client("codex")
    } else if ClaudeCode::wrote(entry) {
        of_client("claude-code")
    } else {
        None
    }
}

impl ReadTranscript {
    fn does_not_know(&mut self, entry: &Value) {
        self.unknown += 1;
        let kind = entry["type"].as_str().unwrap_or("without a type");
        let kind: String = kind.chars().take(40).collect();
        if self.unknown_kinds.len() < MOST_KINDS || self.unknown_kinds.contains_key(&kind) {
            *self.unknown_kinds.entry(kind).or_default() += 1;
        }
    }
}

/// Reads the next line. Returns `None` at the end of the file, and whether the line is short enough to be read.
fn next_line(lines: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<Option<bool>> {
    line.clear();
    let (mut is_whole, mut is_some) = (true, false);
    loop {
        let found = match lines.fill_buf() {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if found.is_empty() {
            return Ok(is_some.then_some(is_whole));
        }
        is_some = true;
        let end = found.iter().position(|byte| *byte == b'\n');
        let part = &found[..end.unwrap_or(found.len())];
        is_whole &= line.len() + part.len() <= LONGEST_LINE;
        if is_whole {
            line.extend_from_slice(part);
        } else {
            // Nobody reads it, so nobody keeps it.
            *line = Vec::new();
        }
        let used = end.map_or(found.len(), |end| end + 1);
        lines.consume(used);
        if end.is_some() {
            return Ok(Some(is_whole));
        }
    }
}

#[cfg(test)]
mod tests;
