//! What a program's hooks and settings give to its chain, before any configuration file.

use super::Policy;
use crate::server::Collected;
use hooks_plugin::{Chain, Configuration, ConfigurationErrors, Kind, ListHook, PluginHook};

/// The parts of a program's chain.
#[derive(Debug)]
pub struct ChainParts {
    /// The annotated hooks, and those of the plugins that the author made.
    pub hooks: Vec<PluginHook>,
    /// The list hooks.
    pub lists: Vec<ListHook>,
    /// The kinds that a configuration file can name.
    pub kinds: Vec<Kind>,
    policy: Policy,
}

impl ChainParts {
    /// Returns the chain, and the configuration file that the author names.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with the file.
    pub fn chain(&self) -> Result<(Chain, Option<Configuration>), ConfigurationErrors> {
        let hooks = || self.hooks.iter().cloned();
        match &self.policy.file {
            None => Ok((self.settle(Chain::new(hooks())), None)),
            Some(file) => {
                let configuration = Configuration::read(file, &self.kinds, &self.hooks)?;
                let chain = configuration.chain(hooks(), |chain| self.settle(chain));
                Ok((chain, Some(configuration)))
            }
        }
    }

    /// Makes the author's settings of a chain.
    pub fn settle(&self, chain: Chain) -> Chain {
        self.policy.settle(chain)
    }
}

impl<H> Collected<H> {
    /// Returns what the hooks and settings give to the chain of plugin hooks.
    #[doc(hidden)]
    pub fn policy_parts(&self) -> ChainParts {
        let policy = self.settings.policy.clone().unwrap_or_default();
        let registry = &self.hooks.registry;
        let lists = registry.details::<ListHook>();
        ChainParts {
            hooks: policy.hooks_with(registry),
            lists: lists.map(|(_, hook)| hook.clone()).collect(),
            kinds: policy.kinds(),
            policy,
        }
    }
}
