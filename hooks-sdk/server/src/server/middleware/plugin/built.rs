//! A policy that fits the server: what the middleware share.

use std::{
    collections::BTreeSet,
    hash::RandomState,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use rmcp::{
    RoleServer,
    model::{JsonObject, ListToolsResult, RequestStateCodec, Tool},
    service::RequestContext,
};
use serde_json::Value;

use super::{
    active::Active,
    http::outer,
    lists::Lists,
    policy::{Policy, TextOfRequest},
    state::{MOST_OPEN, MOST_OPEN_OF_ONE},
};
use crate::server::{
    lock,
    pipeline::{Author, RequestState},
    quota::Quota,
    settings::ReplicaSettings,
};
use hooks_core::{
    BuildError, BuildErrors, Registry, glob,
    internal::json_schema,
    store::{MemoryStore, Store},
};
use hooks_plugin::{
    Chain, Family, Instance, ListHook, PluginAt, PluginHook,
    internal::{TypedTool, misfits, problems_of},
};

/// How many tools of the author's list are compared with the hooks. A longer list is not compared.
const MOST_TOOLS: usize = 10_000;

/// A policy that fits the server.
pub(in crate::server) struct Built {
    source: Source,
    pub(super) policy: Policy,
    pub(super) server_id: Option<Arc<str>>,
    /// The store of requests that wait for their user.
    pub(super) store: Arc<dyn Store>,
    /// The shares of the clients in that store.
    pub(super) waiting: Quota<String>,
    pub(super) codec: Arc<RequestStateCodec>,
    /// Whether the keys are this process's own, and the log does not say so yet.
    ends_with_process: AtomicBool,
    pub(super) hasher: RandomState,
    /// The tools of the pages of the author's list that were seen, from the first page to the last.
    pages: Mutex<Option<Vec<Tool>>>,
    /// The chain that was compared with the author's tools last, by its address.
    judged: AtomicUsize,
    /// The decision log of the server.
    #[cfg(feature = "log")]
    pub(super) log: Option<hooks_log::DecisionLog>,
}

/// The hooks and the list hooks of one version of the policy.
#[derive(Clone, Debug)]
pub(crate) struct RequestPolicy {
    pub(crate) chain: Arc<Chain>,
    pub(super) lists: Lists,
}

/// Where the hooks come from.
enum Source {
    /// From the program alone.
    Program(Arc<Chain>, Lists),
    /// From the program and a file that may change.
    File(Box<Active>),
}

impl Built {
    /// Returns the hooks as they are now. A request keeps them until its end.
    pub(super) fn chain(&self) -> Arc<Chain> {
        self.source.chain()
    }

    /// Returns the hooks and the list hooks as they are now, both of one version of the file.
    pub(super) fn now(&self) -> RequestPolicy {
        match &self.source {
            Source::Program(chain, lists) => RequestPolicy {
                chain: chain.clone(),
                lists: lists.clone(),
            },
            Source::File(active) => active.now(),
        }
    }

    /// Returns the policy with which a request began: that of its HTTP request, else that of the first middleware which
    /// asks for it.
    pub(super) fn policy_of(
        &self,
        cx: &RequestContext<RoleServer>,
        call: &mut RequestState,
    ) -> RequestPolicy {
        if let Some(began) = &call.plugin.policy {
            return began.clone();
        }
        let began = outer(cx).and_then(|outer| outer.policy_of(self));
        let began = began.unwrap_or_else(|| self.now());
        self.go_by(call, || began.clone());
        began
    }

    /// Keeps the policy of a request for the other middleware.
    pub(super) fn go_by(&self, call: &mut RequestState, policy: impl FnOnce() -> RequestPolicy) {
        if self.may_change() {
            call.plugin.policy = Some(policy());
        }
    }

    /// Returns the list hooks as they are now.
    pub(super) fn lists(&self) -> Lists {
        match &self.source {
            Source::Program(_, lists) => lists.clone(),
            Source::File(active) => active.lists(),
        }
    }

    /// Returns the file that may change the hooks.
    pub(super) fn active(&self) -> Option<&Active> {
        match &self.source {
            Source::Program(..) => None,
            Source::File(active) => Some(active),
        }
    }

    /// Returns whether the hooks may change while the server runs.
    pub(super) fn may_change(&self) -> bool {
        !matches!(self.source, Source::Program(..))
    }

    /// Returns whether the server has list hooks, or may have some later.
    pub(in crate::server) fn has_lists(&self) -> bool {
        self.may_change() || !self.lists().is_empty()
    }

    /// Returns whether hooks see the answers of tools, or may do so later.
    pub(in crate::server) fn sees_answers(&self) -> bool {
        self.may_change() || self.chain().stands_at(PluginAt::ToolPostInvoke)
    }

    /// Returns whether refusals name the hook that refused.
    pub(super) fn exposes_names(&self) -> bool {
        self.policy.exposes_names
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
        if self.is_dry() {
            return true;
        }
        #[cfg(feature = "log")]
        return self.log.is_some();
        #[cfg(not(feature = "log"))]
        false
    }

    #[cfg(not(feature = "cli"))]
    pub(super) fn headers(
        &self,
        cx: &rmcp::service::RequestContext<rmcp::RoleServer>,
    ) -> Option<hooks_plugin::HttpHeaders> {
        super::headers::headers(cx, &self.policy.headers)
    }

    /// Logs once that questions end with this process. Only now is it known that no replicas share their keys.
    pub(super) fn tell_of_keys(&self) {
        if self.ends_with_process.swap(false, Ordering::Relaxed) {
            tracing::info!(
                target: "hooks_sdk::server",
                "a user is asked, and no keys are set: questions that are open when this process ends are lost"
            );
        }
    }

    /// Returns the hooks that do not fit the author's tools: conditions with paths that no schema has.
    ///
    /// rmcp has no list of a server's tools before a client asks. So this checks the hooks that name their tools in
    /// full, and [`judge`](Built::judge) all of them when a client has read the list.
    pub(in crate::server) fn misfits(&self, author: &dyn Author) -> Vec<BuildError> {
        let chain = self.chain();
        let hooks: Vec<&PluginHook> = chain.hooks().filter(|hook| names_in_full(hook)).collect();
        let names: BTreeSet<&str> = hooks.iter().flat_map(|hook| hook.its_items()).collect();
        let tools: Vec<Tool> = names
            .into_iter()
            .filter_map(|name| author.tool(name))
            .collect();
        logged_misfits(hooks, &tools)
    }

    /// Returns whether the hooks, as they are now, were not compared with the author's tools yet.
    pub(super) fn is_unjudged(&self) -> bool {
        self.judged.load(Ordering::Relaxed) != Arc::as_ptr(&self.chain()).addr()
    }

    /// Logs the hooks that do not fit the author's tools, when the last page of their list is seen.
    pub(super) fn judge(&self, listed: &ListToolsResult, is_first: bool) {
        let mut pages = lock(&self.pages);
        if is_first {
            *pages = Some(Vec::new());
        }
        let Some(seen) = &mut *pages else {
            return;
        };
        if seen.len() + listed.tools.len() > MOST_TOOLS {
            *pages = None;
            return;
        }
        seen.extend(listed.tools.iter().cloned());
        if listed.next_cursor.is_some() {
            return;
        }
        let tools = pages.take().unwrap_or_default();
        drop(pages);
        let chain = self.chain();
        self.judged
            .store(Arc::as_ptr(&chain).addr(), Ordering::Relaxed);
        for BuildError { message, help, .. } in logged_misfits(chain.hooks(), &tools) {
            tracing::error!(target: "hooks_sdk::server", %help, "{message}");
        }
    }

    /// Builds the chain of a server, or returns `None` if it has no hook and no plugin.
    ///
    /// # Errors
    ///
    /// Returns every problem of the policy.
    pub(in crate::server) fn build(
        policy: Option<&Policy>,
        principal: Option<TextOfRequest>,
        shared: Option<&ReplicaSettings>,
        registry: &Registry,
        author: &dyn Author,
    ) -> Result<Option<Built>, BuildErrors> {
        let hooks: Vec<PluginHook> = registry
            .details::<PluginHook>()
            .map(|(_, hook)| hook.clone())
            .collect();
        let lists: Vec<ListHook> = registry
            .details::<ListHook>()
            .map(|(_, hook)| hook.clone())
            .collect();
        if policy.is_none() && hooks.is_empty() && lists.is_empty() {
            return Ok(None);
        }
        let mut policy = policy.cloned().unwrap_or_default();
        policy.user = policy.user.or(principal);
        let mut problems = Vec::new();
        for (at, instance) in policy.instances.iter().enumerate() {
            let same = |other: &Instance| other.id() == instance.id();
            if policy.instances[..at].iter().any(same)
                || hooks.iter().any(|hook| hook.id() == instance.id())
            {
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
        let all: Vec<PluginHook> = hooks.into_iter().chain(policy.hooks().cloned()).collect();
        let source = Source::of(&policy, all, lists)?;
        let info = || {
            let name = author.info().ok()?.server_info.name;
            Some(Arc::from(name.as_str()))
        };
        let server_id = policy.server_id.clone().or_else(info);
        let keys = policy.keys.as_ref().or(shared.map(|shared| &shared.keys));
        let ends_with_process = AtomicBool::new(keys.is_none());
        let codec = match keys {
            Some(keys) => keys.clone(),
            None => Arc::new(random_keys()),
        };
        let store = policy.store.as_ref().or(shared.map(|shared| &shared.store));
        let store = match store {
            Some(store) => store.clone(),
            None => Arc::new(MemoryStore::new()),
        };
        Ok(Some(Built {
            source,
            policy,
            server_id,
            store,
            waiting: Quota::new(MOST_OPEN_OF_ONE, MOST_OPEN),
            codec,
            ends_with_process,
            hasher: RandomState::new(),
            pages: Mutex::default(),
            judged: AtomicUsize::new(0),
            #[cfg(feature = "log")]
            log: None,
        }))
    }

    /// Sets the decision log of the server.
    #[cfg(feature = "log")]
    pub(in crate::server) fn logged(mut self, log: Option<hooks_log::DecisionLog>) -> Built {
        self.log = log;
        self
    }
}

/// Returns whether a hook of tools names each of them without a wildcard.
fn names_in_full(hook: &PluginHook) -> bool {
    hook.at().family() == Family::Tool
        && hook.its_items().next().is_some()
        && hook.its_items().all(glob::is_name)
}

/// Returns the hooks that do not fit these tools, and logs those that fit only some of them.
fn logged_misfits<'h>(
    hooks: impl IntoIterator<Item = &'h PluginHook>,
    tools: &[Tool],
) -> Vec<BuildError> {
    let typed: Vec<TypedTool<'_>> = tools
        .iter()
        .map(|tool| TypedTool {
            name: &tool.name,
            input: Some(&*tool.input_schema),
            output: tool.output_schema.as_deref(),
        })
        .collect();
    let misfits = misfits(hooks, &typed);
    for tool in tools {
        // A schema that cannot be read lets no changed call through, so its author has to know.
        let own = Value::Object(JsonObject::clone(&tool.input_schema));
        if let Err(wrong) = json_schema::compiled(&own) {
            let tool = &*tool.name;
            tracing::warn!(
                target: "hooks_sdk::server",
                tool,
                "the arguments of a tool cannot be checked, so a hook's change of them is refused: {wrong}. Patterns \
                 may have no look-around and no back-reference"
            );
        }
    }
    for warning in misfits.warnings {
        tracing::warn!(target: "hooks_sdk::server", "{warning}");
    }
    misfits.problems
}

impl Source {
    fn chain(&self) -> Arc<Chain> {
        match self {
            Source::Program(chain, _) => chain.clone(),
            Source::File(active) => active.chain(),
        }
    }

    fn of(
        policy: &Policy,
        hooks: Vec<PluginHook>,
        lists: Vec<ListHook>,
    ) -> Result<Source, BuildErrors> {
        if let Some(file) = &policy.file {
            let active = Active::open(file, policy, hooks, lists)?;
            return Ok(Source::File(Box::new(active)));
        }
        let chain = policy.settle(Chain::new(hooks));
        Ok(Source::Program(Arc::new(chain), Lists::new(lists)))
    }
}

/// Returns keys that end with this process.
fn random_keys() -> RequestStateCodec {
    let mut key = vec![0; RequestStateCodec::MIN_KEY_LENGTH];
    // If the operating system has no random bytes, the standard library's hash maps panic, too.
    getrandom::fill(&mut key).expect("random bytes from the operating system");
    RequestStateCodec::new_unchecked(key)
}
