//! The session gate in memory: checking and recording a call with a million sessions, and what a session weighs.

use std::{
    collections::HashMap,
    fs,
    sync::Arc,
    time::{Duration, Instant},
};

use criterion::{Criterion, criterion_group, criterion_main};
use hooks_sdk::{
    session::{CallOutcome, Ledger, Machine, State},
    store::{Key, MemoryStore},
};
use serde_json::Map;

const SESSIONS: u64 = 1_000_000;

/// 16 bytes, spread as random ones are.
fn bytes(number: u64) -> [u8; 16] {
    u128::from(number)
        .wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835)
        .to_be_bytes()
}

fn key(number: u64) -> Key {
    Key::new(&bytes(number))
}

/// A machine in which each success of `turn` moves the session.
fn machine() -> Machine {
    Machine::builder()
        .state(State::new("uninitialized").start().next("turn", "left"))
        .state(State::new("left").allow_any().next("turn", "right"))
        .state(State::new("right").allow_any().next("turn", "left"))
        .build()
        .expect("a sound machine")
}

/// The memory that this process has in use, in bytes; 0 where the system does not say.
fn resident() -> u64 {
    let statm = fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = statm
        .split_whitespace()
        .nth(1)
        .and_then(|pages| pages.parse::<u64>().ok());
    pages.unwrap_or_default() * 4096
}

fn sessions(criterion: &mut Criterion) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a runtime");
    let none = Map::new();
    let before = resident();
    let ledger = Ledger::new(machine(), Arc::new(MemoryStore::new()));
    runtime.block_on(async {
        for number in 0..SESSIONS {
            let key = key(number);
            let new = ledger.unopened();
            ledger
                .record(&key, new, "turn", &none, CallOutcome::Succeeded)
                .await
                .expect("room");
        }
    });
    eprintln!(
        "{} bytes a session with {SESSIONS} sessions",
        (resident() - before) / SESSIONS
    );

    let mut next = 0;
    let mut other = move || {
        // A step that visits every session once, far apart in memory.
        next = (next + 618_033) % SESSIONS;
        key(next)
    };
    criterion.bench_function("check a call, 1,000,000 sessions", |bench| {
        bench.iter_custom(|rounds| {
            runtime.block_on(async {
                let began = Instant::now();
                for _ in 0..rounds {
                    let session = ledger.find(&other()).await.expect("a store");
                    ledger
                        .machine()
                        .check(session.state, "deploy")
                        .expect("an open session");
                }
                began.elapsed()
            })
        });
    });
    let bare: HashMap<[u8; 16], [u64; 5]> = (0..SESSIONS).map(|at| (bytes(at), [at; 5])).collect();
    let mut at = 0;
    criterion.bench_function(
        "the floor: one look into a bare map of 1,000,000",
        |bench| {
            bench.iter(|| {
                at = (at + 618_033) % SESSIONS;
                bare[&bytes(at)][0]
            });
        },
    );
    drop(bare);
    let mut seen = Vec::new();
    criterion.bench_function("record a call that moves, 1,000,000 sessions", |bench| {
        bench.iter_custom(|rounds| {
            runtime.block_on(async {
                let mut spent = Duration::ZERO;
                let mut left = rounds;
                while left > 0 {
                    let many = left.min(100_000);
                    seen.clear();
                    for _ in 0..many {
                        let key = other();
                        seen.push((key.clone(), ledger.find(&key).await.expect("a store")));
                    }
                    let began = Instant::now();
                    for (key, session) in &seen {
                        let step = ledger
                            .record(key, *session, "turn", &none, CallOutcome::Succeeded)
                            .await;
                        assert!(step.expect("a store").moved());
                    }
                    spent += began.elapsed();
                    left -= many;
                }
                spent
            })
        });
    });
}

criterion_group!(benches, sessions);
criterion_main!(benches);
