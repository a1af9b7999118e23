//! A server for notes, with two hooks.

use std::{
    env,
    fs::{self, File},
    io::{self, Write},
    path::PathBuf,
    process::ExitCode,
};

use hooks_sdk::{cli::Program, prelude::*};
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

    /// What was noted last; put before the agent when a session begins.
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

fn main() -> ExitCode {
    let home = env::home_dir().unwrap_or_default();
    Program::new("notes", move || {
        let file = home.join(".notes-server.txt");
        Ok(Notes { file })
    })
    .main()
}
