//! The bare and the hooked server in turns of half a second, so that other work on the machine meets both alike.

use std::{
    io,
    time::{Duration, Instant},
};

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

/// Returns the calls a second of each server, while it had the processor to itself and the clients.
pub(crate) async fn rates(servers: &[Server; 2]) -> io::Result<[f64; 2]> {
    let (turn, _) = watch::channel(Turn::Nobody);
    let mut running = Vec::new();
    for (side, server) in servers.iter().enumerate() {
        for at in 0..setting("HOOKS_LOAD_SESSIONS", 500) {
            let client = Client::open(server.port, at).await?;
            let turns = turn.subscribe();
            running.push((side, tokio::spawn(calls(client, side, turns))));
        }
    }
    let mut times = [Duration::ZERO; 2];
    for _ in 0..setting("HOOKS_LOAD_SECONDS", 10) {
        for (side, time) in times.iter_mut().enumerate() {
            let began = Instant::now();
            turn.send_replace(Turn::Of(side));
            sleep(TURN).await;
            *time += began.elapsed();
        }
    }
    turn.send_replace(Turn::Over);
    let mut counts = [0_u64; 2];
    for (side, calls) in running {
        counts[side] += calls.await.map_err(io::Error::other)??;
    }
    let rate = |side: usize| counts[side] as f64 / times[side].as_secs_f64();
    Ok([rate(0), rate(1)])
}

/// Calls the server whenever it is its turn. Returns the number of calls.
async fn calls(
    mut client: Client,
    side: usize,
    mut turns: watch::Receiver<Turn>,
) -> io::Result<u64> {
    let mut calls = 0;
    loop {
        let own = |turn: &Turn| matches!(turn, Turn::Over) || *turn == Turn::Of(side);
        let turn = *turns.wait_for(own).await.map_err(io::Error::other)?;
        if turn == Turn::Over {
            return Ok(calls);
        }
        client.echo().await?;
        calls += 1;
    }
}
