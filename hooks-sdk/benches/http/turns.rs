//! Two servers in turns of half a second, so that other work on the machine meets both alike.

use std::{
    io,
    time::{Duration, Instant},
};

use serde_json::json;
use tokio::{sync::watch, time::sleep};

use super::{Server, client::Client, setting};

/// The length of a turn.
const TURN: Duration = Duration::from_millis(500);

/// Whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Turn {
    Nobody,
    Of(usize),
    Over,
}

/// The calls of one server, while it had the processor to itself and the clients.
#[derive(Debug)]
pub(crate) struct Found {
    /// The time of each call, from the shortest to the longest.
    times: Vec<Duration>,
    pub(crate) calls_a_second: f64,
    /// The processor time of the server for a call, in microseconds.
    pub(crate) processor: f64,
}

impl Found {
    /// Returns the time within which this share of the calls was answered.
    pub(crate) fn within(&self, share: f64) -> Duration {
        let at = (self.times.len() as f64 * share) as usize;
        self.times.get(at).copied().unwrap_or_default()
    }
}

/// Calls the servers in turns. `slow` is the server that answers a call of ten seconds all the while.
pub(crate) async fn run(servers: &[Server; 2], slow: Option<usize>) -> io::Result<[Found; 2]> {
    let (turn, _) = watch::channel(Turn::Nobody);
    let mut running = [Vec::new(), Vec::new()];
    for (side, server) in servers.iter().enumerate() {
        for at in 0..setting("HOOKS_LOAD_SESSIONS", 500) {
            let client = Client::open(server.port, at).await?;
            let turns = turn.subscribe();
            running[side].push(tokio::spawn(calls(client, side, turns)));
        }
    }
    let slow = match slow {
        Some(side) => Client::open(servers[side].port, 0).await.map(Some)?,
        None => None,
    };
    let slow = slow.map(|mut client| {
        tokio::spawn(async move { while client.call("slow", json!({})).await.is_ok() {} })
    });
    let processor = || [servers[0].processor(), servers[1].processor()];
    let (mut times, before) = ([Duration::ZERO; 2], processor());
    for _ in 0..setting("HOOKS_LOAD_SECONDS", 10) {
        for (side, time) in times.iter_mut().enumerate() {
            let began = Instant::now();
            turn.send_replace(Turn::Of(side));
            sleep(TURN).await;
            *time += began.elapsed();
        }
    }
    let after = processor();
    turn.send_replace(Turn::Over);
    if let Some(slow) = slow {
        slow.abort();
    }
    let mut found = Vec::new();
    for (side, running) in running.into_iter().enumerate() {
        let mut all = Vec::new();
        for client in running {
            all.extend(client.await.map_err(io::Error::other)??);
        }
        all.sort_unstable();
        let count = all.len() as f64;
        found.push(Found {
            times: all,
            calls_a_second: count / times[side].as_secs_f64(),
            processor: (after[side] - before[side]) / count,
        });
    }
    found
        .try_into()
        .map_err(|_| io::Error::other("there are two servers"))
}

/// Calls the server whenever it is its turn. Returns the time of each call.
async fn calls(
    mut client: Client,
    side: usize,
    mut turns: watch::Receiver<Turn>,
) -> io::Result<Vec<Duration>> {
    let pause = Duration::from_millis(setting("HOOKS_LOAD_PAUSE", 0));
    let mut times = Vec::new();
    loop {
        let own = |turn: &Turn| matches!(turn, Turn::Over) || *turn == Turn::Of(side);
        let turn = *turns.wait_for(own).await.map_err(io::Error::other)?;
        if turn == Turn::Over {
            return Ok(times);
        }
        let sent = Instant::now();
        client.echo().await?;
        times.push(sent.elapsed());
        if !pause.is_zero() {
            sleep(pause).await;
        }
    }
}
