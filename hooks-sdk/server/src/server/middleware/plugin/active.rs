//! The hooks of a program with a configuration file, as the file is now.

use std::{
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};

use rmcp::{RoleServer, service::RequestContext};

use super::{
    built::{Built, RequestPolicy},
    lists::Lists,
    policy::Policy,
};
use crate::server::{
    lock,
    pipeline::RequestState,
    request::{is_http, is_stateless},
};
use hooks_core::{BuildError, BuildErrors};
use hooks_plugin::{ActivePolicy, Chain, ConfigurationError, ListHook, PluginHook, Reloading};

/// How often the file is looked at while nobody asks the server anything.
const LOOK: Duration = Duration::from_secs(1);

/// The hooks of a program with a configuration file.
pub(super) struct Active {
    reloading: Reloading,
    /// The program's own list hooks.
    own: Vec<ListHook>,
    /// The list hooks of one version of the file.
    lists: Mutex<(u64, Lists)>,
}

impl Active {
    /// Reads the file.
    ///
    /// # Errors
    ///
    /// Returns everything that is wrong with the file.
    pub(super) fn open(
        file: &Path,
        policy: &Policy,
        hooks: Vec<PluginHook>,
        own: Vec<ListHook>,
    ) -> Result<Active, BuildErrors> {
        let settings = policy.clone();
        let settle = move |chain: Chain| settings.settle(chain);
        let reloading = Reloading::open(file, policy.kinds(), hooks, settle);
        let reloading = reloading.map_err(|wrong| -> BuildErrors {
            let problem = |error: &ConfigurationError| {
                BuildError::new(error.origin(), error.message.clone(), error.help.clone())
            };
            wrong.iter().map(problem).collect()
        })?;
        let now = reloading.active();
        let lists = Lists::new(own.iter().chain(now.lists()).cloned().collect());
        Ok(Active {
            reloading,
            own,
            lists: Mutex::new((now.version, lists)),
        })
    }

    pub(super) fn chain(&self) -> Arc<Chain> {
        self.reloading.active().chain.clone()
    }

    pub(super) fn now(&self) -> RequestPolicy {
        let now = self.reloading.active();
        RequestPolicy {
            chain: now.chain.clone(),
            lists: self.lists_of(&now),
        }
    }

    pub(super) fn lists(&self) -> Lists {
        self.lists_of(&self.reloading.active())
    }

    fn lists_of(&self, now: &ActivePolicy) -> Lists {
        let mut lists = lock(&self.lists);
        if lists.0 != now.version {
            let hooks = self.own.iter().chain(now.lists()).cloned().collect();
            *lists = (now.version, Lists::new(hooks));
        }
        lists.1.clone()
    }

    /// Tells a client when a list changes, until its connection ends. The first request of a connection starts this.
    pub(super) fn tell(
        &self,
        built: &Arc<Built>,
        call: &RequestState,
        cx: &RequestContext<RoleServer>,
    ) {
        let told = &call.connection.hears_of_lists;
        // Each HTTP request of 2026-07-28 has a connection of its own, which ends with its answer.
        if (is_http(&cx.extensions) && is_stateless(cx)) || told.swap() {
            return;
        }
        let peer = cx.peer.clone();
        let (built, mut changes) = (Arc::downgrade(built), self.reloading.list_changes());
        tokio::spawn(async move {
            loop {
                let changed = tokio::time::timeout(LOOK, changes.changed()).await;
                if peer.is_transport_closed() {
                    return;
                }
                match changed {
                    Ok(Ok(())) => {
                        // A client without such a list does not mind, and one that has gone is seen above.
                        _ = peer.notify_tool_list_changed().await;
                        _ = peer.notify_prompt_list_changed().await;
                        _ = peer.notify_resource_list_changed().await;
                    }
                    Ok(Err(_)) => return,
                    Err(_) => match built.upgrade() {
                        Some(built) => {
                            built.active().map(|active| active.reloading.look());
                        }
                        None => return,
                    },
                }
            }
        });
    }
}

impl std::fmt::Debug for Built {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Built")
            .field("chain", &self.chain())
            .field("lists", &self.lists())
            .finish_non_exhaustive()
    }
}
