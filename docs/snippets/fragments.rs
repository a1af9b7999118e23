//! The small pieces of code of the book that no other snippet has.

use std::{error::Error, path::Path, process::ExitCode, time::Duration};

use hooks_sdk::{
    Hooked, Policy,
    cli::Program,
    core::observe::{AlreadyObserved, Observe},
    mcpl::McplSettings,
    plugin::{Instance, ready::Redact},
    prelude::*,
    rmcp::{ServerHandler, model::RequestStateCodec},
    store::{MemoryStore, RedisStore, SqliteStore},
};

#[derive(Clone)]
struct Notes;

impl ServerHandler for Notes {}

#[derive(SessionState, Clone, Copy)]
enum Stage {
    #[stage(start, next(session_init => Ready))]
    New,
    #[stage(allow(any))]
    Ready,
}

// ANCHOR: mcpl
fn patient(notes: Notes) -> Result<Hooked<Notes>, Box<dyn Error>> {
    let settings = McplSettings::new()
        .timeout(Duration::from_secs(10))
        .enable_silent_hosts_after(Duration::from_secs(5));
    Ok(notes.with_hooks()?.mcpl(settings))
}
// ANCHOR_END: mcpl

// ANCHOR: questions
fn shared_questions(file: &Path, key: Vec<u8>) -> Result<Policy, Box<dyn Error>> {
    Ok(Policy::new()
        .store(SqliteStore::open(file)?)
        .keys(RequestStateCodec::try_new(key)?))
}
// ANCHOR_END: questions

// ANCHOR: stdio
async fn careful(notes: Notes) -> Result<(), Box<dyn Error>> {
    let transport = stdio()
        .max_requests(100)
        .drain_timeout(Duration::from_secs(10));
    notes
        .with_hooks()?
        .serve(transport)
        .await?
        .waiting()
        .await?;
    Ok(())
}
// ANCHOR_END: stdio

// ANCHOR: program
fn main() -> ExitCode {
    Program::new("notes", || Ok(Notes))
        .package(hooks_sdk::package!())
        .main()
}
// ANCHOR_END: program

// ANCHOR: rotation
fn rotate(old: [u8; 32], new: [u8; 32]) -> Result<[RequestStateCodec; 2], Box<dyn Error>> {
    let keys = [("2026-10", old), ("2026-11", new)];
    let step_1 = RequestStateCodec::new_with_keyring("2026-10", keys)?;
    let step_2 = RequestStateCodec::new_with_keyring("2026-11", keys)?;
    Ok([step_1, step_2])
}
// ANCHOR_END: rotation

// ANCHOR: signed
fn signed(key: [u8; 32]) -> Result<Sessions, Box<dyn Error>> {
    let keys = RequestStateCodec::new_with_keyring("2026-11", [("2026-11", key)])?;
    Ok(Sessions::of::<Stage>().signed(keys))
}
// ANCHOR_END: signed

// ANCHOR: contents
fn observe_contents() -> Result<(), AlreadyObserved> {
    Observe::new().contents(1_000).install()
}
// ANCHOR_END: contents

// ANCHOR: redacted
fn redacted(notes: Notes) -> Result<Hooked<Notes>, Box<dyn Error>> {
    let policy = Policy::new().with(Instance::of(Redact::new()));
    Ok(notes.with_hooks()?.policy(policy))
}
// ANCHOR_END: redacted

// ANCHOR: session
async fn with_sessions(notes: Notes) -> Result<(), Box<dyn Error>> {
    let hooked = notes.with_hooks()?.session::<Stage>();
    hooked.serve(stdio()).await?.waiting().await?;
    Ok(())
}
// ANCHOR_END: session

// ANCHOR: contract
#[tokio::test]
async fn the_store_keeps_its_promises() {
    hooks_sdk::testing::store_contract(MemoryStore::new()).await;
}
// ANCHOR_END: contract

// ANCHOR: scheme
fn with_a_store_of_its_own() -> Program<Notes> {
    Program::new("notes", || Ok(Notes)).store_scheme("cache", async |url: String| {
        let address = url.replacen("cache://", "redis://", 1);
        Ok(RedisStore::connect(&address).await?)
    })
}
// ANCHOR_END: scheme
