//! What a gate does when it cannot judge a call, as words of an attribute.

use serde::{Deserialize, Serialize};

use hooks_core::OnFailure;

/// What a gate does when it cannot judge a call: at its deadline, on a panic, with an unreadable input or policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "a call runs or does not run")]
pub enum GatePosture {
    /// The call is refused.
    Deny,
    /// The call runs.
    Proceed,
}

impl GatePosture {
    /// Returns the posture's word, in an attribute and in a configuration file.
    pub const fn as_str(self) -> &'static str {
        match self {
            GatePosture::Deny => "deny",
            GatePosture::Proceed => "proceed",
        }
    }

    /// Returns the posture as the failure policy of a hook.
    pub(crate) const fn on_failure(self) -> OnFailure {
        match self {
            GatePosture::Deny => OnFailure::Fail,
            GatePosture::Proceed => OnFailure::Ignore,
        }
    }
}

/// [`GatePosture::Deny`].
#[expect(
    non_upper_case_globals,
    reason = "named after its word in an attribute"
)]
pub const deny: GatePosture = GatePosture::Deny;

/// [`GatePosture::Proceed`].
#[expect(
    non_upper_case_globals,
    reason = "named after its word in an attribute"
)]
pub const proceed: GatePosture = GatePosture::Proceed;
