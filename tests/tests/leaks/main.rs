//! Random traffic through the shipped server: no secret leaves, and each request is answered once.

mod author;
mod case;
mod judge;
mod live;
mod mutated;
mod output;
mod over_http;
mod results;
mod run;
mod secret;
mod seen;
mod stream;
mod tells;

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use proptest::{
    strategy::{Strategy, ValueTree},
    test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner},
};
use tokio::runtime::{Builder, Runtime};

use crate::{judge::Judge, run::Kind};

/// How long anything is waited for.
const PATIENCE: Duration = Duration::from_secs(15);

/// The longest time for making a failure small, in milliseconds.
const SHRINKING: u32 = 60_000;

fn number(name: &str) -> Option<u64> {
    let set = std::env::var(name).ok()?;
    Some(
        set.parse()
            .unwrap_or_else(|_| panic!("{name} is no number: {set}")),
    )
}

/// Whether one of the tests has failed.
static NOTICED: AtomicBool = AtomicBool::new(false);

/// Returns whether a rule is taken out of the source. Then one failure is enough, and nobody reads its transcript.
fn is_mutated() -> bool {
    std::env::var_os("HOOKS_MUTATION").is_some()
}

/// Plays the part of all cases that is of this kind.
fn holds(kind: Kind, judges: &'static [Judge], percent: u64) {
    let cases = number("HOOKS_LEAK_CASES").unwrap_or(2_000) * percent / 100;
    let seed = number("HOOKS_LEAK_SEED").unwrap_or_else(|| {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        u64::from(now.expect("a clock").subsec_nanos())
    });
    let mut bytes = [kind as u8; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let config = Config {
        cases: u32::try_from(cases.max(1)).expect("a number of cases"),
        failure_persistence: None,
        max_shrink_time: SHRINKING,
        max_shrink_iters: if is_mutated() { 0 } else { u32::MAX },
        ..Config::default()
    };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let players = Players::new();
    if std::env::var_os("HOOKS_LEAK_SURVEY").is_some() {
        return survey(kind, judges, cases, &mut runner, &players);
    }
    let played = runner.run(&case::case(judges), |case| {
        if is_mutated() && NOTICED.load(Ordering::Relaxed) {
            return Ok(());
        }
        let played = players.play(&case, kind);
        NOTICED.fetch_or(played.is_err(), Ordering::Relaxed);
        played.map_err(TestCaseError::fail)
    });
    if let Err(TestError::Fail(wrong, _)) = played {
        let all = cases * 100 / percent;
        panic!("HOOKS_LEAK_SEED={seed} HOOKS_LEAK_CASES={all} finds it again\n{wrong}");
    }
    played.expect("cases");
}

/// Plays every case, and prints what was wrong with how many of them.
fn survey(
    kind: Kind,
    judges: &'static [Judge],
    cases: u64,
    runner: &mut TestRunner,
    players: &Players,
) {
    let mut wrong = BTreeMap::<String, (usize, String)>::new();
    for _ in 0..cases {
        let case = case::case(judges)
            .new_tree(runner)
            .expect("a case")
            .current();
        if let Err(what) = players.play(&case, kind) {
            let asked = case.ops.iter().filter_map(|op| match op {
                case::Op::Ask(ask) => Some(format!("{:?}", ask.output)),
                _ => None,
            });
            let asked: Vec<String> = asked.collect();
            let begin: String = what.chars().take(25).collect();
            let key = format!("{kind:?} {:?} {begin} {}", case.judge, asked.join(" "));
            wrong.entry(key).or_insert((0, what)).0 += 1;
        }
    }
    for (key, (number, what)) in wrong {
        eprintln!("SURVEY {number:5} {key}\n{what}");
    }
}

/// Plays cases.
struct Players {
    /// The runtime of the guardian at the other end of a socket, and of the cases that ask it.
    far: Runtime,
    url: Arc<str>,
}

impl Players {
    fn new() -> Players {
        let far = Builder::new_current_thread().enable_all().build();
        let far = far.expect("a runtime");
        let url = far.block_on(judge::far());
        Players { far, url }
    }

    fn play(&self, case: &case::Case, kind: Kind) -> Result<(), String> {
        if case.judge == Judge::FarDeny {
            return self.far.block_on(run::play(case, kind, &self.url));
        }
        // The clock goes on when nothing else is left to do, so that nothing is waited for in vain.
        let mut runtime = Builder::new_current_thread();
        let runtime = runtime.enable_all().start_paused(true).build();
        let runtime = runtime.expect("a runtime");
        runtime.block_on(run::play(case, kind, &self.url))
    }
}

#[test]
fn nothing_leaves_a_stream_of_the_older_generation_unseen() {
    holds(Kind::StreamLegacy, Judge::HERE, 34);
}

#[test]
fn nothing_leaves_a_stream_of_the_stateless_generation_unseen() {
    holds(Kind::StreamStateless, Judge::HERE, 32);
}

#[test]
fn nothing_reaches_a_server_on_a_transport_that_shows_no_guardian_its_messages() {
    let judges = &[Judge::WholeDeny, Judge::WholeMask, Judge::InboundDeny];
    holds(Kind::StreamUnseen, judges, 2);
}

#[test]
fn nothing_leaves_over_http_in_a_session_unseen() {
    holds(Kind::HttpLegacy, Judge::HERE, 10);
}

#[test]
fn nothing_leaves_over_http_without_a_session_unseen() {
    holds(Kind::HttpStateless, Judge::HERE, 10);
}

#[test]
fn nothing_leaves_two_replicas_unseen() {
    holds(Kind::Replicas, Judge::HERE, 10);
}

#[test]
fn no_client_keeps_a_guardian_over_http_from_deciding() {
    holds(Kind::StreamLegacy, &[Judge::FarDeny], 2);
}
