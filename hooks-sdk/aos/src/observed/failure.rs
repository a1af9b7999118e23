//! Why a step got no usable decision.

use std::fmt;

macro_rules! classes {
    ($($(#[$doc:meta])+ $name:ident = $word:literal;)+) => {
        /// The kind of failure because of which a step got no usable decision.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum FailureClass {
            $($(#[$doc])+ $name,)+
        }

        impl FailureClass {
            /// Every class.
            pub const ALL: &'static [FailureClass] = &[$(FailureClass::$name,)+];

            /// Returns the class as a word, as in logs and traces.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(FailureClass::$name => $word,)+
                }
            }
        }
    };
}

classes! {
    /// The guardian did not answer in time.
    Timeout = "timeout";
    /// The guardian cannot be reached, or it closed the connection before its answer was complete.
    Unreachable = "unreachable";
    /// The guardian answered that it failed.
    GuardianError = "guardian_error";
    /// The answer is not a decision that the document allows.
    MalformedResponse = "malformed_response";
    /// The guardian's HTTP server refused the question, as it does for a wrong secret (401) or a wrong path (404).
    Rejected = "rejected";
    /// The guardian failed several times in a row, and is not asked for a while.
    CircuitOpen = "circuit_open";
    /// The step could not be sent at all.
    Other = "other";
}

impl FailureClass {
    pub(super) const COUNT: usize = FailureClass::ALL.len();
}

impl fmt::Display for FailureClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The guardian gave no usable decision.
///
/// It names the class and the cause. It never contains what was asked or answered, nor the guardian's address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{class}: {detail}")]
#[non_exhaustive]
pub struct MissingDecision {
    /// The kind of failure.
    pub class: FailureClass,
    /// The cause, in words for the server's log.
    pub detail: String,
    /// The status of the HTTP answer, if it was not 200.
    pub status: Option<u16>,
    /// Whether it would be the same for any step, such as when there is no connection.
    is_of_no_step: bool,
}

impl MissingDecision {
    pub(super) fn new(class: FailureClass, detail: impl Into<String>) -> MissingDecision {
        MissingDecision {
            class,
            detail: detail.into(),
            status: None,
            is_of_no_step: false,
        }
    }

    /// Says that the contents of the step are not the reason.
    pub(super) fn of_no_step(mut self) -> MissingDecision {
        self.is_of_no_step = true;
        self
    }

    /// Returns whether a large step may be the reason.
    pub(super) fn may_be_of_size(&self) -> bool {
        use FailureClass::{GuardianError, Timeout, Unreachable};
        matches!(self.class, Timeout | Unreachable | GuardianError) && !self.is_of_no_step
    }

    #[cfg(feature = "observed")]
    pub(super) fn of_status(mut self, status: u16) -> MissingDecision {
        self.status = Some(status);
        self
    }
}
