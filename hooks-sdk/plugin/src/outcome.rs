//! A hook's answer.

use std::convert::Infallible;

use serde_json::{Map, Value};

use super::{Answered, PluginPoint, Question};
use hooks_core::{HookError, Verdict, Violation, error::IntoHookError};

/// The full answer of a hook (document §5.1.3, `PluginResult`).
///
/// Most hooks need no more than a [`Verdict`].
///
/// ```
/// use hooks_sdk::plugin::{Outcome, ToolCall};
///
/// let outcome = Outcome::<ToolCall>::allow();
/// assert!(outcome.continue_processing);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "authors write all its members, and the document defines them"
)]
pub struct Outcome<T> {
    /// Whether the request goes on.
    pub continue_processing: bool,
    /// The payload that later hooks and the server get instead.
    pub modified_payload: Option<T>,
    /// Why the request stops.
    pub violation: Option<Violation>,
    /// What the user is asked first. A violation beside it takes precedence.
    pub elicitation_request: Option<Question>,
    /// What the hook says about the request. The metadata of all hooks is merged, member by member. It is in an audit
    /// with contents, and never on the wire.
    pub metadata: Map<String, Value>,
}

impl<T> Outcome<T> {
    /// Lets the request go on.
    pub fn allow() -> Outcome<T> {
        Outcome {
            continue_processing: true,
            modified_payload: None,
            violation: None,
            elicitation_request: None,
            metadata: Map::new(),
        }
    }

    /// Lets the request go on with another payload.
    pub fn modify(payload: T) -> Outcome<T> {
        Outcome {
            modified_payload: Some(payload),
            ..Outcome::allow()
        }
    }

    /// Stops the request.
    pub fn deny(violation: Violation) -> Outcome<T> {
        Outcome {
            continue_processing: false,
            violation: Some(violation),
            ..Outcome::allow()
        }
    }

    /// Asks the user first.
    pub fn ask(question: Question) -> Outcome<T> {
        Outcome {
            continue_processing: false,
            elicitation_request: Some(question),
            ..Outcome::allow()
        }
    }

    /// Returns whether the user is asked. A violation takes precedence.
    pub(crate) fn asks(&self) -> bool {
        self.elicitation_request.is_some() && self.violation.is_none()
    }

    /// Adds a member to the metadata.
    #[must_use]
    pub fn with(mut self, key: impl Into<String>, value: impl Into<Value>) -> Outcome<T> {
        self.metadata.insert(key.into(), value.into());
        self
    }
}

impl<T> Default for Outcome<T> {
    fn default() -> Outcome<T> {
        Outcome::allow()
    }
}

impl<T> From<Verdict<T, Question>> for Outcome<T> {
    fn from(verdict: Verdict<T, Question>) -> Outcome<T> {
        match verdict {
            Verdict::Allow => Outcome::allow(),
            Verdict::Modify(payload) => Outcome::modify(payload),
            Verdict::Deny(violation) => Outcome::deny(violation),
            Verdict::Ask(question) => Outcome::ask(question),
        }
    }
}

/// The chain's own form of an answer. Generated code has already converted the author's.
#[diagnostic::do_not_recommend]
impl<P: PluginPoint> PluginAnswer<P> for Answered<P::Change> {
    fn answer(self) -> Result<Answered<P::Change>, HookError> {
        Ok(self)
    }
}

/// What a hook at the point `P` may return.
#[diagnostic::on_unimplemented(
    message = "`{P}` hooks cannot answer with `{Self}`",
    label = "not this point's answer",
    note = "a hook answers with `Verdict<T>`, `Verdict<T, Question>` or `Outcome<T>`, where `T` is the point's payload \
            (`HttpHeaders` at the points of HTTP), with `Verdict<Infallible>` if it changes nothing, or with nothing",
    note = "each of these may stand in a `Result`, whose error is a `std::error::Error`, or a text as \
            `hooks_sdk::core::HookError::new(\"…\")`"
)]
pub trait PluginAnswer<P: PluginPoint> {
    /// Whether an answer of this type can ask the user.
    const ASKS: bool = false;
    /// Whether an answer of this type can change the payload.
    const MODIFIES: bool = true;

    /// Converts the answer to what the chain takes.
    ///
    /// # Errors
    ///
    /// The author's own error.
    fn answer(self) -> Result<Answered<P::Change>, HookError>;
}

#[diagnostic::do_not_recommend]
impl<P: PluginPoint, A: PluginAnswer<P>, E: IntoHookError> PluginAnswer<P> for Result<A, E> {
    const ASKS: bool = A::ASKS;
    const MODIFIES: bool = A::MODIFIES;

    fn answer(self) -> Result<Answered<P::Change>, HookError> {
        self.map_err(E::into_hook_error)?.answer()
    }
}

#[diagnostic::do_not_recommend]
impl<P: PluginPoint> PluginAnswer<P> for () {
    const MODIFIES: bool = false;

    fn answer(self) -> Result<Answered<P::Change>, HookError> {
        Ok(None)
    }
}

macro_rules! changes_nothing {
    ($question:ty, $asks:literal) => {
        #[diagnostic::do_not_recommend]
        impl<P: PluginPoint> PluginAnswer<P> for Verdict<Infallible, $question> {
            const ASKS: bool = $asks;
            const MODIFIES: bool = false;

            fn answer(self) -> Result<Answered<P::Change>, HookError> {
                Ok(match self {
                    Verdict::Allow => None,
                    Verdict::Deny(violation) => Some(Box::new(Outcome::deny(violation))),
                    Verdict::Ask(question) => Some(Box::new(Outcome::ask(question.into()))),
                    Verdict::Modify(never) => match never {},
                })
            }
        }
    };
}

changes_nothing!(Question, true);
changes_nothing!(Infallible, false);

impl From<Infallible> for Question {
    fn from(never: Infallible) -> Question {
        match never {}
    }
}
