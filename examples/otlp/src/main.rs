//! A server of notes whose spans and metrics go to a collector over OTLP.

mod otlp;

use std::{
    env, io,
    sync::{Mutex, PoisonError},
};

use hooks_sdk::{
    Policy,
    cli::{CommandError, Program},
    plugin::{Instance, ready::RateLimit},
};
use rmcp::{
    ServerHandler, handler::server::wrapper::Parameters, schemars, tool, tool_handler, tool_router,
};
use tracing_subscriber::{EnvFilter, prelude::*};

use otlp::Sending;

/// Has its notes in memory.
#[derive(Default)]
struct Notes(Mutex<Vec<String>>);

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct NewNote {
    text: String,
}

#[tool_router]
impl Notes {
    /// Keeps a note.
    #[tool]
    fn add_note(&self, Parameters(note): Parameters<NewNote>) -> String {
        let mut notes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        notes.push(note.text);
        format!("{} notes", notes.len())
    }

    /// Lists the notes.
    #[tool]
    fn list_notes(&self) -> String {
        let notes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        notes.join("\n")
    }
}

#[tool_handler]
impl ServerHandler for Notes {}

fn main() -> Result<(), CommandError> {
    let url = env::args().nth(1);
    let url = url.ok_or("usage: otlp-server URL, such as http://127.0.0.1:4318")?;
    let sending = Sending::to(&url).map_err(|error| format!("`{url}`: {error}"))?;
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("warn"));
    // Standard output is the protocol.
    let log = tracing_subscriber::fmt::layer().with_writer(io::stderr);
    tracing_subscriber::registry()
        .with(log.with_filter(filter))
        .with(sending.layer())
        .init();
    // A hook, so that there is something to see.
    let limit = Instance::of(RateLimit::new().per_minute(10));
    let served = Program::new("notes", || Ok(Notes::default()))
        .policy(Policy::new().with(limit))
        .serve_blocking();
    sending.end();
    served
}
