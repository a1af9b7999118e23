//! A feature set as its author writes it, and traits that check at compile time what it may do.

use serde_json::{Map, Value};

use super::{sender, sender::Sender};
use hooks_core::{Problem, internal::setters};

/// A feature set: the unit on which a host decides whether a server may do something (MCPL 0.4.1 §6).
///
/// The attribute `feature_set` implements this trait. By hand:
///
/// ```
/// use hooks_sdk::mcpl::{Definition, FeatureSet, Sends, sender, sender::Sender};
///
/// struct Proactive;
///
/// impl FeatureSet for Proactive {
///     const DEFINITION: Definition =
///         Definition::new("memory.proactive", "Push reminders").sends(&[Sender::Push]);
/// }
///
/// impl Sends<sender::push> for Proactive {}
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no feature set",
    label = "not a feature set",
    note = "name a unit struct that has `#[mcpl::feature_set(\"…\", …)]`"
)]
pub trait FeatureSet: Send + Sync + 'static {
    /// What the server declares of the feature set.
    const DEFINITION: Definition;
}

/// A feature set that declares the sender `S`, one of the words of [`sender`].
///
/// The attribute implements it for each word in `sends(…)` and `optional(…)`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not send `{S}`",
    label = "a feature set that does not send this",
    note = "add `{S}` to `sends(…)` in the `#[mcpl::feature_set(…)]` of `{Self}`"
)]
pub trait Sends<S: sender::Word>: FeatureSet {
    /// A constant whose use fails to compile if the definition, made by hand, does not name the sender.
    #[doc(hidden)]
    const DECLARED: () = if !Self::DEFINITION.may_send(S::SENDER) {
        Problem::pass(Some(S::SENDER.undeclared()));
    };
}

/// A feature set that acts in scopes, which a host identifies by label (MCPL 0.4.1 §7).
///
/// The attribute implements it for the flag `scoped`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not scoped",
    label = "not a scoped feature set",
    note = "add `scoped` to the `#[mcpl::feature_set(…)]` of `{Self}`"
)]
pub trait Scoped: FeatureSet {
    /// Generated code asks for it, so that the compiler reports a set that is not scoped.
    #[doc(hidden)]
    const SCOPED: () = ();
}

/// The declaration of a feature set. Its `uses` are derived from the hooks and tools that name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Definition {
    /// The name. Dots separate its levels.
    pub name: &'static str,
    /// The description, for whoever enables or denies the set.
    pub description: &'static str,
    /// What the set sends and cannot work without.
    pub sends: &'static [Sender],
    /// What the set sends if the host grants it; it works without.
    pub optional: &'static [Sender],
    /// Whether the set acts in scopes.
    pub scoped: bool,
    /// Whether a host can roll back what the set did.
    pub rollback: bool,
    /// Whether the set is declared only after the server adds it at run time.
    pub later: bool,
    /// The meaning of its tags: the JSON object `tagOntology`.
    pub tag_ontology: Option<&'static str>,
}

impl Definition {
    /// Makes a definition that sends nothing.
    pub const fn new(name: &'static str, description: &'static str) -> Definition {
        Definition {
            name,
            description,
            sends: &[],
            optional: &[],
            scoped: false,
            rollback: false,
            later: false,
            tag_ontology: None,
        }
    }

    setters! {
        const
        /// Sets what the set sends and cannot work without.
        fn sends(mut self, sends: &'static [Sender]) { self.sends = sends }

        /// Sets what the set sends if the host grants it; it works without.
        fn optional(mut self, optional: &'static [Sender]) { self.optional = optional }

        /// The set acts in scopes (MCPL 0.4.1 §7.1).
        fn scoped(mut self) { self.scoped = true }

        /// A host can roll back what the set did (MCPL 0.4.1 §8.1).
        fn rollback(mut self) { self.rollback = true }

        /// The set is not declared until the server adds it at run time (MCPL 0.4.1 §6.7).
        fn later(mut self) { self.later = true }

        /// Sets the meaning of its tags: the JSON of `tagOntology`, which is declared to hosts of 0.5 (MCPL 0.5 §16).
        fn tag_ontology(mut self, json: &'static str) { self.tag_ontology = Some(json) }
    }

    /// Returns the meaning of its tags. It is `None` if the text is not a JSON object, which the start-up check
    /// reports.
    pub(super) fn ontology(&self) -> Option<Map<String, Value>> {
        serde_json::from_str(self.tag_ontology?).ok()
    }

    /// Whether the set declares this sender, as needed or as optional.
    pub const fn may_send(&self, sender: Sender) -> bool {
        names(self.sends, sender) || names(self.optional, sender)
    }
}

const fn names(list: &[Sender], sender: Sender) -> bool {
    let mut at = 0;
    while at < list.len() {
        // Unlike `==`, this works in a constant.
        if list[at] as u8 == sender as u8 {
            return true;
        }
        at += 1;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_definition_says_what_it_may_send() {
        const SET: Definition = Definition::new("a.b", "Words")
            .sends(&[Sender::Push])
            .optional(&[Sender::ModelInfo])
            .scoped()
            .rollback()
            .later();
        const { assert!(SET.may_send(Sender::Push) && SET.may_send(Sender::ModelInfo)) };
        const { assert!(!SET.may_send(Sender::Inference)) };
        const { assert!(SET.scoped && SET.rollback && SET.later) };
    }
}
