//! {{description}}.

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

/// The text is in `after_commit.md`; the agent reads it after a commit.
#[lifecycle::hook(
    post_tool_use,
    matcher(tool_name = "Bash", input_contains = "git commit"),
    strength = suggestion
)]
struct AfterCommit;

/// Has its notes in a file, one on each line: the client runs `hooks fire` as a process of its own, which does not see the
/// memory of the server.
struct Notes {
    file: PathBuf,
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

    /// The latest note; the agent reads it when a session begins.
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
    let notes = move || {
        let file = home.join(".{{project-name}}.txt");
        Ok(Notes { file })
    };
    Program::new("{{project-name}}", notes)
        .about(env!("CARGO_PKG_DESCRIPTION"))
        .version(env!("CARGO_PKG_VERSION"))
        .author(env!("CARGO_PKG_AUTHORS"))
        .license(env!("CARGO_PKG_LICENSE"))
        .repository(env!("CARGO_PKG_REPOSITORY"))
        .registry_name("io.github.{{owner}}/{{project-name}}")
        .main()
}
