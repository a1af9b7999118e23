//! What a gate does when it cannot judge a call, as words of an attribute.

use serde::{Deserialize, Serialize};

use hooks_core::{
    OnFailure,
    internal::{constants, words},
};

words! {
    /// What a gate does when it cannot judge a call: at its deadline, on a panic, with an unreadable input or policy.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    #[allow(clippy::exhaustive_enums, reason = "a call runs or does not run")]
    pub enum GatePosture: "Returns the posture's word, in an attribute and in a configuration file." {
        /// The call is refused.
        Deny = "deny",
        /// The call runs.
        Proceed = "proceed",
    }
}

impl GatePosture {
    /// Returns the posture as the failure policy of a hook.
    pub(crate) const fn on_failure(self) -> OnFailure {
        match self {
            GatePosture::Deny => OnFailure::Fail,
            GatePosture::Proceed => OnFailure::Ignore,
        }
    }
}

constants! {
    deny: GatePosture = Deny;
    proceed: GatePosture = Proceed;
}
