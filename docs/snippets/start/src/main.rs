//! A server for notes, with two hooks, an order of calls, and a question to the user.

use std::{
    env,
    fs::{self, File},
    io::{self, Write},
    path::PathBuf,
    process::ExitCode,
};

use hooks_sdk::{
    Policy,
    cli::Program,
    plugin::{Instance, ready::Confirm},
    prelude::*,
};
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

/// An agent reads the notes before it clears them.
#[derive(SessionState, Clone, Copy)]
enum Stage {
    #[stage(start, allow(add_note), next(read_notes => Read))]
    New,
    #[stage(allow(any))]
    Read,
}

/// Has its notes in a file, one on each line.
pub struct Notes {
    pub file: PathBuf,
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
    async fn add_note(&self, Parameters(note): Parameters<NewNote>) -> Result<String, String> {
        self.keep(&note.text).map_err(|error| error.to_string())?;
        Ok("kept".to_owned())
    }

    /// Returns all notes.
    #[tool(annotations(read_only_hint = true))]
    async fn read_notes(&self) -> String {
        fs::read_to_string(&self.file).unwrap_or_default()
    }

    /// Deletes all notes.
    #[tool(annotations(destructive_hint = true))]
    async fn clear_notes(&self) -> Result<String, String> {
        fs::remove_file(&self.file).map_err(|error| error.to_string())?;
        Ok("cleared".to_owned())
    }

    /// Returns the note that was written last. A client puts it before the agent when a session begins.
    #[lifecycle::hook(session_start, strength = important)]
    async fn latest_note(&self) -> String {
        let notes = fs::read_to_string(&self.file).unwrap_or_default();
        match notes.lines().last() {
            Some(note) => format!("The latest note: {note}"),
            None => "There is no note yet. Keep the first one with `add_note`.".to_owned(),
        }
    }

    fn keep(&self, note: &str) -> io::Result<()> {
        let mut file = File::options().create(true).append(true).open(&self.file)?;
        writeln!(file, "{}", note.replace('\n', " "))
    }
}

#[tool_handler]
impl ServerHandler for Notes {}

/// The user confirms each call of a destructive tool.
fn policy() -> Policy {
    Policy::new().with(Instance::of(Confirm::new()).priority(90))
}

fn main() -> ExitCode {
    let home = env::home_dir().unwrap_or_default();
    Program::new("notes", move || {
        let file = home.join(".notes-server.txt");
        Ok(Notes { file })
    })
    .package(hooks_sdk::package!())
    .session::<Stage>()
    .policy(policy())
    .main()
}
