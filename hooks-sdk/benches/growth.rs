//! How the cost of one call grows: with plugin hooks, with rules, with open sessions, and with replicas. Prints one line for
//! each point of a curve: its name, how many there are, and microseconds a call.
//!
//! ```sh
//! cargo bench -p hooks-sdk --features http,policy-engine --bench growth
//! ```
//!
//! `HOOKS_GROWTH_ROUNDS` sets how many batches each point has (200). The points of a curve alternate, so that other load
//! falls on all of them alike.

use std::{
    env,
    error::Error,
    io,
    sync::Arc,
    time::{Duration, Instant},
};

use hooks_sdk::{Collected, core::Registry, http, store::MemoryStore};
use rmcp::{
    ServerHandler, handler::server::wrapper::Parameters, schemars, tool, tool_handler, tool_router,
};
use tokio::{net::TcpListener, runtime::Runtime};

#[path = "http/client.rs"]
mod client;
mod servers;

use servers::{Ask, Ten, plugged_with, runtime, with_sessions};

/// How many hooks and rules there are.
const HOOKS: [usize; 7] = [0, 1, 5, 10, 25, 50, 100];
/// How many sessions of one client are open.
const SESSIONS: [usize; 5] = [1, 10, 100, 1_000, 10_000];
/// How many replicas serve the calls of one session in turn.
const REPLICAS: [usize; 5] = [1, 2, 3, 4, 8];
/// How many calls a batch has.
const BATCH: u32 = 50;

/// The author's server of the replicas.
struct Desk;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Echo {
    text: String,
}

#[tool_router]
impl Desk {
    #[tool]
    async fn session_init(&self) -> String {
        "opened".to_owned()
    }

    #[tool]
    async fn echo(&self, Parameters(given): Parameters<Echo>) -> String {
        given.text
    }
}

#[tool_handler]
impl ServerHandler for Desk {}

fn main() -> Result<(), Box<dyn Error>> {
    let rounds = match env::var("HOOKS_GROWTH_ROUNDS") {
        Ok(rounds) => rounds.parse()?,
        // A run as a test only shows that it works.
        Err(_) if env::args().any(|argument| argument == "--test") => 1,
        Err(_) => 200,
    };
    let runtime = runtime();
    for (name, kind) in [("hooks", Ten::Before), ("rules", Ten::Rules)] {
        let clients = HOOKS.map(|count| runtime.block_on(plugged_with(count, kind)));
        curve(name, &HOOKS, rounds, |at| {
            calls(&runtime, async || Ask::tool().of(&clients[at]).await)
        });
    }
    let clients = SESSIONS.map(|count| runtime.block_on(with_sessions(count)));
    curve("sessions", &SESSIONS, rounds, |at| {
        calls(&runtime, async || Ask::tool().of(&clients[at]).await)
    });
    drop(clients);
    // Replicas have threads of their own, as the servers of a fleet have.
    let runtime = tokio::runtime::Runtime::new()?;
    let mut fleets = Vec::new();
    for count in REPLICAS {
        fleets.push(runtime.block_on(fleet(count))?);
    }
    curve("replicas", &REPLICAS, rounds, |at| {
        let fleet = &mut fleets[at];
        let began = Instant::now();
        runtime.block_on(async {
            for call in 0..BATCH {
                let replica = call as usize % fleet.len();
                fleet[replica].echo().await.expect("an answer");
            }
        });
        began.elapsed() / BATCH
    });
    Ok(())
}

/// Measures the points of a curve in turns, and prints their medians.
fn curve(name: &str, counts: &[usize], rounds: usize, mut measure: impl FnMut(usize) -> Duration) {
    let mut times = vec![Vec::new(); counts.len()];
    // The first rounds warm up.
    for round in 0..rounds + rounds / 10 {
        for (at, times) in times.iter_mut().enumerate() {
            let took = measure(at);
            if round >= rounds / 10 {
                times.push(took);
            }
        }
    }
    for (count, mut times) in counts.iter().zip(times) {
        times.sort_unstable();
        let median = times[times.len() / 2].as_secs_f64() * 1e6;
        eprintln!("{name}\t{count}\t{median:.3}");
    }
}

fn calls(runtime: &Runtime, call: impl AsyncFn()) -> Duration {
    let began = Instant::now();
    runtime.block_on(async {
        for _ in 0..BATCH {
            call().await;
        }
    });
    began.elapsed() / BATCH
}

/// Serves so many replicas over one store. Returns one client's connections to them, all in one session.
async fn fleet(count: usize) -> io::Result<Vec<client::Client>> {
    let store = Arc::new(MemoryStore::new());
    let mut ports = Vec::new();
    for _ in 0..count {
        let registry = Registry::builder().build().map_err(io::Error::other)?;
        let hooked = Collected::of(registry).map_err(io::Error::other)?;
        let hooked = hooked.wrap(Desk).map_err(io::Error::other)?;
        let server = http::Server::new(hooked).store(store.clone());
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        ports.push(listener.local_addr()?.port());
        tokio::spawn(server.serve_on(listener, std::future::pending::<()>()));
    }
    let first = client::Client::open(ports[0], 0).await?;
    let mut connections = Vec::new();
    for port in &ports[1..] {
        connections.push(first.beside(*port).await?);
    }
    connections.insert(0, first);
    Ok(connections)
}
