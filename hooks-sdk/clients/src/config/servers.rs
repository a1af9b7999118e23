//! The entry that makes a client start an MCP server, in JSON or TOML.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    super::find_program,
    document::{self, Document, children, named},
    error::{ConfigError, Obstacle},
};

/// The entry of an MCP server that a client starts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ServerEntry {
    /// The file.
    pub file: PathBuf,
    /// The members that lead to the object with one member for each server.
    pub path: Vec<String>,
    /// The server's name, which is the name of the member.
    pub name: String,
    /// The member's value, an object.
    pub value: Value,
}

impl ServerEntry {
    /// Returns the path of the entry.
    fn place(&self) -> Vec<String> {
        self.path.iter().chain([&self.name]).cloned().collect()
    }

    pub(super) fn is_at_the_place_of(&self, other: &ServerEntry) -> bool {
        (&self.path, &self.name) == (&other.path, &other.name)
    }
}

/// Returns whether a server entry starts this program.
fn is_started_by(program: &Path, entry: &Value) -> bool {
    let real = |path: &Path| fs::canonicalize(find_program(path)?).ok();
    starts(entry).is_some_and(|command| {
        let command = Path::new(command);
        let found = real(command);
        command == program || found.is_some() && found == real(program)
    })
}

/// Returns the program of a server entry, whose command is a program or a list of a program and its arguments.
fn starts(entry: &Value) -> Option<&str> {
    let command = entry.get("command")?;
    command.as_str().or_else(|| command.get(0)?.as_str())
}

/// Returns the same file with the ending `.jsonc`, if only that one exists.
pub(crate) fn or_jsonc(file: PathBuf) -> PathBuf {
    let with_comments = file.with_extension("jsonc");
    if !file.exists() && with_comments.exists() {
        with_comments
    } else {
        file
    }
}

/// Adds the server, unless an entry starts the program already. `known` is what an earlier installation wrote, and `text` is the
/// text of the document.
///
/// Returns whether the server was there before; `None` if the document does not change and has no entry of the program.
pub(super) fn install(
    document: &mut dyn Document,
    text: &str,
    server: &ServerEntry,
    known: Option<&Value>,
    program: &Path,
) -> Result<Option<bool>, ConfigError> {
    let place = server.place();
    let own = document.get(&place)?;
    let all = document.get(&server.path)?.unwrap_or_default();
    let is_started = |(_, entry): &(String, &Value)| is_started_by(program, entry);
    match &own {
        Some(value) if known == Some(value) && *value == server.value => {}
        Some(value) if known != Some(value) && is_started_by(program, value) => {
            return Ok(known.map(|_| true));
        }
        Some(value) if known != Some(value) => {
            let name = &server.name;
            let wrong = format!(
                "the MCP server `{name}` is already configured here, and it starts another program"
            );
            let mend =
                "rename or remove that server, or install the hooks only, with `--no-server`";
            let error = ConfigError::new(Obstacle::NameTaken, &server.file, wrong, mend);
            // In the file as it is, without the edits of now.
            let written = document::parsed(&server.file, text)?;
            let at = written.position(&place, true).unwrap_or_default();
            return Err(error.at(text, at));
        }
        None if children(&all).iter().any(is_started) => return Ok(None),
        _ => document.merge(&server.path, &json!({ &server.name: server.value }))?,
    }
    Ok(Some(known.is_some() && own.is_some()))
}

/// Removes the server that an installation wrote, if it still starts the same program, and each object around it that has
/// nothing left and that the value before had not. Returns whether the server was there.
pub(super) fn uninstall(
    document: &mut dyn Document,
    server: &ServerEntry,
    before: Option<&Value>,
) -> Result<bool, ConfigError> {
    let all = document.every();
    let mut places = vec![(Vec::new(), &all)];
    for step in server.place() {
        let next = places.iter().flat_map(|(path, value)| {
            named(value, &step)
                .map(move |(name, value)| ([&**path, std::slice::from_ref(name)].concat(), value))
        });
        places = next.collect();
    }
    let is_ours = |(_, value): &(Vec<String>, &Value)| starts(value) == starts(&server.value);
    places.retain(is_ours);
    // The last one first, so that the numbers of the others stay.
    for (path, _) in places.iter().rev() {
        document.remove(path)?;
        document.remove_bare(&path[..path.len() - 1], before)?;
    }
    Ok(!places.is_empty())
}
