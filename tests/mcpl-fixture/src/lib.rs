//! A server that has everything of MCPL, written with the public API only, for hosts to be run against.

mod args;
mod channels;
mod context;
mod said;
mod seen;
mod sets;
mod state;
mod tools;

use std::{env, time::Duration};

use anyhow::Context as _;
use hooks_sdk::{
    Hooked, WithHooks,
    core::BuildErrors,
    mcpl::{Checkpoints, McplSettings, checkpoints::Json},
};
use rmcp::handler::server::router::tool::ToolRouter;

use self::{channels::Rooms, seen::Seen, state::Notes};

/// How long the server waits for the host, in milliseconds.
const TIMEOUT: &str = "ACC_TIMEOUT_MS";

/// The server: what it has seen of its host, its rooms, and its notes.
#[derive(Debug)]
pub struct Fixture {
    router: ToolRouter<Fixture>,
    seen: Seen,
    rooms: Rooms,
    notes: Checkpoints<Json<Notes>>,
}

impl Fixture {
    /// A server that has seen nothing and has no notes.
    #[must_use]
    pub fn new() -> Fixture {
        Fixture {
            router: Fixture::tools(),
            seen: Seen::default(),
            rooms: Rooms::default(),
            notes: Checkpoints::in_memory(Json(Notes::default())),
        }
    }

    /// The server with its hooks, which waits so long for its host.
    ///
    /// # Errors
    ///
    /// A mistake in the hooks.
    pub fn hooked(self, timeout: Duration) -> Result<Hooked<Fixture>, BuildErrors> {
        Ok(self
            .with_hooks()?
            .mcpl(McplSettings::new().timeout(timeout)))
    }
}

impl Default for Fixture {
    fn default() -> Fixture {
        Fixture::new()
    }
}

/// How long the server waits for the host: `ACC_TIMEOUT_MS`, or 3 s.
///
/// # Errors
///
/// A value that is no number of milliseconds.
pub fn timeout() -> anyhow::Result<Duration> {
    let Some(given) = env::var_os(TIMEOUT) else {
        return Ok(Duration::from_secs(3));
    };
    let given = given.to_string_lossy();
    let milliseconds = given
        .parse()
        .with_context(|| format!("{TIMEOUT} is `{given}`; give a number of milliseconds"))?;
    Ok(Duration::from_millis(milliseconds))
}
