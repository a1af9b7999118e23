//! Feature sets on the wire: servers declare them, hosts enable them.

use std::collections::BTreeMap;

use super::{ScopeLists, Version};
use hooks_core::internal::setters;

objects! {
    /// A server's declaration of one feature set.
    ///
    /// Implements MCPL 0.4.1 §6.2, §7.1, §8.1 and appendix B.2.
    pub struct FeatureSetDeclaration {
        /// The description, for people.
        description: String,
        /// What the set needs from the host.
        uses: Vec<String>,
        /// Whether the set asks the host before it acts (not in 0.5).
        scoped?: bool,
        /// Whether the set can return to earlier states.
        rollback?: bool,

        /// Makes a declaration without scopes and without rollback.
        fn new(description: impl Into<String>, uses: impl IntoIterator<Item = impl Into<String>>) {
            description: description.into(), uses: uses.into_iter().map(Into::into).collect()
        };
    }
}

impl FeatureSetDeclaration {
    setters! {
        /// The set asks the host before it acts.
        fn scoped(mut self) { self.scoped = Some(true) }

        /// The set can return to earlier states.
        fn rollback(mut self) { self.rollback = Some(true) }
    }

    /// Returns the words in `uses` that the version does not have.
    pub fn unknown_uses(&self, version: Version) -> impl Iterator<Item = &str> {
        let known = uses(version);
        let used = self.uses.iter().map(String::as_str);
        used.filter(move |word| !known.contains(word))
    }
}

/// Returns the words that `uses` may have, in the document's order (MCPL 0.4.1 §6.2).
pub const fn uses(version: Version) -> &'static [&'static str] {
    match version {
        Version::V04 => &[
            "pushEvents",
            "contextHooks.beforeInference",
            "contextHooks.afterInference",
            "inferenceRequest",
            "tools",
            "channels.publish",
            "channels.observe",
        ],
        Version::V05 => &[
            "pushEvents",
            "tools",
            "modelInfo",
            "inferenceRequest",
            "inferenceRequest.streaming",
            "inferenceLifecycle",
            "contextHooks.beforeInference.observe",
            "contextHooks.beforeInference.inject.system",
            "contextHooks.beforeInference.inject.beforeUser",
            "contextHooks.beforeInference.inject.afterUser",
            "channels.register",
            "channels.lifecycle",
            "channels.publish",
            "channels.incoming",
            "channels.streaming",
            "channels.acknowledge",
            "channels.typing",
        ],
    }
}

objects! {
    /// A host says which feature sets are enabled and, in 0.5, which capabilities are granted.
    ///
    /// Implements MCPL 0.4.1 §6.7 and §7.2, the params of `featureSets/update`. What is absent is not the same
    /// as an empty list: in 0.5 an absent grant grants nothing, and an absent `enabled` limits nothing.
    #[derive(Default)]
    pub struct FeatureSetsUpdate {
        /// The feature sets that are enabled. An entry may be a pattern, such as `memory.*`.
        enabled?: Vec<String>,
        /// The feature sets that are disabled.
        disabled?: Vec<String>,
        /// The host's patterns for scopes, for each feature set (not in 0.5).
        scopes?: BTreeMap<String, ScopeLists>,
        /// Everything that the server may do or receive (MCPL 0.5).
        effective_capabilities?: Vec<String>,
        /// The capabilities that the host denied, for diagnosis only (MCPL 0.5).
        denied_capabilities?: Vec<String>,
    }

    /// A server's feature sets changed.
    ///
    /// Implements MCPL 0.4.1 §6.7, the params of `featureSets/changed`. 0.5 has no such method.
    #[derive(Default)]
    pub struct FeatureSetsChanged {
        /// New feature sets.
        added?: BTreeMap<String, FeatureSetDeclaration>,
        /// The names of feature sets that are gone.
        removed?: Vec<String>,
    }
}

impl FeatureSetsChanged {
    /// Makes an empty change.
    pub fn new() -> FeatureSetsChanged {
        FeatureSetsChanged::default()
    }

    setters! {
        /// Adds a new feature set.
        fn added(mut self, name: impl Into<String>, declaration: FeatureSetDeclaration) {
            let added = self.added.get_or_insert_default();
            added.insert(name.into(), declaration);
        }

        /// Adds the name of a feature set that is gone.
        fn removed(mut self, name: impl Into<String>) { self.removed.get_or_insert_default().push(name.into()) }
    }
}
