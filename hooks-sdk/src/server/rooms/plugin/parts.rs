//! What a program's hooks and settings give to its chain, before any configuration file.

use super::Policy;
use crate::{
    core::Registry,
    plugin::{Chain, Kind, ListHook, PluginHook, linked_kinds},
};

/// The parts of a program's chain.
#[derive(Debug)]
pub(crate) struct Parts {
    /// The annotated hooks, and those of the plugins that the author made.
    pub(crate) hooks: Vec<PluginHook>,
    /// The list hooks.
    pub(crate) lists: Vec<ListHook>,
    /// The kinds that a configuration file can name.
    pub(crate) kinds: Vec<Kind>,
    policy: Policy,
}

impl Parts {
    /// Collects the parts.
    pub(crate) fn of(policy: Option<&Policy>, registry: &Registry) -> Parts {
        let policy = policy.cloned().unwrap_or_default();
        let annotated = registry.details::<PluginHook>();
        let made = policy.instances.iter().flat_map(|one| one.hooks());
        let lists = registry.details::<ListHook>();
        let kinds = policy.kinds.iter().copied().chain(linked_kinds());
        #[cfg(feature = "policy")]
        let kinds = kinds.chain(crate::plugin::ready::KINDS.iter().copied());
        Parts {
            hooks: annotated
                .map(|(_, hook)| hook)
                .chain(made)
                .cloned()
                .collect(),
            lists: lists.map(|(_, hook)| hook.clone()).collect(),
            kinds: kinds.collect(),
            policy,
        }
    }

    /// Makes the author's settings of a chain.
    pub(crate) fn settle(&self, chain: Chain) -> Chain {
        let mut chain = chain.questions(self.policy.questions);
        for (at, characters) in &self.policy.limits {
            chain = chain.limit(*at, *characters);
        }
        for (at, fields) in &self.policy.writable {
            let fields: Vec<&str> = fields.iter().map(|field| &**field).collect();
            chain = chain.writable(*at, &fields);
        }
        chain
    }
}
