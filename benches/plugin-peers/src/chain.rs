//! Hook chains of others and ours in one run: hooks that do nothing, a condition on an argument, and many rules.

mod ours;
mod peers;

use std::{
    env, fs,
    path::{Path, PathBuf},
    time::Duration,
};

use cpu_time::ThreadTime;
use criterion::{Criterion, criterion_group};
use serde_json::{Map, Value, json};
use tokio::runtime::{Builder, Runtime};

/// How many hooks stand at the point.
const HOOKS: [usize; 4] = [0, 1, 10, 100];
/// How many payloads are made at a time, before the clock starts.
const BATCH: u64 = 1_000;

/// The arguments of a small call, the same for each chain.
fn args() -> Map<String, Value> {
    let args = json!({ "path": "/srv/data/report.txt", "mode": "read", "limit": 100 });
    args.as_object().cloned().expect("an object")
}

/// One thread, as the benches of the workspace have it.
fn runtime() -> Runtime {
    Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a runtime")
}

/// Times `run` only: its payloads are made before. What becomes of a payload, and its end, is within.
///
/// Everything runs on this thread, so its processor time is the time, whoever else uses the machine.
fn timed<T>(rounds: u64, make: impl Fn() -> T, run: impl AsyncFn(T)) -> Duration {
    let runtime = runtime();
    let mut spent = Duration::ZERO;
    let mut left = rounds;
    while left > 0 {
        let many = left.min(BATCH);
        let payloads: Vec<_> = (0..many).map(|_| make()).collect();
        let began = ThreadTime::now();
        runtime.block_on(async {
            for payload in payloads {
                run(payload).await;
            }
        });
        spent += began.elapsed();
        left -= many;
    }
    spent
}

criterion_group! {
    name = benches;
    config = Criterion::default().measurement_time(Duration::from_secs(3));
    targets = peers::cpex::hooks, peers::praxis::hooks, ours::hooks, ours::rules
}

fn main() {
    benches();
    table();
}

/// Prints the medians that criterion has written, in the order of chains and numbers of hooks.
fn table() {
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from);
    let mut rows = Vec::new();
    for group in folders(&target.join("criterion")) {
        for bench in folders(&group) {
            let Ok(text) = fs::read_to_string(bench.join("new/estimates.json")) else {
                continue; // criterion's own report
            };
            let estimates: Value = serde_json::from_str(&text).expect("criterion's JSON");
            let median = estimates["median"]["point_estimate"].as_f64();
            let hooks = name(&bench).parse::<u32>().ok();
            rows.push((name(&group), hooks, name(&bench), median.expect("a median")));
        }
    }
    rows.sort_by(|one, other| (&one.0, one.1, &one.2).cmp(&(&other.0, other.1, &other.2)));
    println!("| chain | hooks | median |\n|---|---|---|");
    for (chain, _, hooks, nanoseconds) in rows {
        println!("| {chain} | {hooks} | {:.3} µs |", nanoseconds / 1_000.0);
    }
}

fn folders(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.flatten().map(|entry| entry.path()).collect()
}

fn name(path: &Path) -> String {
    path.file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}
