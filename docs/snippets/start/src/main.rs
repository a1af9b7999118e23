//! A server for notes, with two hooks.

use std::{error::Error, sync::Mutex};

use hooks_sdk::prelude::*;
use rmcp::{
    ServerHandler, handler::server::wrapper::Parameters, schemars, tool, tool_handler, tool_router,
};

#[cfg(test)]
mod tests;

/// Put before the agent when it has committed; the words are in `after_commit.md`.
#[lifecycle::hook(
    post_tool_use,
    matcher(tool_name = "Bash", input_contains = "git commit"),
    strength = suggestion
)]
struct AfterCommit;

#[derive(Default)]
pub struct Notes {
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

    /// What was noted last; put before the agent when a session begins.
    #[lifecycle::hook(session_start, strength = important)]
    async fn latest_note(&self) -> Option<String> {
        let notes = self.notes.lock().unwrap();
        Some(format!("The latest note: {}", notes.last()?))
    }
}

#[tool_handler]
impl ServerHandler for Notes {}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    // Standard output is the protocol; the log goes to standard error.
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .init();
    let server = Notes::default().with_hooks()?;
    server.serve(stdio()).await?.waiting().await?;
    Ok(())
}
