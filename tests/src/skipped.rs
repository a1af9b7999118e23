//! Tests that need a program which this computer may lack.

use std::{
    io::Write,
    sync::atomic::{AtomicUsize, Ordering},
};

static SKIPPED: AtomicUsize = AtomicUsize::new(0);

/// Says on standard error that a test is skipped, and how many of this program are so far. Where `HOOKS_SKIP=never` is set, the test fails instead.
///
/// # Panics
///
/// Panics with `HOOKS_SKIP=never`.
pub fn skipped(reason: &str) {
    let never = std::env::var_os("HOOKS_SKIP").is_some_and(|value| value == "never");
    assert!(!never, "nothing may be skipped here: {reason}");
    let count = SKIPPED.fetch_add(1, Ordering::Relaxed) + 1;
    // Cargo keeps what a passing test prints by a macro.
    let line = format!("skipped, {count} of this program so far: {reason}\n");
    _ = std::io::stderr().write_all(line.as_bytes());
}
