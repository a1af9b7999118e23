//! A feature set as its author wrote it, and what it may do as traits that the compiler asks for.

use serde_json::{Map, Value};

use super::{check, sender, sender::Sender};

/// A feature set: the unit on which a host decides whether a server may do something (MCPL 0.4.1 §6).
///
/// The attribute [`feature_set`](macro@super::feature_set) implements it. By hand:
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
    note = "put `#[mcpl::feature_set(\"…\")]` on `struct {Self};`"
)]
pub trait FeatureSet: Send + Sync + 'static {
    /// What is declared of it.
    const DEFINITION: Definition;
}

/// A feature set that sends what the word `S` of [`sender`] stands for.
///
/// Implemented for each word in the `sends(…)` and `optional(…)` of the attribute.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not send `{S}`",
    label = "a feature set that does not send this",
    note = "add `{S}` to `sends(…)` in the `#[mcpl::feature_set(…)]` of `{Self}`"
)]
pub trait Sends<S: sender::Word>: FeatureSet {
    /// Fails to compile, where it is used, for a set made by hand whose definition does not name the sender.
    #[doc(hidden)]
    const DECLARED: () = check::declared(&Self::DEFINITION, S::SENDER);
}

/// A feature set that acts in scopes, which its host knows by their labels (MCPL 0.4.1 §7).
///
/// Implemented for the flag `scoped` of the attribute.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not scoped",
    label = "not a scoped feature set",
    note = "add `scoped` to the `#[mcpl::feature_set(…)]` of `{Self}`"
)]
pub trait Scoped: FeatureSet {}

/// What is declared of a feature set; what it uses is derived from the hooks and tools that name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Definition {
    /// Its name, in which dots part the levels.
    pub name: &'static str,
    /// What it is, for who decides on it.
    pub description: &'static str,
    /// What it sends, without which it does not work.
    pub sends: &'static [Sender],
    /// What it sends if it may; it works without.
    pub optional: &'static [Sender],
    /// Whether it acts in scopes.
    pub scoped: bool,
    /// Whether what it did can be rolled back.
    pub rollback: bool,
    /// Whether it is declared only once it is added at run time.
    pub later: bool,
    /// What its tags mean, as the JSON object `tagOntology`.
    pub tag_ontology: Option<&'static str>,
}

impl Definition {
    /// A set that sends nothing.
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

    /// What it sends, without which it does not work.
    #[must_use]
    pub const fn sends(self, sends: &'static [Sender]) -> Definition {
        Definition { sends, ..self }
    }

    /// What it sends if it may; it works without.
    #[must_use]
    pub const fn optional(self, optional: &'static [Sender]) -> Definition {
        Definition { optional, ..self }
    }

    /// It acts in scopes (MCPL 0.4.1 §7.1).
    #[must_use]
    pub const fn scoped(self) -> Definition {
        Definition {
            scoped: true,
            ..self
        }
    }

    /// What it did can be rolled back (MCPL 0.4.1 §8.1).
    #[must_use]
    pub const fn rollback(self) -> Definition {
        Definition {
            rollback: true,
            ..self
        }
    }

    /// It is not declared until it is added at run time (MCPL 0.4.1 §6.7).
    #[must_use]
    pub const fn later(self) -> Definition {
        Definition {
            later: true,
            ..self
        }
    }

    /// The meaning of its tags: the JSON of `tagOntology`, which is declared to hosts of 0.5 (MCPL 0.5 §16).
    #[must_use]
    pub const fn tag_ontology(self, json: &'static str) -> Definition {
        Definition {
            tag_ontology: Some(json),
            ..self
        }
    }

    /// What its tags mean; a text that is no JSON object, which the start-up check refuses, is none.
    pub(super) fn ontology(&self) -> Option<Map<String, Value>> {
        serde_json::from_str(self.tag_ontology?).ok()
    }

    /// Whether it may send this, needed or optional.
    pub const fn may_send(&self, sender: Sender) -> bool {
        names(self.sends, sender) || names(self.optional, sender)
    }
}

const fn names(list: &[Sender], sender: Sender) -> bool {
    let mut at = 0;
    while at < list.len() {
        if list[at].is(sender) {
            return true;
        }
        at += 1;
    }
    false
}

/// The word of this room in a [`core::Hook`].
pub(super) const ROOM: &str = "mcpl";

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
