//! Three replicas behind a round-robin proxy, and clients of both generations, while replicas and the store are killed.
//!
//! Two more replicas ask a guardian that runs as a process, too.
//!
//! `HOOKS_FLEET_SECONDS` sets how long the replicas of the real processes suffer, 10 seconds by default.

#[path = "../soak/chance.rs"]
mod chance;
mod client;
mod guarded;
mod notes;
mod processes;
mod remote;
mod scenario;
mod simulated;

use std::env;

/// Reads a number from the environment.
fn setting(name: &str, default: u64) -> u64 {
    match env::var(name) {
        Ok(given) => given
            .parse()
            .unwrap_or_else(|_| panic!("{name} is `{given}`; give a number")),
        Err(_) => default,
    }
}
