//! The chain: the hooks of a server in their order, and what they decide together.

mod answer;
mod concurrent;
mod keep;
mod later;
mod record;
mod run;
mod seen;
#[cfg(test)]
mod tests;

use std::{
    any::Any,
    collections::HashSet,
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tokio::sync::Semaphore;

use super::{
    Asking, GlobalContext, PluginAt, PluginHook, PluginPoint, Question, payload::Writable,
};
use hooks_core::{Violation, internal::setters};

pub use self::record::{ChainRecord, ChainStep, Decision};

pub use self::seen::MetHooks;

/// The largest payload, in characters, unless the author says otherwise.
pub const MAX_PAYLOAD: usize = 1_000_000;

/// How often a hook may ask the user in one request, unless the author says otherwise.
pub const MAX_QUESTIONS: usize = 4;

/// The hooks of a server, sorted by priority and then by registration.
///
/// ```
/// use hooks_sdk::plugin::{Chain, Contexts, End, GlobalContext, PluginHook, ToolCall, point};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let rule = PluginHook::deny("no_deletes", point::tool_pre_invoke, "nothing is deleted here")
///     .items(&["delete_*"]);
/// let chain = Chain::new([rule]);
/// let mut contexts = Contexts::new(GlobalContext::new("1"));
/// let mut call = ToolCall::new("delete_file", serde_json::Map::new());
/// let ran = chain.run(point::tool_pre_invoke, &mut call, &mut contexts).await;
/// assert!(matches!(ran.end, End::Blocked(_)));
/// # }
/// ```
pub struct Chain {
    entries: Vec<ChainEntry>,
    points: [Vec<usize>; PluginAt::COUNT],
    /// Whether a hook at the point reads the request's context.
    reads_context: [bool; PluginAt::COUNT],
    limits: [usize; PluginAt::COUNT],
    questions: usize,
    nobody: Arc<dyn Any + Send + Sync>,
    /// The places of the hooks that run after their requests.
    later: Arc<Semaphore>,
}

/// A hook in the chain.
pub(super) struct ChainEntry {
    pub(super) hook: PluginHook,
    /// What no other hook of the chain has, and the same hook has in each replica and after its file is read again. An id
    /// is not enough: all hooks of a plugin have one.
    pub(super) key: Arc<str>,
    pub(super) tally: Arc<Tally>,
}

/// The counters of a hook.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) denied: AtomicU64,
    pub(super) bypassed: AtomicU64,
    pub(super) dropped: AtomicU64,
}

/// How often a hook did what its owner must not miss.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// Requests that the hook stopped.
    pub denied: u64,
    /// Requests that went on although the hook failed, or although no place was left for it after its request.
    pub bypassed: u64,
    /// Writes that the hook may not make, each of which was dropped.
    pub dropped: u64,
}

/// What the hooks decided about a request at one point.
#[derive(Debug)]
#[non_exhaustive]
pub struct Ran {
    /// Whether the request goes on.
    pub end: End,
    /// Whether a hook changed the payload.
    pub modified: bool,
    /// The metadata of all hooks, merged member by member.
    pub metadata: Map<String, Value>,
    /// The hooks that run after the request, by their index in the chain, where the caller starts them.
    #[doc(hidden)]
    pub later: Vec<usize>,
}

/// Whether a request goes on.
#[derive(Debug)]
#[expect(
    clippy::exhaustive_enums,
    reason = "the three ends are the whole algebra"
)]
pub enum End {
    /// The request goes on with the payload.
    Allowed,
    /// The request stops.
    Blocked(Denial),
    /// A hook asks the user. The chain goes on with [`Chain::resume`].
    Asks(Box<Pending>),
}

/// Why a request stops.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Denial {
    /// The id of the hook; empty for the chain itself.
    pub hook: Arc<str>,
    /// The violation. A stop without one gets one.
    pub violation: Violation,
    /// Whether the hook failed, and did not decide.
    pub failed: bool,
    /// Whether the record of the request has a step for this stop.
    #[serde(skip)]
    pub(crate) is_recorded: bool,
}

/// A chain that waits for the user's answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Pending {
    /// The id of the hook that asks.
    pub hook: Arc<str>,
    /// The hook that asks, among those with its id.
    key: Arc<str>,
    /// The question.
    pub question: Question,
    /// The schemas of the answer.
    pub asking: Asking,
    modified: bool,
    metadata: Map<String, Value>,
    /// The hooks that are done with this request, or that the configuration file keeps out of it.
    #[serde(default)]
    seen: MetHooks,
    /// The hooks that run after the request, among those before the one that asks.
    #[serde(default)]
    later: Vec<Arc<str>>,
}

impl Chain {
    /// Sorts the hooks by priority. Hooks with the same priority keep their order.
    pub fn new(hooks: impl IntoIterator<Item = PluginHook>) -> Chain {
        let mut keys = HashSet::new();
        let entry = |hook: PluginHook| {
            let mut place = hook.place();
            let mut key = hook.key(place);
            while !keys.insert(key.clone()) {
                place += 1;
                key = hook.key(place);
            }
            ChainEntry {
                hook,
                key,
                tally: Arc::default(),
            }
        };
        let mut entries: Vec<ChainEntry> = hooks.into_iter().map(entry).collect();
        entries.sort_by_key(|entry| entry.hook.priority);
        let mut points: [Vec<usize>; PluginAt::COUNT] = Default::default();
        let mut reads_context = [false; PluginAt::COUNT];
        for (at, entry) in entries.iter().enumerate() {
            points[entry.hook.at as usize].push(at);
            reads_context[entry.hook.at as usize] |= entry.hook.reads_context();
        }
        Chain {
            entries,
            points,
            reads_context,
            limits: [MAX_PAYLOAD; PluginAt::COUNT],
            questions: MAX_QUESTIONS,
            nobody: Arc::new(()),
            later: Arc::new(Semaphore::new(later::MOST)),
        }
    }

    setters! {
        /// Sets the largest payload at a point, in characters.
        fn limit(mut self, at: PluginAt, characters: usize) { self.limits[at as usize] = characters }

        /// Sets the fields that hooks may change at a point. A hook's own `writable` limits it further.
        fn writable(mut self, at: PluginAt, fields: &[&str]) {
            for &at in &self.points[at as usize] {
                let own = &mut self.entries[at].hook.writable;
                let may = |field: &&str| {
                    let own = own.as_deref();
                    own.is_none_or(|own| own.iter().any(|known| **known == **field))
                };
                *own = Some(fields.iter().copied().filter(may).map(Box::from).collect());
            }
        }

        /// Sets how often one hook may ask the user in one request.
        fn questions(mut self, most: usize) { self.questions = most }
    }

    /// Returns the hooks in their order.
    pub fn hooks(&self) -> impl Iterator<Item = &PluginHook> {
        self.entries.iter().map(|entry| &entry.hook)
    }

    /// Returns whether a hook stands at the point. Disabled hooks count.
    pub fn stands_at(&self, at: PluginAt) -> bool {
        !self.points[at as usize].is_empty()
    }

    /// Returns whether a hook at the point could run for the item.
    #[doc(hidden)]
    pub fn concerns(&self, at: PluginAt, item: &str) -> bool {
        let mut hooks = self.points[at as usize]
            .iter()
            .map(|&at| &self.entries[at].hook);
        hooks.any(|hook| hook.filter.names(item))
    }

    /// Returns whether a hook at the point reads who sent the request, or what else its context holds beside definitions. Where
    /// none does, the context need not be made.
    #[doc(hidden)]
    pub fn reads_context(&self, at: PluginAt) -> bool {
        self.reads_context[at as usize]
    }

    /// Returns the scopes that the rules without a body ask of the sender of this payload.
    #[doc(hidden)]
    pub fn scopes_for<P: PluginPoint>(
        &self,
        payload: &P::Payload,
        global: &GlobalContext,
    ) -> Vec<&str> {
        let hooks = self.points[P::AT as usize]
            .iter()
            .map(|&at| &self.entries[at].hook);
        let asking = hooks.filter(|hook| {
            hook.is_rule()
                && hook.its_mode().may_stop()
                && !hook.filter.scopes.is_empty()
                && hook.filter.admits(P::AT.family(), payload, global)
                && hook.filter.concerns(payload, global)
        });
        asking.flat_map(PluginHook::its_scopes).collect()
    }

    /// Returns whether a hook's function can ask the user.
    #[doc(hidden)]
    pub fn may_ask(&self) -> bool {
        self.hooks().any(|hook| hook.asks)
    }

    /// Returns what a hook did since the chain was built.
    pub fn counts(&self, hook: &str) -> Counts {
        let own = self.entries.iter().filter(|entry| entry.hook.id() == hook);
        own.map(ChainEntry::counts)
            .fold(Counts::default(), |all, one| Counts {
                denied: all.denied + one.denied,
                bypassed: all.bypassed + one.bypassed,
                dropped: all.dropped + one.dropped,
            })
    }

    /// Keeps the counters of an earlier chain for the hooks that it has too, and the places of the hooks that still
    /// run after their requests.
    #[must_use]
    pub(crate) fn after(mut self, before: &Chain) -> Chain {
        for entry in &mut self.entries {
            let mut known = before.entries.iter();
            if let Some(known) = known.find(|known| known.key == entry.key) {
                entry.tally = known.tally.clone();
            }
        }
        self.later = before.later.clone();
        self
    }
}

impl ChainEntry {
    fn counts(&self) -> Counts {
        Counts {
            denied: self.tally.denied.load(Ordering::Relaxed),
            bypassed: self.tally.bypassed.load(Ordering::Relaxed),
            dropped: self.tally.dropped.load(Ordering::Relaxed),
        }
    }

    fn writable(&self) -> Writable<'_> {
        self.hook.writable.as_deref()
    }
}

impl Denial {
    /// Creates a stop by the chain itself.
    #[doc(hidden)]
    pub fn by_chain(code: &str, reason: impl Into<String>) -> Denial {
        let mut violation = Violation::new(reason);
        violation.code = code.to_owned();
        Denial {
            hook: Arc::from(""),
            violation,
            failed: code == "plugin_error",
            is_recorded: false,
        }
    }
}

/// Returns the stop of a hook that asks where nobody can be asked: about `what`.
pub fn unaskable(hook: Arc<str>, what: &str) -> Denial {
    let reason = format!("the user cannot be asked about {what}");
    let mut blocked = Denial::by_chain("elicitation_unsupported", reason);
    blocked.hook = hook;
    blocked
}

impl fmt::Debug for Chain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.hooks()).finish()
    }
}
