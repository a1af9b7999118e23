//! Today's agent clients, none of which reads a server's declarations: what each calls the events, what it
//! writes to a hook's standard input, and what it reads from its standard output.
//!
//! A client runs a command at each of its events. [`fire`] is what such a command does, but for reading and writing: it
//! takes the bytes of standard input and gives the object for standard output, whatever those bytes are.
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
pub(crate) use fire::silence;
pub use fire::{Fired, fire, fire_seen};
pub use gemini::Gemini;
pub use hear::{MAX_INPUT, Unheard, hear};
pub use mapping::{Delivery, Mapping, Tested};
pub use place::{InstallScope, Place};
pub use seen::Seen;

/// The clients that are known, in the order in which they are listed.
pub static ALL: [&dyn Client; 3] = [&ClaudeCode, &Codex, &Gemini];

/// The client of this name, such as `claude-code`.
pub fn by_name(name: &str) -> Option<&'static dyn Client> {
    ALL.into_iter().find(|client| client.name() == name)
}

/// The event that one of the six words means, or the name that a client has for it, such as `PostToolUse`.
pub fn event(word: &str) -> Option<Event> {
    let own = Event::ALL.into_iter().find(|event| event.as_str() == word);
    own.or_else(|| ALL.into_iter().find_map(|client| client.event(word)))
}

/// How long a client lets a hook run, as we ask in the entries.
const DEADLINE: Duration = Duration::from_secs(10);

/// What is kept of a client's deadline for starting, reading and writing.
const MARGIN: Duration = Duration::from_secs(1);

/// The longest that an agent waits for our context tools.
const LONGEST_PATIENCE: Duration = Duration::from_secs(4);

/// One agent client: how it is told, and how it is asked.
pub trait Client: fmt::Debug + Sync {
    /// Its word on a command line, such as `claude-code`.
    fn name(&self) -> &'static str;

    /// Its name for people.
    fn title(&self) -> &'static str;

    /// The name of its program.
    fn program(&self) -> &'static str;

    /// The version that was run to find out what stands here.
    fn tested(&self) -> Tested;

    /// The features of MCP that it has, of those that a hook may require.
    fn features(&self) -> McpFeatures;

    /// Whether it tells an MCP server the id of its session.
    fn tells_session(&self) -> bool;

    /// Whether a session that is resumed still has what was said when it began, so that it is not to be said again.
    fn keeps_start(&self) -> bool;

    /// What the client makes of an event: its own name for it, and what can be done there.
    fn mapping(&self, event: Event) -> Mapping;

    /// The event that the client calls so, in whatever case: clients that read another's files write its names in
    /// theirs. `None` for an event that is none of the six, such as `PreCompact`.
    fn event(&self, native: &str) -> Option<Event> {
        Event::ALL
            .into_iter()
            .find(|event| self.mapping(*event).native.eq_ignore_ascii_case(native))
    }

    /// Reads what the client wrote to a hook's standard input. What is missing, unknown or of another type is
    /// passed over.
    ///
    /// `servers` are MCP servers by the names that they have in the client. A tool's name can often be read in more
    /// than one way, and is then read so that one of these provides it.
    fn read(&self, event: Event, input: &Value, servers: &[&str]) -> Seen;

    /// The members by which the client names a tool on a hook's standard input: the tool of an MCP server, or one of
    /// its own. A shell tool's name may be any that a client has for one.
    fn named_tool(&self, server: Option<&str>, tool: &str) -> Value;

    /// What a hook writes to standard output so that `text` reaches the agent: a JSON object, empty where
    /// nothing can reach it, where the agent was kept going already, or `text` is empty.
    fn answer(&self, seen: &Seen, text: &str) -> Value;

    /// The most characters that one answer should bring, with the lines that name servers and priorities.
    fn budget(&self, event: Event) -> usize {
        // Claude Code puts more than 50,000 into a file that the agent may not open; the other two have no limit
        // known to us.
        _ = event;
        10_000
    }

    /// The longest that a hook may take before the client ends it: what our entries ask for, 10 s unless the client
    /// gives less.
    fn deadline(&self, event: Event) -> Duration {
        _ = event;
        DEADLINE
    }

    /// The longest that [`fire`] waits for context tools: a second less than [`deadline`](Client::deadline), at most
    /// 4 s.
    fn patience(&self, event: Event) -> Duration {
        self.deadline(event)
            .saturating_sub(MARGIN)
            .min(LONGEST_PATIENCE)
    }

    /// The entry that makes the client run `command` at an event, as it stands in the list of that event. `server` is
    /// the name of the MCP server for which it stands there.
    fn hook_entry(&self, event: Event, server: &str, command: &str) -> Value;

    /// The file that holds hook entries: an object whose member `hooks` has a list for each of the client's events.
    fn hooks_file(&self, scope: InstallScope, place: &Place) -> PathBuf;

    /// The file that holds MCP servers, and the path of members to the object with one member for each. It is TOML if
    /// its name ends so, else JSON.
    fn servers_file(
        &self,
        scope: InstallScope,
        place: &Place,
    ) -> (PathBuf, &'static [&'static str]);

    /// The entry that makes the client start an MCP server on standard input and output.
    fn server_entry(&self, command: &str, arguments: &[String]) -> Value;

    /// What the user has to do besides, in a sentence, such as to review hooks before the client runs them.
    fn further_step(&self, scope: InstallScope) -> Option<&'static str>;

    /// Other clients that read this one's hook entries, for people, each with its condition.
    fn also_read_by(&self) -> &'static [&'static str] {
        &[]
    }
}
