//! Adding and removing feature sets during a connection (MCPL 0.4.1 §6.7).

use super::Host;
use crate::{
    Definition, FeatureSet, Link, SendError, Version,
    wire::{Domain, FeatureSetsChanged, ManifestChanged, method},
};
use hooks_core::internal::setters;

/// Feature sets to add and to remove, announced to the host in one message.
///
/// ```
/// use hooks_sdk::{mcpl::FeatureSetChange, prelude::*};
///
/// /// Retrieve relevant notes
/// #[mcpl::feature_set("notes.retrieval")]
/// struct Retrieval;
///
/// let change = FeatureSetChange::new().remove::<Retrieval>();
/// ```
#[derive(Clone, Debug, Default)]
pub struct FeatureSetChange {
    add: Vec<Definition>,
    remove: Vec<Definition>,
}

impl FeatureSetChange {
    /// Makes an empty change.
    pub fn new() -> FeatureSetChange {
        FeatureSetChange::default()
    }

    setters! {
        /// Adds a set.
        fn add<F: FeatureSet>(mut self) { self.add.push(F::DEFINITION) }

        /// Removes a set. Its hooks no longer run.
        fn remove<F: FeatureSet>(mut self) { self.remove.push(F::DEFINITION) }
    }
}

impl Host {
    /// Adds and removes feature sets for this host, and announces it: `featureSets/changed` on 0.4,
    /// `mcpl/manifestChanged` on 0.5. A change without effect is not announced.
    ///
    /// # Errors
    ///
    /// A [`SendError`], as for every request; also if a set belongs to another server.
    pub async fn change_feature_sets(&self, change: FeatureSetChange) -> Result<(), SendError> {
        let link = self.connected()?;
        link.announces()?;
        let stranger = change
            .add
            .iter()
            .find(|set| link.derived.set(set.name).is_none());
        if let Some(stranger) = stranger {
            return Err(SendError::UnknownFeatureSet {
                feature_set: stranger.name.to_owned(),
            });
        }
        let names = |sets: &[Definition]| sets.iter().map(|set| set.name).collect::<Vec<_>>();
        let (added, removed) = link.change(&names(&change.add), &names(&change.remove));
        link.stop_revoked();
        let told = link.announce(&added, &removed).await;
        // Only now: the host must know a set before anything is sent for it.
        link.settle();
        told
    }
}

impl Link {
    async fn announce(
        &self,
        added: &[&'static str],
        removed: &[&'static str],
    ) -> Result<(), SendError> {
        if added.is_empty() && removed.is_empty() {
            return Ok(());
        }
        if self.version != Version::V04 {
            let declaration = self.declaration();
            let revision = declaration
                .get("revision")
                .and_then(|revision| revision.as_str());
            let changed =
                ManifestChanged::new(revision.unwrap_or_default(), vec![Domain::FeatureSets]);
            return self.tell(method::MANIFEST_CHANGED, &changed).await;
        }
        let mut changed = FeatureSetsChanged::new();
        for name in added {
            if let Some(set) = self.derived.set(name) {
                changed = changed.added(*name, set.declaration(self.version));
            }
        }
        for name in removed {
            changed = changed.removed(*name);
        }
        self.tell(method::FEATURE_SETS_CHANGED, &changed).await
    }
}
