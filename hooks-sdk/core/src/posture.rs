//! What happens where a hook or a check gives no answer, and the words for it in an attribute.

use serde::{Deserialize, Serialize};

use super::macros::{constants, words};

words! {
    /// What happens where a hook or a check gives no answer: it fails, panics, exceeds its deadline, or cannot judge.
    ///
    /// ```
    /// use hooks_sdk::prelude::*;
    ///
    /// struct Notes;
    ///
    /// // The attribute's key has the same words.
    /// #[lifecycle::hook(session_start, strength = suggestion, posture = proceed)]
    /// async fn open_notes(_notes: &Notes) -> Option<String> {
    ///     None
    /// }
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    #[expect(clippy::exhaustive_enums, reason = "what is asked about goes on, or it does not")]
    pub enum Posture: "Returns the word, in an attribute, in a policy file and in a line of the log." {
        /// The caller gets the failure, and what the hook was to decide about does not go on.
        Deny = "deny",
        /// The failure is logged, and everything goes on as if the hook had answered nothing.
        Proceed = "proceed",
    }
}

constants! {
    deny: Posture = Deny;
    proceed: Posture = Proceed;
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_macros_know_every_word() {
        assert_eq!(super::WORDS, hooks_text::POSTURES.words);
    }
}
