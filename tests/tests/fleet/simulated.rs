//! The same clients in a simulation: partitions, delays and kills, by a seed.

use std::{
    io,
    net::SocketAddr,
    panic::AssertUnwindSafe,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use hooks_sdk::{http, rmcp::model::RequestStateCodec, store::MemoryStore};
use turmoil::{
    Builder, Sim,
    net::{TcpListener, TcpStream},
};

use crate::{
    chance::Chance,
    client::{Connect, Generation},
    notes::{Notes, replica},
    remote::{self, RemoteStore},
    scenario::{Tally, run},
};

const REPLICAS: [&str; 3] = ["one", "two", "three"];
const PORT: u16 = 8080;

/// How long the hosts suffer, and how long the clients then have to end.
const SUFFERS: Duration = Duration::from_secs(6);
const ENDS: Duration = Duration::from_secs(120);

/// Sends each request to the next replica.
#[derive(Clone)]
struct RoundRobin(Arc<AtomicUsize>);

impl Connect for RoundRobin {
    type Io = TcpStream;

    async fn connect(&self) -> io::Result<TcpStream> {
        let next = self.0.fetch_add(1, Ordering::Relaxed) % REPLICAS.len();
        TcpStream::connect((REPLICAS[next], PORT)).await
    }
}

/// A listener of the simulation.
struct Listener(TcpListener);

impl axum::serve::Listener for Listener {
    type Io = TcpStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (TcpStream, SocketAddr) {
        loop {
            match self.0.accept().await {
                Ok(accepted) => return accepted,
                Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
            }
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }
}

async fn serve(notes: Notes) -> turmoil::Result {
    let listener = Listener(TcpListener::bind(("0.0.0.0", PORT)).await?);
    let keys = RequestStateCodec::try_new(vec![7; 32])?;
    http::Server::new(replica(notes))
        .store(RemoteStore)
        .keys(keys)
        .principal(|parts| Some(parts.headers.get("x-user")?.to_str().ok()?.to_owned()))
        .serve_on(listener, std::future::pending::<()>())
        .await?;
    Ok(())
}

/// Runs the simulation of one seed.
fn simulate(seed: u64, total: &Tally) {
    let mut sim = Builder::new()
        .rng_seed(seed)
        .simulation_duration(SUFFERS + ENDS)
        .tick_duration(Duration::from_millis(5))
        .min_message_latency(Duration::from_millis(1))
        .max_message_latency(Duration::from_millis(40))
        .build();
    let (store, notes) = (Arc::new(MemoryStore::new()), Notes::default());
    sim.host(remote::HOST, move || {
        let store = store.clone();
        async move { Ok(remote::serve(store).await?) }
    });
    for name in REPLICAS {
        let notes = notes.clone();
        sim.host(name, move || serve(notes.clone()));
    }
    let tally = Arc::new(Tally::default());
    let connect = RoundRobin(Arc::new(AtomicUsize::new(0)));
    for (at, generation) in [
        Generation::Legacy,
        Generation::Stateless,
        Generation::Legacy,
        Generation::Stateless,
    ]
    .into_iter()
    .enumerate()
    {
        let (connect, tally) = (connect.clone(), tally.clone());
        sim.client(format!("client-{at}"), async move {
            run(connect, generation, format!("user{at}"), &tally).await;
            Ok(())
        });
    }
    suffer(&mut sim, seed, &tally);
    tally.check();
    total.add(&tally);
}

/// Lets hosts and links fail and come back, until the time is over. Then all of them work again.
fn suffer(sim: &mut Sim<'_>, seed: u64, tally: &Tally) {
    let mut chance = Chance::new(seed);
    let mut next = Duration::from_millis(300);
    let mut mends: Option<(Duration, Fault)> = None;
    loop {
        let now = sim.elapsed();
        if mends.as_ref().is_some_and(|(at, _)| *at <= now)
            && let Some((_, fault)) = mends.take()
        {
            fault.mend(sim);
        }
        if now >= SUFFERS && mends.is_none() {
            tally.stop.store(true, Ordering::Relaxed);
        } else if now >= next && now < SUFFERS && mends.is_none() {
            let fault = Fault::by(&mut chance);
            fault.happen(sim);
            mends = Some((now + Duration::from_millis(chance.below(900)), fault));
            next = now + Duration::from_millis(300 + chance.below(700));
        }
        if sim.step().expect("a simulation that goes on") {
            return;
        }
    }
}

enum Fault {
    /// A host is killed.
    Killed(&'static str),
    /// Two hosts do not reach each other.
    Parted(&'static str, &'static str),
}

impl Fault {
    fn by(chance: &mut Chance) -> Fault {
        let replica = REPLICAS[chance.below(3) as usize];
        if chance.one_in(6) {
            Fault::Killed(remote::HOST)
        } else if chance.one_in(3) {
            Fault::Parted(replica, remote::HOST)
        } else {
            Fault::Killed(replica)
        }
    }

    fn happen(&self, sim: &mut Sim<'_>) {
        match self {
            Fault::Killed(host) => sim.crash(*host),
            Fault::Parted(one, other) => sim.partition(*one, *other),
        }
    }

    fn mend(self, sim: &mut Sim<'_>) {
        match self {
            Fault::Killed(host) => sim.bounce(host),
            Fault::Parted(one, other) => sim.repair(one, other),
        }
    }
}

/// `HOOKS_FLEET_SEEDS` sets the number of seeds, and `HOOKS_FLEET_SEED` the first one.
#[test]
fn nothing_is_lost_with_any_seed() {
    let first = crate::setting("HOOKS_FLEET_SEED", 1);
    let seeds = crate::setting("HOOKS_FLEET_SEEDS", 10);
    let (next, total) = (AtomicUsize::new(0), Tally::default());
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed) as u64;
                    if at >= seeds {
                        return;
                    }
                    let seed = first + at;
                    let done =
                        std::panic::catch_unwind(AssertUnwindSafe(|| simulate(seed, &total)));
                    assert!(
                        done.is_ok(),
                        "seed {seed}: run it alone with HOOKS_FLEET_SEED={seed} HOOKS_FLEET_SEEDS=1"
                    );
                }
            });
        }
    });
    eprintln!("{seeds} seeds: {total:?}");
    total.is_enough();
}
