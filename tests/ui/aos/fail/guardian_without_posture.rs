use hooks_sdk::{
    aos::{Agent, Guardian},
    prelude::*,
};
use rmcp::ServerHandler;

struct Notes;

impl ServerHandler for Notes {}

fn main() {
    let guardian = Guardian::local(())
        .agent(Agent::new("notes", "Notes").provider("Example", "https://example.com"));
    _ = Notes.with_hooks().map(|notes| notes.guardian(guardian));
}
