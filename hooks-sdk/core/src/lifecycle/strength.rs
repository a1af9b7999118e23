//! How strongly a server wants the agent to act on a hook's text.

use serde::{Deserialize, Serialize};

use crate::macros::{constants, words};

words! {
    /// How strongly the server wants the agent to act on the injected context.
    ///
    /// Implements SEP-2282, "Hook declaration schema", `priority`. Ordered by strength.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
    pub enum Strength: "Returns the word on the wire, where the member is `priority`." {
        /// The agent may consider the context but is free to ignore it.
        Suggestion = "suggestion",
        /// The agent should give the context serious consideration.
        Important = "important",
        /// The agent must act on the context; for security, compliance and safety.
        Required = "required",
    }
}

constants! {
    /// The agent may consider the context but is free to ignore it.
    suggestion: Strength = Suggestion;
    /// The agent should give the context serious consideration.
    important: Strength = Important;
    /// The agent must act on the context.
    required: Strength = Required;
}

#[cfg(test)]
mod tests {
    use serde_json::{json, to_value};

    use super::*;

    #[test]
    fn the_macros_know_every_word() {
        assert_eq!(WORDS, hooks_text::STRENGTHS.words);
    }

    #[test]
    fn words_and_order_are_the_documents() {
        let all = [suggestion, important, required];
        assert!(all.is_sorted());
        for (priority, word) in all.into_iter().zip(["suggestion", "important", "required"]) {
            assert_eq!(
                (priority.as_str(), to_value(priority).unwrap()),
                (word, json!(word))
            );
        }
    }
}
