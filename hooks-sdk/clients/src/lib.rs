//! Today's agent clients, none of which reads a server's declarations: their names for the events, their input to a
//! hook, and the answers that they read.
//!
//! A client runs a command at each of its events. [`fire`] is such a command without its input and output: it takes the
//! bytes of standard input, and returns the object for standard output, whatever the bytes are.
//!
//! ```
//! use hooks_sdk::{clients, lifecycle::{Event, host::{LifecycleHost, NoTools, ClientControls}}};
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

#[cfg(test)]
mod budget_tests;
mod capabilities;
mod claude_code;
mod client;
mod cline;
mod codex;
pub mod config;
mod copilot;
mod cursor;
pub mod dump;
mod fire;
mod gate;
mod gate_checks;
mod gemini;
#[cfg(feature = "history")]
pub mod history;
mod input;
mod installation;
mod kimi;
mod mapping;
mod opencode;
mod output;
mod place;
mod plugin;
mod program;
mod qwen;
mod raw;
mod read_input;
mod seen;
pub mod synthesize;
mod tool;
pub mod trial;

use hooks_core::lifecycle::Event;

pub use hooks_core::lifecycle::budget;

pub use capabilities::{AfterStart, Aftermath, Evidence, Excess, Limit, Tested, Unit};
pub use client::{Client, Looked};
pub use fire::{Fired, Fitting, fire};
pub use fire::{Shorten, Unfit, fire_fitting, silence};
pub use gate::{
    AskedCall, GateTrial, Gates, MAX_REASON, RefusalForm, changed, configured_servers,
    project_of_hook, read_call, refusal,
};
pub use gate_checks::{HookBeforeTools, hooks_before_tools};
pub use installation::{GateEntries, INSTALLED_VARIABLE, Installation, Start};
pub use mapping::{Delivery, Mapping};
pub use place::{InstallScope, Place, UserFolder};
pub use program::find_program;
// For the JavaScript of packages, which `cargo-hooks` makes.
#[doc(hidden)]
pub use plugin::{filled, script};
pub use read_input::{InputError, MAX_INPUT, parsed, read_input, read_whole};
pub use seen::Seen;

/// All known clients, in the order of lists: the table, which each client's own file has one row of.
pub static ALL: [&Client; 9] = [
    &claude_code::ROW,
    &codex::ROW,
    &gemini::ROW,
    &copilot::ROW,
    &qwen::ROW,
    &opencode::ROW,
    &cline::ROW,
    &kimi::ROW,
    &cursor::ROW,
];

/// Returns the client of this name, such as `claude-code`.
pub fn by_name(name: &str) -> Option<&'static Client> {
    ALL.into_iter().find(|client| client.name == name)
}

/// Returns the event for one of the six names, or for a client's own name, such as `PostToolUse`.
pub fn event(word: &str) -> Option<Event> {
    let own = Event::ALL.into_iter().find(|event| event.as_str() == word);
    own.or_else(|| ALL.into_iter().find_map(|client| client.event(word)))
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
