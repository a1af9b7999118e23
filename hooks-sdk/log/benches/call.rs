//! The price of the two lines of a call, in processor time of the thread that serves the call.
//!
//! ```sh
//! cargo bench -p hooks-log --bench call
//! ```

use std::{io::Write, time::Duration};

use hooks_log::{DecisionEntry, DecisionLog, LogDecision, LogEnd, LogPosture};
use rustix::time::{ClockId, clock_gettime};

const CALLS: u32 = 20_000;

/// Returns the processor time of this thread.
fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let (seconds, nanoseconds) = (time.tv_sec.cast_unsigned(), time.tv_nsec);
    Duration::new(seconds, u32::try_from(nanoseconds).unwrap_or_default())
}

fn lines(log: &DecisionLog) -> (DecisionEntry, DecisionEntry) {
    let mut first = DecisionEntry::call(log.decision_id(), "tools/call", "delete_note");
    first.user = Some("kim@example.org".to_owned());
    first.session = Some("0123456789abcdef01234567".to_owned());
    first.client = Some("claude-code".to_owned());
    first.request = Some("17".to_owned());
    let mut last = first.clone();
    last.decision = Some(LogDecision::Allowed);
    last.ended = Some(LogEnd::Answered);
    (first, last)
}

fn main() {
    let folder = tempfile::tempdir().expect("a folder");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = runtime.expect("a runtime");
    for (name, posture) in [("proceed", LogPosture::Proceed), ("deny", LogPosture::Deny)] {
        let log = DecisionLog::to(folder.path().join(name), posture);
        let spent = runtime.block_on(async {
            let mut spent = Duration::ZERO;
            for call in 0..CALLS + 1_000 {
                let began = processor_time();
                let (first, last) = lines(&log);
                match posture {
                    LogPosture::Deny => log.acknowledged(first).await.expect("a line"),
                    LogPosture::Proceed => log.add(first),
                }
                log.add(last);
                if call >= 1_000 {
                    spent += processor_time() - began;
                }
                if call % 100 == 0 {
                    // The writer keeps up with a server, which does more than that.
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
            }
            spent
        });
        let each = spent.as_secs_f64() * 1e6 / f64::from(CALLS);
        let dropped = log.dropped();
        _ = writeln!(
            std::io::stderr(),
            "{name}: {each:.2} µs of the serving thread a call, {dropped} lines dropped"
        );
    }
}
