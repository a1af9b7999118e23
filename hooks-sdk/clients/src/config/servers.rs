//! The entry that makes a client start an MCP server, in JSON or TOML.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use jsonc_parser::ast::ObjectProp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    error::{ConfigError, Obstacle},
    hooks::Edited,
    json::{self, Json, Reach, steps},
    toml::Toml,
};

/// The format of a configuration file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Format {
    /// JSON, with comments and trailing commas if the client reads them.
    Json,
    /// TOML.
    Toml,
}

/// The entry of an MCP server that a client starts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ServerEntry {
    /// The file.
    pub file: PathBuf,
    /// The format of the file.
    pub format: Format,
    /// The members that lead to the object with one member for each server.
    pub path: Vec<String>,
    /// The server's name, which is the name of the member.
    pub name: String,
    /// The member's value, an object.
    pub value: Value,
}

impl ServerEntry {
    /// Returns the path to the server's member.
    fn member(&self) -> Vec<String> {
        let names = self.path.iter().chain([&self.name]);
        names.cloned().collect()
    }
}

/// A program, and the folders in which a bare name is searched.
#[derive(Clone, Debug)]
pub(super) struct Program {
    path: PathBuf,
    folders: Vec<PathBuf>,
}

impl Program {
    /// Makes a program whose bare name is searched in the folders of `PATH`.
    pub(super) fn new(path: &Path) -> Program {
        let folders = env::var_os("PATH");
        Program {
            path: path.to_owned(),
            folders: folders.map_or_else(Vec::new, |path| env::split_paths(&path).collect()),
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns whether a server entry starts this program.
    fn is_started_by(&self, entry: &Value) -> bool {
        starts(entry).is_some_and(|command| {
            let command = Path::new(command);
            let found = self.find(command);
            command == self.path || found.is_some() && found == self.find(&self.path)
        })
    }

    fn find(&self, program: &Path) -> Option<PathBuf> {
        if program.components().count() > 1 {
            return fs::canonicalize(program).ok();
        }
        let mut found = self.folders.iter().map(|folder| folder.join(program));
        fs::canonicalize(found.find(|path| path.is_file())?).ok()
    }
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

/// Adds the server, unless an entry starts the program already. `known` is what an earlier installation wrote.
///
/// Returns `None` if the file does not change and has no entry of the program.
pub(super) fn install(
    file: &Path,
    text: &str,
    server: &ServerEntry,
    known: Option<&Value>,
    program: &Program,
) -> Result<Option<Edited>, ConfigError> {
    let entries = entries(file, text, server)?;
    let own = entries.iter().find(|(name, _)| *name == server.name);
    let edited = |text: String, made| {
        let had_ours = known.is_some() && own.is_some();
        Some(Edited {
            made,
            had_ours,
            ..Edited::of(&text)
        })
    };
    Ok(match own {
        Some((_, value)) if known == Some(value) && *value != server.value => {
            edited(replace(file, text, server)?, Vec::new())
        }
        Some((_, value)) if known == Some(value) => edited(text.to_owned(), Vec::new()),
        Some((_, value)) if program.is_started_by(value) => {
            known.and_then(|_| edited(text.to_owned(), Vec::new()))
        }
        Some(_) => return Err(taken(file, text, server)),
        None if entries
            .iter()
            .any(|(_, value)| program.is_started_by(value)) =>
        {
            None
        }
        None => match server.format {
            Format::Json => {
                let added = Json::parse(file, text)?.add(&server.member(), &server.value)?;
                edited(added.text, added.made)
            }
            Format::Toml => {
                let toml = Toml::parse(file, text)?;
                let text = toml.add(&server.path, &server.name, &server.value)?;
                edited(text, Vec::new())
            }
        },
    })
}

/// Removes the server that an installation wrote, if it still starts the same program.
pub(super) fn uninstall(
    file: &Path,
    text: &str,
    server: &ServerEntry,
) -> Result<String, ConfigError> {
    let entries = entries(file, text, server)?;
    let own = entries.iter().find(|(name, _)| *name == server.name);
    let ours = own.is_some_and(|(_, value)| starts(value) == starts(&server.value));
    if !ours {
        return Ok(text.to_owned());
    }
    match server.format {
        Format::Json => {
            let removed = Json::parse(file, text)?.remove_member(&server.member(), |_| true)?;
            Ok(removed.unwrap_or_else(|| text.to_owned()))
        }
        Format::Toml => Toml::parse(file, text)?.remove(&server.path, &server.name),
    }
}

fn replace(file: &Path, text: &str, server: &ServerEntry) -> Result<String, ConfigError> {
    match server.format {
        Format::Json => {
            let replaced =
                Json::parse(file, text)?.replace(&steps(&server.member()), &server.value);
            Ok(replaced.unwrap_or_else(|| text.to_owned()))
        }
        Format::Toml => Toml::parse(file, text)?.replace(&server.path, &server.name, &server.value),
    }
}

/// Returns the configured servers.
fn entries(
    file: &Path,
    text: &str,
    server: &ServerEntry,
) -> Result<Vec<(String, Value)>, ConfigError> {
    match server.format {
        Format::Json => {
            let json = Json::parse(file, text)?;
            let Reach::Whole(object) = json.reach(&server.path)? else {
                return Ok(Vec::new());
            };
            json.member(object, &server.name)?;
            let members = object.properties.iter();
            let entry = |member: &ObjectProp<'_>| {
                (member.name.as_str().to_owned(), json::value(&member.value))
            };
            Ok(members.map(entry).collect())
        }
        Format::Toml => Toml::parse(file, text)?.entries(&server.path),
    }
}

fn taken(file: &Path, text: &str, server: &ServerEntry) -> ConfigError {
    let name = &server.name;
    let error = ConfigError::new(
        Obstacle::NameTaken,
        file,
        format!(
            "the MCP server `{name}` is already configured here, and it starts another program"
        ),
        "rename or remove that server, or install the hooks only, with `--no-server`",
    );
    let path = server.member();
    let at = match server.format {
        Format::Json => Json::parse(file, text)
            .ok()
            .and_then(|json| json.find(&steps(&path)).map(|(_, start)| start)),
        Format::Toml => Toml::parse(file, text)
            .ok()
            .and_then(|toml| toml.place(&path)),
    };
    match at {
        Some(at) => error.at(text, at),
        None => error,
    }
}
