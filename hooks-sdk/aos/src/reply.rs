//! A hook's answer.

use std::{convert::Infallible, slice};

use serde_json::{Map, Value};

use super::AosPoint;
use hooks_core::internal::setters;
use hooks_core::{HookError, Verdict, Violation, error::IntoHookError};

/// The full answer of a hook: the decision, and the words with it.
///
/// Most hooks need no more than a [`Verdict`].
///
/// ```
/// use hooks_sdk::aos::{Reply, ToolCallRequest};
///
/// let reply = Reply::<ToolCallRequest>::deny("no text messages at night")
///     .reason_code("QUIET_HOURS")
///     .reasoning("it is 3 o'clock at the user's place");
/// assert_eq!(reply.words().message, "no text messages at night");
///
/// let reply = Reply::<ToolCallRequest>::allow();
/// assert_eq!(reply.words().message, "allowed");
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Reply<T> {
    /// The decision.
    pub verdict: Verdict<T>,
    message: String,
    reasoning: String,
    reason_codes: Vec<String>,
    data: Map<String, Value>,
}

/// What a [`Reply`] says beside its decision, as it is sent.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ReplyWords<'r> {
    /// The message. It is never empty.
    pub message: &'r str,
    /// Why the hook decided so.
    pub reasoning: Option<&'r str>,
    /// Words for programs.
    pub reason_codes: &'r [String],
    /// Further details.
    pub data: Option<&'r Map<String, Value>>,
}

impl<T> Reply<T> {
    /// Lets the step go on.
    pub fn allow() -> Reply<T> {
        Verdict::Allow.into()
    }

    /// Lets the step go on with another payload.
    pub fn modify(payload: T) -> Reply<T> {
        Verdict::Modify(payload).into()
    }

    /// Stops the step. The message is what the agent or its user receives.
    pub fn deny(message: impl Into<String>) -> Reply<T> {
        Verdict::Deny(Violation::new(message)).into()
    }

    setters! {
        /// Sets the message.
        fn message(mut self, message: impl Into<String>) { self.message = message.into() }

        /// Sets why the hook decided so.
        fn reasoning(mut self, reasoning: impl Into<String>) { self.reasoning = reasoning.into() }

        /// Adds a word for programs.
        fn reason_code(mut self, code: impl Into<String>) { self.reason_codes.push(code.into()) }

        /// Adds a member to the details.
        fn data(mut self, key: impl Into<String>, value: impl Into<Value>) {
            self.data.insert(key.into(), value.into());
        }
    }

    /// Returns what the asker receives beside the decision. The words of the reply take precedence over those of a
    /// [`Violation`] in it. Without any, the message is `allowed`, `modified` or `denied`.
    pub fn words(&self) -> ReplyWords<'_> {
        let violation = match &self.verdict {
            Verdict::Deny(violation) => Some(violation),
            Verdict::Allow | Verdict::Modify(_) | Verdict::Ask(_) => None,
        };
        let code = violation.map(|violation| &violation.code);
        let reason_codes = match code.filter(|code| !code.is_empty()) {
            Some(code) if self.reason_codes.is_empty() => slice::from_ref(code),
            _ => &self.reason_codes,
        };
        let details = violation.map(|violation| &violation.details);
        let mut data = [Some(&self.data), details].into_iter().flatten();
        let reason = violation.map(|violation| &*violation.reason);
        let description = violation.map(|violation| &*violation.description);
        ReplyWords {
            message: said(&self.message, reason).unwrap_or(self.usual_message()),
            reasoning: said(&self.reasoning, description),
            reason_codes,
            data: data.find(|data| !data.is_empty()),
        }
    }

    /// Whether the hook said something beside the decision.
    pub(super) fn speaks(&self) -> bool {
        !(self.message.is_empty()
            && self.reasoning.is_empty()
            && self.reason_codes.is_empty()
            && self.data.is_empty())
    }

    /// Returns the word for the decision.
    pub(super) fn usual_message(&self) -> &'static str {
        match self.verdict {
            Verdict::Allow | Verdict::Ask(_) => "allowed",
            Verdict::Modify(_) => "modified",
            Verdict::Deny(_) => "denied",
        }
    }

    /// Returns the reply with another kind of payload.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Reply<U> {
        Reply {
            verdict: match self.verdict {
                Verdict::Allow => Verdict::Allow,
                Verdict::Modify(payload) => Verdict::Modify(change(payload)),
                Verdict::Deny(violation) => Verdict::Deny(violation),
                Verdict::Ask(never) => match never {},
            },
            message: self.message,
            reasoning: self.reasoning,
            reason_codes: self.reason_codes,
            data: self.data,
        }
    }
}

/// Returns the first text that says something.
fn said<'r>(own: &'r str, violation: Option<&'r str>) -> Option<&'r str> {
    let mut texts = [Some(own), violation].into_iter().flatten();
    texts.find(|text| !text.is_empty())
}

impl<T> From<Verdict<T>> for Reply<T> {
    fn from(verdict: Verdict<T>) -> Reply<T> {
        Reply {
            verdict,
            message: String::new(),
            reasoning: String::new(),
            reason_codes: Vec::new(),
            data: Map::new(),
        }
    }
}

/// What a hook at the point `P` may return.
#[diagnostic::on_unimplemented(
    message = "`{P}` hooks cannot answer with `{Self}`",
    label = "not this point's answer",
    note = "a hook answers with `Verdict<T>` or `Reply<T>`, where `T` is the point's payload, or `Infallible` if the hook \
            changes nothing",
    note = "hooks at `tasks_cancel`, `tasks_resubscribe` and `tasks_push_notification_config_get` change nothing",
    note = "each of these may stand in a `Result`, whose error is a `std::error::Error`, or a text as \
            `hooks_sdk::core::HookError::new(\"…\")`"
)]
pub trait GuardianAnswer<P: AosPoint> {
    /// Converts the answer to a reply.
    ///
    /// # Errors
    ///
    /// The author's own error.
    fn answer(self) -> Result<Reply<P::Changed>, HookError>;
}

#[diagnostic::do_not_recommend]
impl<P: AosPoint, A: GuardianAnswer<P>, E: IntoHookError> GuardianAnswer<P> for Result<A, E> {
    fn answer(self) -> Result<Reply<P::Changed>, HookError> {
        self.map_err(E::into_hook_error)?.answer()
    }
}

#[diagnostic::do_not_recommend]
impl<P: AosPoint> GuardianAnswer<P> for Verdict<Infallible> {
    fn answer(self) -> Result<Reply<P::Changed>, HookError> {
        Reply::from(self).answer_unchanged()
    }
}

#[diagnostic::do_not_recommend]
impl<P: AosPoint> GuardianAnswer<P> for Reply<Infallible> {
    fn answer(self) -> Result<Reply<P::Changed>, HookError> {
        self.answer_unchanged()
    }
}

impl Reply<Infallible> {
    fn answer_unchanged<T>(self) -> Result<Reply<T>, HookError> {
        Ok(self.map(|never| match never {}))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{point, wire::*};

    fn answered<P: AosPoint>(answer: impl GuardianAnswer<P>) -> Reply<P::Changed> {
        answer.answer().unwrap()
    }

    #[test]
    fn an_answer_without_words_says_what_was_decided() {
        let allowed = answered::<point::memory_store>(Verdict::<Memory>::Allow);
        assert_eq!(allowed.verdict, Verdict::Allow);
        assert_eq!(allowed.words().message, "allowed");
        let memory = Memory::new(["a"]);
        let modified = answered::<point::memory_store>(Verdict::Modify(memory.clone()));
        assert_eq!(modified.verdict, Verdict::Modify(memory));
        let expected = ReplyWords {
            message: "modified",
            reasoning: None,
            reason_codes: &[],
            data: None,
        };
        assert_eq!(modified.words(), expected);
        let denied = answered::<point::tasks_cancel>(Verdict::Deny(Violation::default()));
        assert_eq!(denied.words().message, "denied");
    }

    #[test]
    fn a_violation_becomes_the_words_of_the_reply() {
        let mut violation = Violation::new("no card numbers");
        violation.description = "it stores a card".to_owned();
        violation.code = "PCI".to_owned();
        violation.details.insert("digits".to_owned(), json!(16));
        let details = violation.details.clone();
        let reply = answered::<point::memory_store>(Verdict::<Infallible>::Deny(violation));
        let expected = ReplyWords {
            message: "no card numbers",
            reasoning: Some("it stores a card"),
            reason_codes: &["PCI".to_owned()],
            data: Some(&details),
        };
        assert_eq!(reply.words(), expected);
        // What the hook says in the reply itself takes precedence.
        let reply = reply
            .message("not stored")
            .reason_code("A")
            .reason_code("B")
            .data("where", "text");
        let words = reply.words();
        assert_eq!(words.message, "not stored");
        assert_eq!(words.reasoning, Some("it stores a card"));
        assert_eq!(words.reason_codes, ["A", "B"]);
        assert_eq!(words.data.unwrap().get("where"), Some(&json!("text")));
    }

    #[test]
    fn an_error_of_the_author_stays_an_error() {
        let failed: Result<Reply<Memory>, HookError> = Err(HookError::new("no disk"));
        let failed = GuardianAnswer::<point::memory_store>::answer(failed);
        assert_eq!(failed.unwrap_err().to_string(), "no disk");
        let fine: Result<Verdict<Infallible>, std::fmt::Error> = Ok(Verdict::Allow);
        assert_eq!(answered::<point::mcp>(fine).verdict, Verdict::Allow);
    }
}
