//! {{description}}.

use std::{process::ExitCode, sync::Mutex};

use hooks_sdk::{cli::Program, prelude::*};
use rmcp::{
    ServerHandler, handler::server::wrapper::Parameters, schemars, tool, tool_handler, tool_router,
};

#[cfg(test)]
mod tests;

/// The text is in `after_commit.md`; the agent reads it after a commit.
#[lifecycle::hook(
    post_tool_use,
    matcher(tool_name = "Bash", input_contains = "git commit"),
    strength = suggestion
)]
struct AfterCommit;

#[derive(Default)]
struct Notes {
    notes: Mutex<Vec<String>>,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct NewNote {
    text: String,
}

#[hooks_sdk::hooks]
#[tool_router]
impl Notes {
    /// Keeps a note.
    #[tool]
    async fn add_note(&self, Parameters(note): Parameters<NewNote>) -> String {
        self.notes.lock().unwrap().push(note.text);
        "kept".to_owned()
    }

    /// The latest note; the agent reads it when a session begins.
    #[lifecycle::hook(session_start, strength = important)]
    async fn latest_note(&self) -> Option<String> {
        let notes = self.notes.lock().unwrap();
        Some(format!("The latest note: {}", notes.last()?))
    }
}

#[tool_handler]
impl ServerHandler for Notes {}

fn main() -> ExitCode {
    Program::new("{{project-name}}", || Ok(Notes::default()))
        .about(env!("CARGO_PKG_DESCRIPTION"))
        .version(env!("CARGO_PKG_VERSION"))
        .author(env!("CARGO_PKG_AUTHORS"))
        .license(env!("CARGO_PKG_LICENSE"))
        .repository(env!("CARGO_PKG_REPOSITORY"))
        .registry_name("io.github.{{owner}}/{{project-name}}")
        .main()
}
