//! A served program whose gate waits for the session with the server: the test of two processes starts it as both.

use std::{env, process::ExitCode};

use hooks_sdk::{
    cli::Program,
    plugin::{Instance, posture, ready::ServerFirst},
    server::{Policy, Sessions},
    session::Machine,
};
use hooks_tests::toy_server::ToyServer;

fn main() -> ExitCode {
    let first = ServerFirst::new().tool("session_init");
    let machine = Machine::standard().build().expect("the standard machine");
    let make = || Ok(ToyServer::default().tool("session_init", async |_| "open".to_owned()));
    let program = Program::new("gated", make)
        .sessions(Sessions::on(machine))
        .policy(Policy::new().with(Instance::of(first).posture(posture::deny)));
    match env::var_os("GATED_DATA") {
        Some(folder) => program.data(folder.into_string().expect("UTF-8")).main(),
        None => program.main(),
    }
}
