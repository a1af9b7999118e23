//! Tests that need a program which this computer may lack.

/// Says on standard error that a test is skipped. Where `HOOKS_SKIP=never` is set, the test fails instead.
///
/// # Panics
///
/// Panics with `HOOKS_SKIP=never`.
pub fn skipped(reason: &str) {
    let never = std::env::var_os("HOOKS_SKIP").is_some_and(|value| value == "never");
    assert!(!never, "nothing may be skipped here: {reason}");
    eprintln!("skipped: {reason}");
}
