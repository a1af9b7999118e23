//! Tests that need a program which this computer may lack.

use std::{
    collections::BTreeMap,
    io::Write,
    sync::{Mutex, PoisonError},
};

/// The number of skipped tests of this program, by reason.
static SKIPPED: Mutex<BTreeMap<String, usize>> = Mutex::new(BTreeMap::new());

/// Says on standard error that a test is skipped, why, and how many of this program are so far for the same reason: the last
/// line for a reason has the total. Where `HOOKS_SKIP=never` is set, the test fails instead.
///
/// # Panics
///
/// Panics with `HOOKS_SKIP=never`.
pub fn skipped(reason: &str) {
    let never = std::env::var_os("HOOKS_SKIP").is_some_and(|value| value == "never");
    assert!(!never, "nothing may be skipped here: {reason}");
    let line = {
        let mut counts = SKIPPED.lock().unwrap_or_else(PoisonError::into_inner);
        counted(&mut counts, reason)
    };
    // Cargo keeps what a passing test prints by a macro.
    _ = std::io::stderr().write_all(line.as_bytes());
}

/// Counts a skipped test. Returns the line for it.
fn counted(counts: &mut BTreeMap<String, usize>, reason: &str) -> String {
    let count = counts.entry(reason.to_owned()).or_default();
    *count += 1;
    match count {
        1 => format!("1 test was skipped: {reason}; with HOOKS_SKIP=never it fails\n"),
        _ => format!("{count} tests were skipped: {reason}\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_for_a_reason_has_the_total() {
        let mut counts = BTreeMap::new();
        let redis = "no redis-server (apt-get install redis-server)";
        let lines: String = [redis, "no git", redis]
            .map(|reason| counted(&mut counts, reason))
            .concat();
        assert_eq!(
            lines,
            "1 test was skipped: no redis-server (apt-get install redis-server); with HOOKS_SKIP=never it fails\n\
             1 test was skipped: no git; with HOOKS_SKIP=never it fails\n\
             2 tests were skipped: no redis-server (apt-get install redis-server)\n"
        );
    }
}
