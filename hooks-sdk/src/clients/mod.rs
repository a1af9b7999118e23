//! Today's agent clients, none of which reads a server's declarations: their names for the events, their input to a
//! hook, and the answers that they read.
//!
//! A client runs a command at each of its events. [`fire`] is such a command without its input and output: it takes the
//! bytes of standard input, and returns the object for standard output, whatever the bytes are.
//!
//! ```
//! use hooks_sdk::{clients::{self, Client}, lifecycle::{Event, host::{LifecycleHost, NoTools, ClientPolicy}}};
//! use serde_json::json;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let mut host = LifecycleHost::new(ClientPolicy::default());
//! host.register("memory", &json!({ "declarations": [
//!     { "event": "session_start", "context": "Look up what is known.", "priority": "suggestion" },
//! ] }));
//! let codex = clients::by_name("codex").unwrap();
//! let input = br#"{"hook_event_name": "SessionStart", "source": "startup"}"#;
//! let fired = clients::fire(codex, Some(Event::SessionStart), &["memory"], input, &host, &NoTools).await;
//! assert_eq!(fired.output, json!({ "hookSpecificOutput": {
//!     "hookEventName": "SessionStart",
//!     "additionalContext": "Hook of the MCP server `memory` (suggestion):\n> Look up what is known.",
//! } }));
//! # }
//! ```

mod answer;
mod claude_code;
mod codex;
pub mod config;
mod fire;
mod gemini;
mod hear;
mod input;
mod mapping;
mod output;
mod place;
mod raw;
pub mod receipts;
mod seen;
pub(crate) mod tell;
mod tool;

use std::{fmt, path::PathBuf, time::Duration};

use serde_json::Value;

use crate::{guidance::McpFeatures, lifecycle::Event};

pub use claude_code::ClaudeCode;
pub use codex::Codex;
pub use fire::{Fired, fire, fire_seen};
pub(crate) use fire::{fire_at, silence};
pub use gemini::Gemini;
pub use hear::{MAX_INPUT, Unheard, hear};
pub use mapping::{Delivery, Mapping, Tested};
pub use place::{InstallScope, Place};
pub use seen::Seen;

/// All known clients, in the order of lists.
pub static ALL: [&dyn Client; 3] = [&ClaudeCode, &Codex, &Gemini];

/// Returns the client of this name, such as `claude-code`.
pub fn by_name(name: &str) -> Option<&'static dyn Client> {
    ALL.into_iter().find(|client| client.name() == name)
}

/// Returns the event for one of the six names, or for a client's own name, such as `PostToolUse`.
pub fn event(word: &str) -> Option<Event> {
    let own = Event::ALL.into_iter().find(|event| event.as_str() == word);
    own.or_else(|| ALL.into_iter().find_map(|client| client.event(word)))
}

/// The time-out of a hook in the entries.
const DEADLINE: Duration = Duration::from_secs(10);

/// The part of a client's deadline for starting, reading and writing.
const MARGIN: Duration = Duration::from_secs(1);

/// The maximum time for context tools.
const LONGEST_PATIENCE: Duration = Duration::from_secs(4);

/// One agent client: its events, its input, its answers and its files.
pub trait Client: fmt::Debug + Sync {
    /// Returns the client's name on a command line, such as `claude-code`.
    fn name(&self) -> &'static str;

    /// Returns the client's name for people.
    fn title(&self) -> &'static str;

    /// Returns the name of the client's program.
    fn program(&self) -> &'static str;

    /// Returns the version with which this adapter was measured.
    fn tested(&self) -> Tested;

    /// Returns the features of MCP that the client has, of those that a hook can require.
    fn features(&self) -> McpFeatures;

    /// Returns whether the client sends the id of its session to an MCP server.
    fn tells_session(&self) -> bool;

    /// Returns whether a resumed session still has the texts of its start, so that they are not sent again.
    fn keeps_start(&self) -> bool;

    /// Returns the client's behaviour at an event: its own name for it, and how a text reaches the agent.
    fn mapping(&self, event: Event) -> Mapping;

    /// Returns the event for the client's own name, in any case, because clients that read this client's files change
    /// the case. `None` for an event that is none of the six, such as `PreCompact`.
    fn event(&self, native: &str) -> Option<Event> {
        Event::ALL
            .into_iter()
            .find(|event| self.mapping(*event).native.eq_ignore_ascii_case(native))
    }

    /// Reads what the client wrote to a hook's standard input. Ignores members that are missing, unknown or of another
    /// type.
    ///
    /// `servers` are the names of MCP servers in the client. If a tool's name can be split in several ways, the tool
    /// belongs to one of these.
    fn read(&self, event: Event, input: &Value, servers: &[&str]) -> Seen;

    /// Returns the members by which the client names a tool on a hook's standard input: the tool of an MCP server, or
    /// one of its own. A shell tool can have the name of any client.
    fn named_tool(&self, server: Option<&str>, tool: &str) -> Value;

    /// Returns the JSON object for a hook's standard output that sends `text` to the agent. It is empty if no text
    /// reaches the agent, if a hook has already kept the agent going, or if `text` is empty.
    fn answer(&self, seen: &Seen, text: &str) -> Value;

    /// Returns the maximum number of characters in one answer, including the lines that name servers and priorities.
    fn budget(&self, event: Event) -> usize {
        // Claude Code writes more than 50,000 characters to a file that the agent may not open. The other two clients
        // have no known limit.
        _ = event;
        10_000
    }

    /// Returns the time after which the client ends a hook: the time-out in the entries, 10 s, or less if the client
    /// allows less.
    fn deadline(&self, event: Event) -> Duration {
        _ = event;
        DEADLINE
    }

    /// Returns how long [`fire`] waits for context tools: a second less than [`deadline`](Client::deadline), at most 4 s.
    fn patience(&self, event: Event) -> Duration {
        self.deadline(event)
            .saturating_sub(MARGIN)
            .min(LONGEST_PATIENCE)
    }

    /// Returns the entry, in the list of an event, that makes the client run `command`. `server` is the name of the MCP
    /// server.
    fn hook_entry(&self, event: Event, server: &str, command: &str) -> Value;

    /// Returns the file of hook entries: an object whose member `hooks` has a list for each of the client's events.
    fn hooks_file(&self, scope: InstallScope, place: &Place) -> PathBuf;

    /// Returns the file of MCP servers, and the path of members to the object with one member for each server. The file
    /// is TOML if its name ends in `.toml`, otherwise JSON.
    fn servers_file(
        &self,
        scope: InstallScope,
        place: &Place,
    ) -> (PathBuf, &'static [&'static str]);

    /// Returns the entry that makes the client start an MCP server on standard input and output.
    fn server_entry(&self, command: &str, arguments: &[String]) -> Value;

    /// Returns a further step for the user, as a sentence, such as to review hooks before the client runs them.
    fn further_step(&self, scope: InstallScope) -> Option<&'static str>;

    /// Returns the other clients that read this client's hook entries, for people, each with its condition.
    fn also_read_by(&self) -> &'static [&'static str] {
        &[]
    }
}
