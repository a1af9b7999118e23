//! The receipts of hooks that fired.

use std::{
    borrow::Cow,
    fmt::Write,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use sha2::{Digest, Sha256};

/// A hook that fired.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FiringReceipt {
    /// The hook's id.
    pub hook: String,
    /// The client's own id of the session; empty if the client sent none.
    pub session: String,
    /// The client, such as `claude-code`.
    pub client: String,
    /// The event, such as `post_tool_use`.
    pub event: String,
    /// When, in milliseconds since 1970.
    pub at: i64,
}

impl FiringReceipt {
    /// Makes the receipt of a hook that fires now.
    pub fn new(
        hook: impl Into<String>,
        session: impl Into<String>,
        client: impl Into<String>,
        event: impl Into<String>,
    ) -> FiringReceipt {
        FiringReceipt {
            hook: hook.into(),
            session: session.into(),
            client: client.into(),
            event: event.into(),
            at: now(),
        }
    }

    /// Sets the time of the firing, in milliseconds since 1970.
    #[must_use]
    pub fn at(mut self, at: i64) -> FiringReceipt {
        self.at = at;
        self
    }
}

/// The time at which a hook's text was sent in a session.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeliveryReceipt {
    /// The hook's id.
    pub hook: String,
    /// When, in milliseconds since 1970.
    pub at: i64,
}

impl DeliveryReceipt {
    /// Returns how long ago that was at `now`.
    pub fn ago(&self, now: i64) -> Duration {
        Duration::from_millis(u64::try_from(now.saturating_sub(self.at)).unwrap_or_default())
    }
}

/// Returns the time, in milliseconds since 1970.
pub fn now() -> i64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// The maximum length of a word that is stored unchanged, in bytes.
const LONGEST: usize = 128;

/// Words from other programs can have any length; a digest keeps the file small.
pub(super) fn bounded(word: &str) -> Cow<'_, str> {
    if word.len() <= LONGEST {
        Cow::Borrowed(word)
    } else {
        Cow::Owned(digest(word))
    }
}

/// Returns a digest of a word. Half of the digest is enough to distinguish words.
pub(super) fn digest(word: impl AsRef<[u8]>) -> String {
    let digest = Sha256::digest(word);
    let mut text = String::from("sha256:");
    for byte in &digest[..16] {
        _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_words_are_kept_as_digests() {
        assert_eq!(bounded(&"é".repeat(64)), "é".repeat(64));
        let long = bounded(&"é".repeat(65)).into_owned();
        assert_eq!(long.len(), 39);
        assert_ne!(long, bounded(&"é".repeat(66)));
        assert_eq!(digest(""), "sha256:e3b0c44298fc1c149afbf4c8996fb924");
    }

    #[test]
    fn what_fired_in_the_future_fired_just_now() {
        let fired = DeliveryReceipt {
            hook: "a".into(),
            at: 5_000,
        };
        assert_eq!(fired.ago(7_500), Duration::from_millis(2_500));
        assert_eq!(fired.ago(0), Duration::ZERO);
        assert_eq!(fired.ago(i64::MIN), Duration::ZERO);
    }
}
