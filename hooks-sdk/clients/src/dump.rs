//! What a server's program says about itself to another program: `hooks dump --json` writes it, and `cargo hooks` reads it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Client;
use hooks_core::lifecycle::Event;

/// The version of the format. A reader refuses any other.
pub const VERSION: u32 = 1;

/// The version of the table of clients that this build has.
pub const TABLE_VERSION: &str = env!("CARGO_PKG_VERSION");

/// The facts of a server's program, and what it declares.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Dump {
    /// [`VERSION`].
    pub version: u32,
    /// The [version](TABLE_VERSION) of the table of clients that the program has.
    pub table: String,
    /// The server's name in clients.
    pub name: String,
    /// The server's id, which each entry has.
    pub id: String,
    /// Further arguments of installed entries.
    pub arguments: Vec<String>,
    /// What the author says for packages.
    pub about: About,
    /// The declarations for a client with every feature of MCP.
    pub hooks: Vec<DumpedHook>,
    /// The clients of the program's own table.
    pub clients: Vec<DumpedClient>,
    /// Whether the program judges calls of a client's own tools.
    pub has_gates: bool,
    /// The skills.
    pub skills: Vec<DumpedSkill>,
    /// What `serve` would refuse. Where there is such a problem, the other members may be empty.
    pub problems: Vec<Diagnostic>,
    /// What the server itself says; `None` if the caller did not ask for it.
    pub server: Option<DumpedServer>,
}

/// What packages say about a program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct About {
    /// What the server is, in a sentence or two.
    pub description: String,
    /// The program's version.
    pub version: Option<String>,
    /// The authors, with colons between them.
    pub authors: Option<String>,
    /// The license.
    pub license: Option<String>,
    /// The URL of the source code.
    pub repository: Option<String>,
    /// The URL of a page for users.
    pub homepage: Option<String>,
    /// The server's name in the MCP registry.
    pub registry_name: Option<String>,
    /// A PNG for catalogs.
    pub icon: Option<FileBytes>,
}

/// A declaration.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct DumpedHook {
    /// The event, by the name of SEP-2282 if it is one of the six.
    pub event: Option<Event>,
    /// The ids of the hooks.
    pub hooks: Vec<String>,
    /// The text; `None` if a tool makes it.
    pub text: Option<String>,
    /// The context tool that makes the text.
    pub tool: Option<String>,
}

/// A client of the program's own table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct DumpedClient {
    /// The client's name on a command line.
    pub name: String,
    /// The events at which a hook can fire.
    pub events: Vec<Event>,
    /// The hooks at each event, as the client's features permit.
    pub hooks: Vec<(Event, Vec<String>)>,
}

/// A skill, with its files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct DumpedSkill {
    /// The skill's name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// The files, by their paths below the skill's folder.
    pub files: Vec<(String, FileBytes)>,
}

/// The bytes of a file: a text if they are UTF-8.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
#[expect(clippy::exhaustive_enums, reason = "bytes are UTF-8 or not")]
pub enum FileBytes {
    /// A text.
    Text(String),
    /// Other bytes.
    Bytes(Vec<u8>),
}

/// A problem: what is wrong, what mends it, and where it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Diagnostic {
    /// What is wrong.
    pub message: String,
    /// The one thing that mends it.
    pub help: Option<String>,
    /// The file and the line, or another place.
    pub place: Option<String>,
}

/// What a running server says.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct DumpedServer {
    /// The author's `instructions`, without those of hooks.
    pub instructions: Option<String>,
    /// The names of the tools that it lists.
    pub tools: Vec<String>,
    /// The names of the tools' arguments.
    pub arguments: Vec<String>,
    /// Rules and session machines without an effect on its tools.
    pub findings: Vec<Diagnostic>,
    /// A tool that its author calls read-only, and arguments for it.
    pub harmless: Option<(String, Value)>,
}

/// What a program does at one event of a client: `hooks dump --explain CLIENT` says it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Explained {
    /// The client's name on a command line.
    pub client: String,
    /// The client's name of the event.
    pub native: String,
    /// The version to which the table applies.
    pub tested: String,
    /// Whether a text reaches the agent there.
    pub reaches_the_agent: bool,
    /// Whether subagents receive it, too, if that is known.
    pub subagents: Option<bool>,
    /// What may surprise an author, as sentences.
    pub notes: Vec<String>,
    /// The hooks that fire.
    pub fires: Vec<FiredText>,
    /// The length of the answer, as the client counts it, and its limit; `None` without a text.
    pub length: Option<String>,
    /// The hooks that do not fire.
    pub left_out: Vec<LeftOut>,
    /// The plugin hooks that the server runs when a client calls the tool.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub policy: Vec<String>,
    /// What the server decides about the call, in a session of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
}

/// Hooks that fire.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::exhaustive_structs, reason = "a firing has no more parts")]
pub struct FiredText {
    /// Their ids.
    pub hooks: Vec<String>,
    /// The number of characters.
    pub characters: usize,
    /// About how many tokens that makes.
    pub tokens: usize,
    /// The text.
    pub text: String,
}

/// Hooks at the event that do not fire.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::exhaustive_structs, reason = "a reason has no more parts")]
pub struct LeftOut {
    /// Their ids.
    pub hooks: Vec<String>,
    /// Why.
    pub why: String,
}

impl Dump {
    /// Returns what the program's table has of a client; `None` if it does not know the client.
    pub fn of(&self, client: &Client) -> Option<&DumpedClient> {
        self.clients.iter().find(|of| of.name == client.name)
    }
}

impl DumpedSkill {
    /// Makes a skill of these files.
    pub fn new(
        name: impl Into<String>,
        description: impl Into<String>,
        files: impl IntoIterator<Item = (String, FileBytes)>,
    ) -> DumpedSkill {
        DumpedSkill {
            name: name.into(),
            description: description.into(),
            files: files.into_iter().collect(),
        }
    }
}

impl Diagnostic {
    /// Makes a problem without a place.
    pub fn new(message: impl Into<String>, help: impl Into<Option<String>>) -> Diagnostic {
        Diagnostic {
            message: message.into(),
            help: help.into(),
            place: None,
        }
    }

    /// Sets the place.
    #[must_use]
    pub fn at(mut self, place: impl Into<Option<String>>) -> Diagnostic {
        self.place = place.into();
        self
    }
}

impl std::fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        f.write_str(&self.message)?;
        match &self.help {
            Some(help) => write!(f, "\nhelp: {help}"),
            None => Ok(()),
        }
    }
}

impl FileBytes {
    /// Takes the bytes of a file.
    pub fn of(bytes: &[u8]) -> FileBytes {
        match std::str::from_utf8(bytes) {
            Ok(text) => FileBytes::Text(text.to_owned()),
            Err(_) => FileBytes::Bytes(bytes.to_owned()),
        }
    }

    /// Returns the bytes.
    pub fn bytes(&self) -> &[u8] {
        match self {
            FileBytes::Text(text) => text.as_bytes(),
            FileBytes::Bytes(bytes) => bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_the_same_on_the_other_side() {
        for bytes in [&b"a text"[..], b"\x89PNG\r\n\x1a\n", b"", "é".as_bytes()] {
            let json = serde_json::to_string(&FileBytes::of(bytes)).unwrap();
            let read: FileBytes = serde_json::from_str(&json).unwrap();
            assert_eq!(read.bytes(), bytes, "{json}");
        }
    }

    #[test]
    fn members_of_another_version_do_not_matter() {
        let dump: Dump =
            serde_json::from_str(r#"{"version": 1, "name": "notes", "later": [1]}"#).unwrap();
        assert_eq!((dump.name.as_str(), dump.hooks.len()), ("notes", 0));
    }
}
