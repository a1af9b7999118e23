//! The author's settings of the policy around a server.

use std::{collections::BTreeSet, fmt, hash::RandomState, sync::Arc, time::Duration};

use rmcp::{
    RoleServer,
    model::{RequestStateCodec, Tool},
    service::RequestContext,
};

use super::lists::Lists;
use crate::{
    core::{BuildError, BuildErrors, Registry},
    plugin::{
        Chain, Family, Instance, Kind, ListHook, MAX_QUESTIONS, PluginAt, PluginHook, problems_of,
        typed::{self, TypedTool},
    },
    server::way::Author,
    store::{MemoryStore, Store},
};

type Of = Arc<dyn Fn(&RequestContext<RoleServer>) -> Option<String> + Send + Sync>;

/// The policy around every tool call, prompt and resource of a server: plugins beside the annotated hooks, and how the
/// hooks run.
///
/// ```no_run
/// use hooks_sdk::Policy;
/// # use hooks_sdk::prelude::*;
/// # struct Memory;
/// # impl hooks_sdk::rmcp::ServerHandler for Memory {}
///
/// # fn main() -> Result<(), hooks_sdk::core::BuildErrors> {
/// let hooked = hooks_sdk::collect::<Memory>()?
///     .policy(Policy::new().user(|_| std::env::var("USER").ok()))
///     .wrap(Memory)?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Policy {
    pub(super) instances: Vec<Instance>,
    pub(super) kinds: Vec<Kind>,
    pub(super) limits: Vec<(PluginAt, usize)>,
    pub(super) writable: Vec<(PluginAt, Vec<Box<str>>)>,
    pub(super) questions: usize,
    pub(super) longest_question: Duration,
    pub(super) user: Option<Of>,
    pub(super) tenant: Option<Of>,
    pub(super) server_id: Option<Arc<str>>,
    pub(super) exposes_names: bool,
    pub(super) store: Arc<dyn Store>,
    pub(super) keys: Option<Arc<RequestStateCodec>>,
}

impl Default for Policy {
    fn default() -> Policy {
        Policy {
            instances: Vec::new(),
            kinds: Vec::new(),
            limits: Vec::new(),
            writable: Vec::new(),
            questions: MAX_QUESTIONS,
            longest_question: Duration::from_secs(300),
            user: None,
            tenant: None,
            server_id: None,
            exposes_names: false,
            store: Arc::new(MemoryStore::new()),
            keys: None,
        }
    }
}

impl Policy {
    /// Starts without a plugin.
    pub fn new() -> Policy {
        Policy::default()
    }

    /// Adds a plugin, after those added before.
    #[must_use]
    pub fn with(mut self, plugin: impl Into<Instance>) -> Policy {
        self.instances.push(plugin.into());
        self
    }

    /// Makes a kind of plugin known to configuration files. Kinds with the attribute `#[plugin(kind = "…")]` and the
    /// ready-made ones are known already.
    #[must_use]
    pub fn kind(mut self, kind: Kind) -> Policy {
        self.kinds.push(kind);
        self
    }

    /// Sets the largest payload at a point, in characters. The default is 1,000,000.
    #[must_use]
    pub fn limit(mut self, at: PluginAt, characters: usize) -> Policy {
        self.limits.push((at, characters));
        self
    }

    /// Sets the fields that hooks may change at a point, in the document's words, such as `args`. A change of another
    /// field is dropped and reported. Without this, hooks may change every field.
    #[must_use]
    pub fn writable(mut self, at: PluginAt, fields: &[&str]) -> Policy {
        let fields = fields.iter().map(|field| (*field).into()).collect();
        self.writable.push((at, fields));
        self
    }

    /// Sets how often one hook may ask the user in one request. The default is 4.
    #[must_use]
    pub fn questions(mut self, most: usize) -> Policy {
        self.questions = most;
        self
    }

    /// Sets the longest time that a user has to answer a question. The default is 5 minutes.
    #[must_use]
    pub fn longest_question(mut self, longest: Duration) -> Policy {
        self.longest_question = longest;
        self
    }

    /// Sets the function that returns the user of a request.
    #[must_use]
    pub fn user(
        mut self,
        of: impl Fn(&RequestContext<RoleServer>) -> Option<String> + Send + Sync + 'static,
    ) -> Policy {
        self.user = Some(Arc::new(of));
        self
    }

    /// Sets the function that returns the tenant of a request.
    #[must_use]
    pub fn tenant(
        mut self,
        of: impl Fn(&RequestContext<RoleServer>) -> Option<String> + Send + Sync + 'static,
    ) -> Policy {
        self.tenant = Some(Arc::new(of));
        self
    }

    /// Sets the id of the server that hooks see. The default is the server's name.
    #[must_use]
    pub fn server_id(mut self, id: impl Into<Arc<str>>) -> Policy {
        self.server_id = Some(id.into());
        self
    }

    /// Lets refusals name the hook that refused. Without this, the name is in the log and the audit only.
    #[must_use]
    pub fn expose_plugin_names(mut self) -> Policy {
        self.exposes_names = true;
        self
    }

    /// Sets the store for requests that wait for their user on protocol 2026-07-28. The default is the memory of this
    /// process. Replicas need one that they share, and the same [`keys`](Policy::keys).
    #[must_use]
    pub fn store(mut self, store: impl Store) -> Policy {
        self.store = Arc::new(store);
        self
    }

    /// Sets the keys that seal the `requestState` of such requests. Without this, each process makes a random key, and
    /// what it asked is lost when it ends.
    #[must_use]
    pub fn keys(mut self, keys: RequestStateCodec) -> Policy {
        self.keys = Some(Arc::new(keys));
        self
    }
}

impl fmt::Debug for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Policy")
            .field("instances", &self.instances)
            .field("kinds", &self.kinds)
            .field("limits", &self.limits)
            .field("questions", &self.questions)
            .finish_non_exhaustive()
    }
}

/// A policy that fits the server: what the stations share.
pub(in crate::server) struct Built {
    pub(super) chain: Arc<Chain>,
    pub(super) lists: Lists,
    pub(super) policy: Policy,
    pub(super) server_id: Option<Arc<str>>,
    pub(super) codec: Arc<RequestStateCodec>,
    pub(super) hasher: RandomState,
}

impl Built {
    /// Returns whether the server has list hooks.
    pub(in crate::server) fn has_lists(&self) -> bool {
        !self.lists.is_empty()
    }

    /// Returns whether refusals name the hook that refused.
    pub(super) fn exposes_names(&self) -> bool {
        self.policy.exposes_names
    }

    /// Returns whether the decision of every hook is recorded.
    pub(super) fn records_all(&self) -> bool {
        false
    }

    /// Returns the hooks that do not fit the author's tools: conditions with paths that no schema has.
    ///
    /// rmcp has no list of a server's tools before a client asks. So this checks the hooks that name their tools in
    /// full.
    pub(super) fn misfits(&self, author: &dyn Author) -> Vec<BuildError> {
        let is_name = |item: &str| !item.contains(['*', '?', '[']);
        let named = |hook: &&PluginHook| {
            hook.at().family() == Family::Tool
                && hook.its_items().next().is_some()
                && hook.its_items().all(is_name)
        };
        let hooks: Vec<&PluginHook> = self.chain.hooks().filter(named).collect();
        let names: BTreeSet<&str> = hooks.iter().flat_map(|hook| hook.its_items()).collect();
        let tools: Vec<Tool> = names
            .into_iter()
            .filter_map(|name| author.tool(name))
            .collect();
        let typed: Vec<TypedTool<'_>> = tools
            .iter()
            .map(|tool| TypedTool {
                name: &tool.name,
                input: Some(&*tool.input_schema),
                output: tool.output_schema.as_deref(),
            })
            .collect();
        let misfits = typed::misfits(hooks, &typed);
        for warning in misfits.warnings {
            tracing::warn!("{warning}");
        }
        misfits.problems
    }

    /// Builds the chain of a server, or returns `None` if it has no hook and no plugin.
    ///
    /// # Errors
    ///
    /// Returns every problem of the policy.
    pub(in crate::server) fn build(
        policy: Option<&Policy>,
        registry: &Registry,
        author: &dyn Author,
    ) -> Result<Option<Arc<Built>>, BuildErrors> {
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
        let policy = policy.cloned().unwrap_or_default();
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
        let own = policy
            .instances
            .iter()
            .flat_map(|instance| instance.hooks().iter().cloned());
        let mut chain = Chain::new(hooks.into_iter().chain(own)).questions(policy.questions);
        for (at, characters) in &policy.limits {
            chain = chain.limit(*at, *characters);
        }
        for (at, fields) in &policy.writable {
            let fields: Vec<&str> = fields.iter().map(|field| &**field).collect();
            chain = chain.writable(*at, &fields);
        }
        let info = || {
            let name = author.info().ok()?.server_info.name;
            Some(Arc::from(name.as_str()))
        };
        let server_id = policy.server_id.clone().or_else(info);
        let codec = match &policy.keys {
            Some(keys) => keys.clone(),
            None => Arc::new(random_keys(chain.may_ask())),
        };
        Ok(Some(Arc::new(Built {
            chain: Arc::new(chain),
            lists: Lists::new(lists),
            policy,
            server_id,
            codec,
            hasher: RandomState::new(),
        })))
    }
}

/// Returns keys that end with this process.
fn random_keys(are_used: bool) -> RequestStateCodec {
    if are_used {
        tracing::info!(
            "the server asks users, and no keys are set: questions that are open when this process ends are lost"
        );
    }
    let mut key = vec![0; RequestStateCodec::MIN_KEY_LENGTH];
    // If the operating system has no random bytes, the standard library's hash maps panic, too.
    getrandom::fill(&mut key).expect("random bytes from the operating system");
    RequestStateCodec::new_unchecked(key)
}

impl fmt::Debug for Built {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Built")
            .field("chain", &self.chain)
            .field("lists", &self.lists)
            .finish_non_exhaustive()
    }
}
