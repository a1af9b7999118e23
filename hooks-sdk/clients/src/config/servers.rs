//! The entry that makes a client start an MCP server, in JSON or TOML.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    error::{ConfigError, Obstacle},
    hooks::Edited,
    json::{self, Json},
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

impl Format {
    /// Returns the format of a file: TOML if its name ends in `.toml`, otherwise JSON.
    pub fn of(file: &Path) -> Format {
        match file.extension().is_some_and(|ending| ending == "toml") {
            true => Format::Toml,
            false => Format::Json,
        }
    }
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
    fn names(&self) -> Vec<&str> {
        self.path.iter().map(String::as_str).collect()
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
    let edited = |text: String| {
        Some(Edited {
            text,
            had_ours: known.is_some() && own.is_some(),
            taken_over: 0,
        })
    };
    Ok(match own {
        Some((_, value)) if known == Some(value) && *value != server.value => {
            edited(set(file, text, server)?)
        }
        Some((_, value)) if known == Some(value) => edited(text.to_owned()),
        Some((_, value)) if program.is_started_by(value) => {
            known.and_then(|_| edited(text.to_owned()))
        }
        Some(_) => return Err(taken(file, text, server)),
        None if entries.iter().any(|(_, it)| program.is_started_by(it)) => None,
        None => edited(set(file, text, server)?),
    })
}

/// Removes the server that an installation wrote, if it still starts the same program, and each object around it that has
/// nothing left and that the text before had not.
pub(super) fn uninstall(
    file: &Path,
    text: &str,
    server: &ServerEntry,
    before: Option<&Value>,
) -> Result<String, ConfigError> {
    let entries = entries(file, text, server)?;
    let own = entries.iter().find(|(name, _)| *name == server.name);
    let ours = own.is_some_and(|(_, value)| starts(value) == starts(&server.value));
    if !ours {
        return Ok(text.to_owned());
    }
    match server.format {
        Format::Json => {
            let (json, path) = (Json::parse(file, text)?, server.names());
            let member = json.object(&path)?.and_then(|it| it.get(&server.name));
            member
                .into_iter()
                .for_each(|member| json::remove(member.into()));
            json.remove_bare(&path, before);
            Ok(json.edited())
        }
        Format::Toml => Toml::parse(file, text)?.remove(&server.path, &server.name),
    }
}

fn set(file: &Path, text: &str, server: &ServerEntry) -> Result<String, ConfigError> {
    match server.format {
        Format::Json => {
            let json = Json::parse(file, text)?;
            let servers = json.made_object(&server.names())?;
            json::set_members(&servers, [(&server.name, &server.value)]);
            Ok(json.edited())
        }
        Format::Toml => Toml::parse(file, text)?.set(&server.path, &server.name, &server.value),
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
            let Some(servers) = json.object(&server.names())? else {
                return Ok(Vec::new());
            };
            json.member(&servers, &server.name)?;
            let members = servers.properties().into_iter();
            let entry = |member: jsonc_parser::cst::CstObjectProp| {
                Some((member.decoded_name()?, member.to_serde_value()?))
            };
            Ok(members.filter_map(entry).collect())
        }
        Format::Toml => Toml::parse(file, text)?.entries(&server.path),
    }
}

fn taken(file: &Path, text: &str, server: &ServerEntry) -> ConfigError {
    let name = &server.name;
    let wrong = format!(
        "the MCP server `{name}` is already configured here, and it starts another program"
    );
    let mend = "rename or remove that server, or install the hooks only, with `--no-server`";
    let error = ConfigError::new(Obstacle::NameTaken, file, wrong, mend);
    let at = match server.format {
        Format::Json => {
            let json = Json::parse(file, text).ok();
            json.and_then(|json| json.position(&server.names(), name))
        }
        Format::Toml => {
            let toml = Toml::parse(file, text).ok();
            toml.and_then(|toml| toml.position(&server.path, name))
        }
    };
    match at {
        Some(at) => error.at(text, at),
        None => error,
    }
}
