//! The policy as it is now: that of the program, or of a configuration file that may change.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use super::{lists::Lists, policy::Policy};
use crate::server::{
    McpContext, lock,
    pipeline::RequestState,
    request::{is_http, is_stateless},
};
use hooks_core::BuildErrors;
use hooks_plugin::{ActivePolicy, Chain, ListHook, PluginHook, Reloading};

/// How often the file is looked at while nobody asks the server anything.
const LOOK: Duration = Duration::from_secs(1);

/// The hooks and the list hooks of one version of the policy. A request keeps the version with which it began.
#[derive(Debug)]
pub(crate) struct PolicyVersion {
    pub(crate) chain: Arc<Chain>,
    pub(super) lists: Lists,
}

impl PolicyVersion {
    pub(super) fn new(chain: Arc<Chain>, lists: Vec<ListHook>) -> Arc<PolicyVersion> {
        let lists = Lists::new(lists);
        Arc::new(PolicyVersion { chain, lists })
    }
}

/// Where the policy comes from.
#[derive(Debug)]
pub(super) enum Source {
    /// From the program alone.
    Program(Arc<PolicyVersion>),
    /// From the program and a file that may change.
    File(Arc<Active>),
}

impl Source {
    /// Makes the policy of these hooks, and of the author's file.
    /// Returns everything that is wrong with the file.
    pub(super) fn of(
        policy: &Policy,
        hooks: Vec<PluginHook>,
        own: Vec<ListHook>,
    ) -> Result<Source, BuildErrors> {
        let Some(file) = &policy.file else {
            let chain = Arc::new(policy.settle(Chain::new(hooks)));
            return Ok(Source::Program(PolicyVersion::new(chain, own)));
        };
        let settings = policy.clone();
        let settle = move |chain: Chain| settings.settle(chain);
        let reloading = Reloading::open(file, policy.kinds(), hooks, settle);
        let reloading =
            reloading.map_err(|wrong| wrong.iter().cloned().collect::<BuildErrors>())?;
        Ok(Source::File(Arc::new(Active {
            now: Mutex::new(version(&own, &reloading.active())),
            reloading,
            own,
        })))
    }

    /// Returns the policy as it is now.
    pub(super) fn now(&self) -> Arc<PolicyVersion> {
        match self {
            Source::Program(policy) => policy.clone(),
            Source::File(active) => active.now(),
        }
    }
}

/// The policy of a program with a configuration file.
#[derive(Debug)]
pub(super) struct Active {
    reloading: Reloading,
    /// The program's own list hooks.
    own: Vec<ListHook>,
    /// The newest version of the file that was used, by its number.
    now: Mutex<(u64, Arc<PolicyVersion>)>,
}

impl Active {
    fn now(&self) -> Arc<PolicyVersion> {
        let active = self.reloading.active();
        let mut now = lock(&self.now);
        if now.0 < active.version {
            *now = version(&self.own, &active);
        }
        now.1.clone()
    }

    /// Tells a client when a list changes, until its connection ends. The first request of a connection starts this.
    pub(super) fn tell(self: &Arc<Self>, call: &RequestState, cx: &McpContext) {
        let told = &call.connection.hears_of_lists;
        // Each HTTP request of 2026-07-28 has a connection of its own, which ends with its answer.
        if (is_http(&cx.extensions) && is_stateless(cx)) || told.swap() {
            return;
        }
        let peer = cx.peer.clone();
        let (active, mut changes) = (Arc::downgrade(self), self.reloading.list_changes());
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
                    Err(_) => match active.upgrade() {
                        Some(active) => _ = active.reloading.look(),
                        None => return,
                    },
                }
            }
        });
    }
}

/// Returns a version of the file with the program's own list hooks before those of the file, and its number.
fn version(own: &[ListHook], active: &ActivePolicy) -> (u64, Arc<PolicyVersion>) {
    let lists = own.iter().chain(active.lists()).cloned().collect();
    let policy = PolicyVersion::new(active.chain.clone(), lists);
    (active.version, policy)
}
