//! The rules about feature sets and MCPL hooks.

pub use super::id;
use super::{Problem, broken, deadline_ms as within_bounds, millis};

/// The longest name of a feature set, in bytes.
const MAX_NAME: usize = 128;

/// The default deadline of a `before_inference` hook, and the longest: hosts wait 5 s (MCPL 0.4.1 §10.6).
pub const BEFORE_INFERENCE_MS: u64 = 4_500;
/// The default deadline of an `after_inference` hook, and the longest: hosts wait 10 s (MCPL 0.4.1 §10.6).
pub const AFTER_INFERENCE_MS: u64 = 9_500;

/// A feature set's name is 1 to 128 of `[A-Za-z0-9_-]`, in parts separated by single dots (MCPL 0.4.1 §6.3).
pub fn name(name: &str) -> Option<Problem> {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let mut parts = name.split('.');
    broken(
        name.len() > MAX_NAME || !parts.all(|part| !part.is_empty() && part.bytes().all(fits)),
        "this cannot be the name of a feature set\n\
         help: write 1 to 128 of `A` to `Z`, `a` to `z`, `0` to `9`, `_` and `-`, in parts divided by single dots: \
         `memory.recall`",
    )
}

/// A feature set's description is not empty (MCPL 0.4.1 §6.2).
pub fn description(text: &str) -> Option<Problem> {
    broken(
        text.trim_ascii().is_empty(),
        "the description is empty\nhelp: say what the feature set does, for who decides on it",
    )
}

/// Each of these keys belongs to hooks of one point (MCPL 0.4.1 §10.2, §10.5).
pub fn of_one_point(key: &str, at: &str) -> Option<Problem> {
    let (own, words) = match key {
        "inject" => (
            "before_inference",
            "`inject` applies only to `before_inference` hooks\nhelp: remove it",
        ),
        "optional" => (
            "before_inference",
            "`optional` applies only to `before_inference` hooks\nhelp: remove it",
        ),
        "observe" => (
            "before_inference",
            "`observe` applies only to `before_inference` hooks\nhelp: remove it",
        ),
        "blocking" => (
            "after_inference",
            "`blocking` applies only to `after_inference` hooks\nhelp: remove it",
        ),
        _ => return None,
    };
    broken(at != own, words)
}

/// A deadline is at least 1 ms, and shorter than the host's own (MCPL 0.4.1 §10.6).
pub fn deadline_ms(at: &str, ms: u64) -> Option<Problem> {
    let (most, words) = match at {
        "before_inference" => (
            BEFORE_INFERENCE_MS,
            "the deadline of a `before_inference` hook is not between 1 ms and 4.5 s, and hosts wait 5 s\n\
             help: use a value from `1ms` to `4500ms`",
        ),
        "after_inference" => (
            AFTER_INFERENCE_MS,
            "the deadline of an `after_inference` hook is not between 1 ms and 9.5 s, and hosts wait 10 s\n\
             help: use a value from `1ms` to `9500ms`",
        ),
        _ => return within_bounds(ms),
    };
    broken(!(1..=most).contains(&ms), words)
}

/// As [`deadline_ms`], for a time as an author writes it.
pub fn deadline(at: &str, time: &str) -> Option<Problem> {
    millis(time).map_or_else(Some, |ms| deadline_ms(at, ms))
}

/// An answer that is known by its name is one of the point.
pub fn answer(at: &str, given: &str) -> Option<Problem> {
    let (own, words): (&[&str], _) = match at {
        "before_inference" => (
            &["Injection"],
            "a hook at this point puts something into the context, or answers nothing\n\
             help: answer with `Vec<Injection>`, `Injection` or an `Option` of either",
        ),
        "after_inference" => (
            &["Modified", "String"],
            "a hook at this point changes what the model said, or answers nothing\n\
             help: answer with `Modified`, `String` or an `Option` of either",
        ),
        "channels_open" => (
            &["ChannelDescriptor"],
            "a hook at this point answers with the channel\nhelp: answer with `ChannelDescriptor`",
        ),
        "channels_publish" => (
            &["Published"],
            "a hook at this point says whether it delivered the message, or answers nothing\n\
             help: answer with `Published`",
        ),
        "channels_acknowledge" => (
            &["Acknowledged"],
            "a hook at this point says whether it shows the acknowledgement, or answers nothing\n\
             help: answer with `Acknowledged`",
        ),
        _ => (
            &[],
            "a hook at this point answers nothing\nhelp: remove the answer",
        ),
    };
    let names = [
        "Injection",
        "Modified",
        "String",
        "ChannelDescriptor",
        "Published",
        "Acknowledged",
    ];
    broken(names.contains(&given) && !own.contains(&given), words)
}

/// A `scope` names an argument.
pub fn scope(argument: &str) -> Option<Problem> {
    broken(
        argument.is_empty(),
        "the argument has no name\nhelp: name the argument of the tool whose value is the scope's label",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for good in ["a", "memory.recall", "A-1_b.c2", "0.0", &"a".repeat(128)] {
            assert_eq!(name(good), None, "{good}");
        }
        let long = "a".repeat(129);
        for bad in [
            "", ".", "a.", ".a", "a..b", "a b", "a/b", "é", "a\n", "*", "a.*", &long,
        ] {
            assert!(name(bad).is_some(), "{bad:?}");
        }
    }
}
