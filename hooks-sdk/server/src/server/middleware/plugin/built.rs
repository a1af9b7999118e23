//! A policy that fits the server: what the middleware share.

use std::{
    collections::HashSet,
    hash::RandomState,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use rmcp::model::{RequestStateCodec, Tool};

use super::{
    active::{Active, PolicyVersion, Source},
    outer::outer,
    policy::Policy,
    refusal,
    state::{MOST_OPEN, MOST_OPEN_OF_ONE},
};
use crate::server::{
    McpContext,
    methods::Points,
    pipeline::{Author, McpAnswer, McpResponse, RefusalRecord, RequestState},
    quota::Quota,
    random,
    request::TextOfRequest,
    settings::ReplicaSettings,
};
use hooks_core::{
    BuildError, BuildErrors, Registry,
    internal::debugs,
    store::{MemoryStore, Store},
};
use hooks_plugin::{Denial, ListHook, PluginAt, PluginHook, internal::problems_of};

/// A policy that fits the server.
pub(crate) struct Built {
    pub(super) source: Source,
    pub(super) policy: Policy,
    /// The store of requests that wait for their user.
    pub(super) store: Arc<dyn Store>,
    /// The shares of the clients in that store.
    pub(super) waiting: Quota<String>,
    pub(super) codec: Arc<RequestStateCodec>,
    /// Whether the keys are this process's own, and the log does not say so yet.
    ends_with_process: AtomicBool,
    pub(super) hasher: RandomState,
    /// The tools of the pages of the author's list that were seen, from the first page to the last.
    pub(super) pages: Mutex<Option<Vec<Tool>>>,
    /// The chain that was compared with the author's tools last, by its address.
    pub(super) judged: AtomicUsize,
    /// The decision log of the server.
    #[cfg(feature = "log")]
    pub(super) log: Option<hooks_log::DecisionLog>,
}

impl Built {
    /// Returns the policy as it is now.
    pub(super) fn now(&self) -> Arc<PolicyVersion> {
        self.source.now()
    }

    /// Returns the policy of a request: that with which its HTTP request or the request itself began, until a user was
    /// asked.
    pub(super) fn policy_of(&self, cx: &McpContext, call: &mut RequestState) -> Arc<PolicyVersion> {
        let began = || {
            let outer = outer(cx).and_then(|outer| outer.policy_of(self));
            outer.unwrap_or_else(|| self.now())
        };
        call.plugin.policy.get_or_insert_with(began).clone()
    }

    /// Returns the file that may change the policy.
    pub(super) fn active(&self) -> Option<&Arc<Active>> {
        match &self.source {
            Source::Program(_) => None,
            Source::File(active) => Some(active),
        }
    }

    /// Returns whether the policy may change while the server runs.
    pub(super) fn may_change(&self) -> bool {
        self.active().is_some()
    }

    /// Returns whether the server has list hooks, or may have some later.
    pub(super) fn has_lists(&self) -> bool {
        self.may_change() || !self.now().lists.is_empty()
    }

    /// Returns whether hooks see the answers of tools, or may do so later.
    pub(crate) fn sees_answers(&self) -> bool {
        self.may_change() || self.now().chain.stands_at(PluginAt::ToolPostInvoke)
    }

    /// Returns whether no call runs: a command shows what would happen.
    pub(super) fn is_dry(&self) -> bool {
        #[cfg(feature = "cli")]
        return self.policy.dry.is_some();
        #[cfg(not(feature = "cli"))]
        false
    }

    /// Returns whether the decision of every hook is recorded.
    pub(super) fn records_all(&self) -> bool {
        #[cfg(feature = "log")]
        return self.is_dry() || self.log.is_some();
        #[cfg(not(feature = "log"))]
        self.is_dry()
    }

    /// Refuses a request, or withholds its answer: tells the decision log, and returns what the client gets.
    pub(super) fn refuse(
        &self,
        points: Points,
        blocked: &Denial,
        call: &mut RequestState,
    ) -> McpAnswer {
        call.refused = Some(RefusalRecord {
            failed: blocked.failed,
            ..RefusalRecord::new("plugin", &*blocked.hook, &*blocked.violation.code)
        });
        let exposes_names = self.policy.exposes_names;
        match points {
            Points::Tool => {
                let result = refusal::tool(blocked, exposes_names);
                Ok(McpResponse::CallTool(result.into()))
            }
            Points::Prompt | Points::Resource | Points::Completion => {
                Err(refusal::error(blocked, exposes_names))
            }
        }
    }

    /// Logs once that questions end with this process. Only now is it known that no replicas share their keys.
    pub(super) fn tell_of_keys(&self) {
        if self.ends_with_process.swap(false, Ordering::Relaxed) {
            info!(
                "a user is asked, and no keys are set: questions that are open when this process ends are lost"
            );
        }
    }

    /// Builds the policy of a server, or returns `None` if it has no hook and no plugin.
    /// Returns every problem of the policy.
    pub(crate) fn build(
        policy: Option<&Policy>,
        principal: Option<TextOfRequest>,
        shared: Option<&ReplicaSettings>,
        registry: &Registry,
        author: &dyn Author,
    ) -> Result<Option<Built>, BuildErrors> {
        let mut ids: HashSet<&str> = registry
            .details::<PluginHook>()
            .map(|(_, hook)| hook.id())
            .collect();
        let lists: Vec<ListHook> = registry
            .details::<ListHook>()
            .map(|(_, hook)| hook.clone())
            .collect();
        if policy.is_none() && ids.is_empty() && lists.is_empty() {
            return Ok(None);
        }
        let mut policy = policy.cloned().unwrap_or_default();
        policy.user = policy.user.or(principal);
        policy.server_id = policy.server_id.or_else(|| {
            let name = author.info().ok()?.server_info.name;
            Some(Arc::from(name))
        });
        if let Some(shared) = shared {
            policy.keys.get_or_insert_with(|| shared.keys.clone());
            policy.store.get_or_insert_with(|| shared.store.clone());
        }
        let mut problems = Vec::new();
        for instance in &policy.instances {
            if !ids.insert(instance.id()) {
                problems.push(BuildError::new(
                    None,
                    format!("two hooks or plugins with the id `{}`", instance.id()),
                    "give one of them another id with `Instance::of(…).named(\"…\")`",
                ));
            }
        }
        for instance in &policy.instances {
            problems.extend(problems_of(instance.hooks()));
        }
        BuildErrors::check(problems)?;
        let source = Source::of(&policy, policy.hooks_with(registry), lists)?;
        Ok(Some(Built::of(source, policy)))
    }

    pub(super) fn of(source: Source, policy: Policy) -> Built {
        let store = policy.store.clone();
        Built {
            source,
            store: store.unwrap_or_else(|| Arc::new(MemoryStore::new())),
            waiting: Quota::new(MOST_OPEN_OF_ONE, MOST_OPEN),
            ends_with_process: AtomicBool::new(policy.keys.is_none()),
            codec: policy.keys.clone().unwrap_or_else(random_keys),
            policy,
            hasher: RandomState::new(),
            pages: Mutex::default(),
            judged: AtomicUsize::new(0),
            #[cfg(feature = "log")]
            log: None,
        }
    }

    /// Sets the decision log of the server.
    #[cfg(feature = "log")]
    pub(crate) fn logged(mut self, log: Option<hooks_log::DecisionLog>) -> Built {
        self.log = log;
        self
    }
}

debugs!(Built { source });

/// Returns keys that end with this process.
fn random_keys() -> Arc<RequestStateCodec> {
    let key = random::<{ RequestStateCodec::MIN_KEY_LENGTH }>();
    Arc::new(RequestStateCodec::new_unchecked(key.to_vec()))
}
