//! Today's agent clients, none of which reads a server's declarations: what each calls the events, what it
//! writes to a hook's standard input, and what it reads from its standard output.

mod claude_code;
mod codex;
pub mod config;
mod gemini;
mod mapping;
pub mod receipts;
mod seen;

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use serde_json::Value;

use crate::lifecycle::Event;

pub use claude_code::ClaudeCode;
pub use codex::Codex;
pub use gemini::Gemini;
pub use mapping::{Delivery, Mapping};
pub use seen::Seen;

/// The clients that are known, in the order in which they are listed.
pub static ALL: [&dyn Client; 0] = [];

/// The client of this name, such as `claude-code`.
pub fn by_name(name: &str) -> Option<&'static dyn Client> {
    ALL.into_iter().find(|client| client.name() == name)
}

/// One agent client: how it is told, and how it is asked.
pub trait Client: Sync {
    /// Its word on a command line, such as `claude-code`.
    fn name(&self) -> &'static str;

    /// Its name for people.
    fn title(&self) -> &'static str;

    /// What the client makes of an event: its own name for it, and what can be done there.
    fn mapping(&self, event: Event) -> Mapping;

    /// Reads what the client wrote to a hook's standard input. What is missing, unknown or of another type is
    /// passed over.
    fn read(&self, event: Event, input: &Value) -> Seen;

    /// What a hook writes to standard output so that `text` reaches the agent: a JSON object, empty where
    /// nothing can reach it or `text` is empty.
    fn answer(&self, event: Event, seen: &Seen, text: &str) -> Value;

    /// The most characters that one answer should bring.
    fn budget(&self, event: Event) -> usize;

    /// The longest that a hook may take before the client ends it.
    fn deadline(&self, event: Event) -> Duration;

    /// The entry that makes the client run `command` at an event, as it stands in the list of that event.
    fn hook_entry(&self, event: Event, command: &str) -> Value;

    /// The file that holds hook entries, and the path of members to the object with a list for each event.
    fn hooks_file(&self, scope: Scope, place: &Place) -> PathBuf;

    /// The file that holds MCP servers, and the path of members to the object with one member for each.
    fn servers_file(&self, scope: Scope, place: &Place) -> (PathBuf, &'static [&'static str]);

    /// The entry that makes the client start an MCP server on standard input and output.
    fn server_entry(&self, command: &str, arguments: &[String]) -> Value;

    /// What the user has to do besides, in a sentence, such as to review hooks before the client runs them.
    fn further_step(&self) -> Option<&'static str>;
}

/// For whom something is installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(
    clippy::exhaustive_enums,
    reason = "clients have no third scope in common"
)]
pub enum Scope {
    /// The user, in every project.
    User,
    /// Everybody who works in one project.
    Project,
}

/// Where clients keep their files on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// The user's home folder.
    pub home: PathBuf,
    /// The project's root.
    pub project: PathBuf,
    /// Where Codex keeps its files, when `CODEX_HOME` says so.
    pub codex_home: Option<PathBuf>,
}

impl Place {
    /// These folders, and Codex's own below the home folder.
    pub fn new(home: impl AsRef<Path>, project: impl AsRef<Path>) -> Place {
        Place {
            home: home.as_ref().to_owned(),
            project: project.as_ref().to_owned(),
            codex_home: None,
        }
    }

    /// Says where Codex keeps its files.
    #[must_use]
    pub fn codex_home(mut self, folder: impl Into<PathBuf>) -> Place {
        self.codex_home = Some(folder.into());
        self
    }
}
