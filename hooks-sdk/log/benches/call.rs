//! The price of the two lines of a call, in processor time of the thread that serves the call, and of a line of `hooks fire`.
//!
//! ```sh
//! cargo bench -p hooks-log --bench call
//! ```

use std::{
    io::Write,
    path::PathBuf,
    time::{Duration, Instant},
};

use futures::future::join_all;
use hooks_log::{
    DecisionEntry, DecisionLog, LogDecision, LogEnd, LogKeys, LogSettings, Posture, UserChain,
};
use rustix::time::{ClockId, clock_gettime};
use tokio::sync::oneshot;

const CALLS: u32 = 20_000;

/// Returns the processor time of this thread.
fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let (seconds, nanoseconds) = (time.tv_sec.cast_unsigned(), time.tv_nsec);
    Duration::new(seconds, u32::try_from(nanoseconds).unwrap_or_default())
}

fn lines(log: &DecisionLog) -> (DecisionEntry, DecisionEntry) {
    let mut first = DecisionEntry::call(log.decision_id(), "tools/call", "delete_note");
    first.user = Some("kim@example.org".into());
    first.session = Some("0123456789abcdef01234567".into());
    first.client = Some("claude-code".into());
    first.request = Some("17".into());
    let mut last = first.clone();
    last.decision = Some(LogDecision::Allowed);
    last.ended = Some(LogEnd::Answered);
    (first, last)
}

/// The two lines of a call.
async fn call(log: &DecisionLog) {
    let (first, last) = lines(log);
    match log.posture() {
        Posture::Deny => log.acknowledged(first).await.expect("a line"),
        Posture::Proceed => log.add(first),
    }
    log.add(last);
}

/// Waits for another thread, as a call waits for its line: the part of the price that is not the log's.
async fn wait(threads: &std::sync::mpsc::Sender<oneshot::Sender<()>>) {
    let (done, waits) = oneshot::channel();
    threads.send(done).expect("a thread");
    waits.await.expect("an answer");
}

/// Returns the processor time of this thread for one call, where so many are under way at a time.
async fn price<W: Future<Output = ()>>(at_once: u32, work: impl Fn() -> W) -> f64 {
    let mut spent = Duration::ZERO;
    for round in 0..(CALLS + 1_000) / at_once {
        let began = processor_time();
        join_all((0..at_once).map(|_| work())).await;
        if round * at_once >= 1_000 {
            spent += processor_time() - began;
        }
        if round * at_once % 100 < at_once {
            // The writer keeps up with a server, which does more than that.
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
    spent.as_secs_f64() * 1e6 / f64::from(CALLS)
}

/// Returns how long a process such as `hooks fire` takes for one line in the chain of its user: the median.
fn line_of_a_user(file: PathBuf, is_signed: bool) -> Duration {
    let mut settings = LogSettings::new(&file, Posture::Deny);
    if is_signed {
        let keys = file.with_extension("keys");
        let key = LogKeys::generate("k1").expect("a key");
        std::fs::write(&keys, key).expect("a file");
        settings.key_file = Some(keys);
    }
    let mut times: Vec<Duration> = (0..2_000)
        .map(|_| {
            let began = Instant::now();
            let chain = UserChain::new(settings.clone()).expect("a chain");
            let id = UserChain::decision_id().expect("an id");
            let line = DecisionEntry::call(id, "post_tool_use", "after_commit");
            chain.append([line]).expect("a line");
            began.elapsed()
        })
        .collect();
    times.sort();
    times[times.len() / 2]
}

fn main() {
    let folder = tempfile::tempdir().expect("a folder");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = runtime.expect("a runtime");
    let (threads, asked) = std::sync::mpsc::channel::<oneshot::Sender<()>>();
    std::thread::spawn(move || asked.into_iter().for_each(|done| _ = done.send(())));
    let mut out = std::io::stderr();
    for (name, is_signed) in [("unsigned", false), ("signed", true)] {
        let median = line_of_a_user(folder.path().join(name), is_signed);
        let median = median.as_secs_f64() * 1e6;
        _ = writeln!(
            out,
            "one line in the chain of a user, {name}: {median:.0} µs"
        );
    }
    for at_once in [1, 32] {
        let waiting = runtime.block_on(price(at_once, || wait(&threads)));
        _ = writeln!(
            out,
            "{at_once} at once: {waiting:.2} µs for an answer of another thread, without a log"
        );
        for posture in [Posture::Proceed, Posture::Deny] {
            let name = posture.as_str();
            let log = DecisionLog::to(folder.path().join(name), posture);
            let each = runtime.block_on(price(at_once, || call(&log)));
            let dropped = log.dropped();
            _ = writeln!(
                out,
                "{at_once} at once, {name}: {each:.2} µs of the serving thread a call, {dropped} lines dropped"
            );
        }
    }
}
