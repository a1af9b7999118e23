//! A thousand hosts at a time that do whatever hosts do, for as long as it is told, on one process.
//!
//! `HOOKS_SOAK_SECONDS` says how long, 3 unless told, and `HOOKS_SOAK_CONNECTIONS` how many hosts. From two minutes on
//! the resident memory at the end is held against that of the middle.

mod chance;
mod host;
mod server;

use std::{
    collections::BTreeMap,
    env, fs, panic,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use self::{chance::Chance, host::visit};

/// What went on.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) connections: AtomicU64,
    pub(crate) answered: AtomicU64,
    pub(crate) refused: AtomicU64,
    pub(crate) cut: AtomicU64,
    pub(crate) unanswered: AtomicU64,
    /// How many requests of each method were answered with a result, and how many with an error.
    pub(crate) methods: Mutex<BTreeMap<&'static str, [u64; 2]>>,
}

impl Tally {
    /// Returns whether each method has the answer that it is to have.
    fn has_all(&self) -> bool {
        let methods = self.methods.lock().expect("no panic inside");
        METHODS.iter().all(|(method, results)| {
            let [answered, refused] = methods.get(method).copied().unwrap_or_default();
            0 < if *results { answered } else { refused }
        })
    }
}

/// What is asked, and whether some of it has a result; otherwise its params are bad, and all of it is refused.
const METHODS: [(&str, bool); 7] = [
    ("channels/close", false),
    ("channels/open", true),
    ("channels/publish", true),
    ("context/afterInference", true),
    ("context/beforeInference", true),
    ("state/rollback", false),
    ("tools/call", true),
];

fn setting(name: &str, default: u64) -> u64 {
    match env::var(name) {
        Ok(given) => given
            .parse()
            .unwrap_or_else(|_| panic!("{name} is `{given}`; give a number")),
        Err(_) => default,
    }
}

/// The resident memory in KiB, where the system tells.
fn resident() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// The median of the resident memory in the last tenth of `time` before `end`: a single look depends on how many hosts are
/// in the middle of something.
async fn resident_before(end: Instant, time: Duration) -> Option<u64> {
    tokio::time::sleep_until((end - time / 10).into()).await;
    let mut seen = Vec::new();
    while seen.is_empty() || Instant::now() < end {
        seen.push(resident()?);
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    seen.sort_unstable();
    Some(seen[seen.len() / 2])
}

/// Says nothing of the hook that panics on purpose.
fn quietly() {
    let loud = panic::take_hook();
    panic::set_hook(Box::new(move |panicked| {
        if panicked.payload().downcast_ref::<&str>() != Some(&server::ON_PURPOSE) {
            loud(panicked);
        }
    }));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_hosts() {
    quietly();
    let seconds = setting("HOOKS_SOAK_SECONDS", 3);
    let connections = setting("HOOKS_SOAK_CONNECTIONS", 1_000);
    let tally = Arc::new(Tally::default());
    let stop = Arc::new(AtomicBool::new(false));
    let start = Instant::now();
    let hosts: Vec<_> = (0..connections)
        .map(|number| {
            let (tally, stop) = (tally.clone(), stop.clone());
            tokio::spawn(async move {
                let mut chance = Chance::new(number + 1);
                while !stop.load(Ordering::Relaxed) {
                    visit(&mut chance, &tally, &stop).await;
                }
            })
        })
        .collect();
    let half = Duration::from_secs(seconds) / 2;
    let middle = resident_before(start + half, half).await;
    let end = resident_before(start + half * 2, half).await;
    // On a busy machine the first visits take longer than this.
    while !tally.has_all() && start.elapsed() < Duration::from_secs(seconds + 120) {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    stop.store(true, Ordering::Relaxed);
    for host in hosts {
        host.await.expect("a host does not panic");
    }
    eprintln!("{connections} hosts, {seconds} s: {tally:?}, resident {middle:?} then {end:?} KiB");
    let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    assert_eq!(count(&tally.unanswered), 0, "requests without an answer");
    assert!(tally.has_all(), "a method has no answer: {tally:?}");
    let methods = tally.methods.lock().expect("no panic inside");
    for (method, results) in METHODS {
        let [answered, _] = methods.get(method).copied().unwrap_or_default();
        assert!(results || answered == 0, "{method}: {methods:?}");
    }
    if let (Some(middle), Some(end), 120..) = (middle, end, seconds) {
        assert!(end <= middle + middle / 20, "{middle} KiB grew to {end}");
    }
}
