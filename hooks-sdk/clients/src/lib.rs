//! Today's agent clients, none of which reads a server's declarations: their names for the events, their input to a
//! hook, and the answers that they read.
//!
//! A client runs a command at each of its events. [`fire`] is such a command without its input and output: it takes the
//! bytes of standard input, and returns the object for standard output, whatever the bytes are.
//!
//! ```
//! use hooks_sdk::{clients::{self, Client}, lifecycle::{Event, host::{LifecycleHost, NoTools, ClientControls}}};
//! use serde_json::json;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let mut host = LifecycleHost::new(ClientControls::default());
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

#![cfg_attr(docsrs, feature(doc_cfg))]

mod answer;
#[cfg(test)]
mod budget_tests;
mod capabilities;
pub mod config;
pub mod dump;
mod fire;
mod gate;
mod gate_checks;
mod gate_plugin;
pub mod history;
mod input;
mod installation;
mod mapping;
mod output;
mod place;
mod plugin;
mod raw;
mod read_input;
mod seen;
pub mod synthesize;
mod tool;
pub mod trial;

use std::{fmt, path::PathBuf, time::Duration};

use serde_json::{Value, json};

pub use hooks_core::lifecycle::budget;
use hooks_core::{guidance::McpFeatures, lifecycle::Event};

pub use capabilities::{
    AfterStart, Aftermath, Capabilities, Evidence, Excess, Limit, Tested, Unit,
};
use config::Plan;
pub use fire::{Fired, fire, fire_seen};
pub use fire::{Fitting, Shorten, Unfit, fire_fitting, silence};
pub use gate::{
    ArgumentChange, AskedCall, GateTrial, Gates, MAX_REASON, NoCall, RefusalForm, changed,
    configured_servers, project_of_hook, read_call, refusal,
};
pub use gate_checks::{HookBeforeTools, hooks_before_tools};
pub use installation::{GateEntries, INSTALLED_VARIABLE, Installation, Start};
pub use mapping::{Delivery, Mapping};
pub use place::{InstallScope, Place, UserFolder};
// For the JavaScript of packages, which `cargo-hooks` makes.
#[doc(hidden)]
pub use plugin::{filled, script};
pub use read_input::parsed;
pub use read_input::{InputError, MAX_INPUT, read_input};
pub use seen::Seen;

/// Declares the file of each client, exports its type, and makes [`TABLE`] and [`ALL`] of the rows in these files.
macro_rules! clients {
    ($($file:ident::$client:ident,)+) => {
        $(
            mod $file;
            pub use $file::$client;
        )+

        /// What each client can do, in the order of [`ALL`].
        pub static TABLE: [Capabilities; [$(stringify!($file)),+].len()] = [$($file::ROW),+];

        /// All known clients, in the order of lists.
        pub static ALL: [&dyn Client; TABLE.len()] = [$(&$client),+];
    };
}

clients! {
    claude_code::ClaudeCode,
    codex::Codex,
    gemini::Gemini,
    copilot::Copilot,
    qwen::Qwen,
    opencode::OpenCode,
    cline::Cline,
    cursor::Cursor,
    antigravity::Antigravity,
}

/// Returns the client of this name, such as `claude-code`.
pub fn by_name(name: &str) -> Option<&'static dyn Client> {
    ALL.into_iter().find(|client| client.name() == name)
}

/// Returns the event for one of the six names, or for a client's own name, such as `PostToolUse`.
pub fn event(word: &str) -> Option<Event> {
    let own = Event::ALL.into_iter().find(|event| event.as_str() == word);
    own.or_else(|| ALL.into_iter().find_map(|client| client.event(word)))
}

/// The part of a client's deadline for starting, reading and writing.
const MARGIN: Duration = Duration::from_secs(1);

/// The maximum time for context tools.
const LONGEST_PATIENCE: Duration = Duration::from_secs(4);

/// One agent client: its row in the table, its input, its answers and its files.
///
/// The methods that read only the row have a body. What a client can do is in its row, and what it does differently is in
/// the other methods.
pub trait Client: fmt::Debug + Sync {
    /// Returns the client's row in the [table](TABLE).
    fn capabilities(&self) -> &'static Capabilities;

    /// Returns the client's name on a command line, such as `claude-code`.
    fn name(&self) -> &'static str {
        self.capabilities().name
    }

    /// Returns the client's name for people.
    fn title(&self) -> &'static str {
        self.capabilities().title
    }

    /// Returns the name of the client's program.
    fn program(&self) -> &'static str {
        self.capabilities().program
    }

    /// Returns the version to which the row applies.
    fn tested(&self) -> Tested {
        self.capabilities().recorded
    }

    /// Returns the features of MCP that the client has, of those that a hook can require.
    fn features(&self) -> McpFeatures {
        self.capabilities().features
    }

    /// Returns whether an MCP server receives the id of the client's session.
    fn tells_session(&self) -> bool {
        self.capabilities().tells_session
    }

    /// Returns whether a resumed session still has the texts of its start, so that they are not sent again.
    fn keeps_start(&self) -> bool {
        self.capabilities().after_start.resume == Aftermath::Kept
    }

    /// Returns the client's behaviour at an event: its own name for it, and how a text reaches the agent.
    fn mapping(&self, event: Event) -> Mapping {
        self.capabilities().at(event)
    }

    /// Returns the event for one of the client's own names, in any case, because clients that read this client's files
    /// change the case. `None` for an event that is none of the six, such as `PreCompact`.
    fn event(&self, native: &str) -> Option<Event> {
        let is_at = |event: &Event| {
            let mut natives = self.mapping(*event).natives();
            natives.any(|name| name.eq_ignore_ascii_case(native))
        };
        Event::ALL.into_iter().find(is_at)
    }

    /// Returns the maximum length of one answer, including the lines that name servers and priorities: the client's own
    /// limit, but at most 10,000 of its units; the limit that the entry sets, where an entry can set one; and 10,000
    /// characters in a client without a known limit.
    fn budget(&self, event: Event) -> Limit {
        self.capabilities().budget(event)
    }

    /// Returns the time after which the client ends a hook.
    fn deadline(&self, event: Event) -> Duration {
        self.mapping(event).deadline
    }

    /// Returns how long [`fire`] waits for context tools: a second less than [`deadline`](Client::deadline), at most 4 s.
    /// `hooks fire` also reads the input in this time.
    fn patience(&self, event: Event) -> Duration {
        self.deadline(event)
            .saturating_sub(MARGIN)
            .min(LONGEST_PATIENCE)
    }

    /// Returns the scopes in which hooks can be installed.
    fn scopes(&self) -> &'static [InstallScope] {
        self.capabilities().scopes
    }

    /// Returns the other clients that read this client's hook entries, for people, each with its condition.
    fn also_read_by(&self) -> &'static [&'static str] {
        self.capabilities().also_read_by
    }

    /// Returns the other client that wrote this input, because it fires this client's entries. It is answered in its own
    /// form.
    fn caller(&self, input: &Value) -> Option<&'static dyn Client> {
        _ = input;
        None
    }

    /// Reads what the client wrote to a hook's standard input. Ignores members that are missing, unknown or of another
    /// type.
    ///
    /// `servers` are the names of MCP servers in the client. If a tool's name can be split in several ways, the tool
    /// belongs to one of these.
    fn read(&self, event: Event, input: &Value, servers: &[&str]) -> Seen;

    /// Returns the answer at an event of the client's own that is none of the six and that no hook is declared for.
    /// `None` for every other event. `native` is the client's name for the event, and `server` is the name of the MCP
    /// server.
    fn aside(&self, native: &str, input: &Value, server: &str) -> Option<Value> {
        _ = (native, input, server);
        None
    }

    /// Returns the members by which the client names a tool on a hook's standard input: the tool of an MCP server, or
    /// one of its own. A shell tool can have the name of any client.
    fn named_tool(&self, server: Option<&str>, tool: &str) -> Value;

    /// Returns the JSON object for a hook's standard output that sends `text` to the agent. It is empty if no text
    /// reaches the agent, if a hook has already kept the agent going, or if `text` is empty.
    ///
    /// Default: the form of Claude Code.
    fn answer(&self, seen: &Seen, text: &str) -> Value {
        answer::bringing(self.mapping(seen.occasion.event), seen, "block", text)
    }

    /// Returns the entry, in the list of an event, that makes the client run `command`. `server` is the name of the MCP
    /// server.
    ///
    /// It has no matcher: [`fire`] does the matching, because the clients' matchers differ from SEP-2282's.
    fn hook_entry(&self, event: Event, server: &str, command: &str) -> Value {
        _ = server;
        let timeout = self.deadline(event).as_secs();
        json!({ "hooks": [{ "type": "command", "command": command, "timeout": timeout }] })
    }

    /// Returns the file of hook entries, or the file that this SDK writes for the client. `server` is the name of the MCP
    /// server.
    fn hooks_file(&self, scope: InstallScope, place: &Place, server: &str) -> PathBuf;

    /// Returns the path of members, in the file of hook entries, to the object with a list for each of the client's
    /// events.
    fn hooks_path(&self, server: &str) -> Vec<String> {
        _ = server;
        vec!["hooks".to_owned()]
    }

    /// Adds the hooks to a plan: for each event an entry in the [file](Client::hooks_file) of hook entries.
    fn plan_hooks(&self, plan: Plan, to: &Installation<'_>) -> Plan {
        installation::plan(self, plan, to)
    }

    /// Returns the file of MCP servers, and the path of members to the object with one member for each server. The file
    /// is TOML if its name ends in `.toml`, otherwise JSON. `None` if the client has no such file in this scope.
    fn servers_file(&self, scope: InstallScope, place: &Place) -> Option<(PathBuf, Vec<String>)>;

    /// Returns the entry that makes the client start an MCP server on standard input and output.
    ///
    /// Default: an object with `command` and `args`.
    fn server_entry(&self, command: &str, arguments: &[String]) -> Value {
        json!({ "command": command, "args": arguments })
    }

    /// Returns a further step for the user, as a sentence, such as to review hooks before the client runs them.
    fn further_step(&self, scope: InstallScope) -> Option<&'static str> {
        _ = scope;
        None
    }

    /// Returns what the user may wonder about in the files of a scope, as sentences for people.
    fn remarks(&self, scope: InstallScope, place: &Place) -> Vec<String> {
        _ = (scope, place);
        Vec::new()
    }

    /// Returns what keeps the hooks of a scope off without a word, as sentences for people, each with what mends it.
    fn checks(&self, scope: InstallScope, place: &Place) -> Vec<String> {
        _ = (scope, place);
        Vec::new()
    }
}

impl PartialEq for dyn Client {
    fn eq(&self, other: &dyn Client) -> bool {
        self.name() == other.name()
    }
}

impl Eq for dyn Client {}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
