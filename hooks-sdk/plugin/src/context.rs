//! What a hook knows beside its payload, and what it keeps for later.

use std::{mem, sync::Arc};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    ChainStep, Decision, Denial, ElicitationResponse, GlobalContext, PluginAt, chain::ChainEntry,
};

/// The context of one hook in one request (document §5.1.2).
///
/// The hook's own `state` and `metadata` last from its pre point to its post point of the same request. No other hook
/// sees them. If the hook fails, for whatever reason, every change that it made here is dropped. Of `global`, hooks write
/// `state` and `metadata` only; a change of another field is dropped and reported. A hook in the mode `audit` writes
/// nothing of `global`.
///
/// ```
/// use hooks_sdk::plugin::PluginContext;
///
/// let mut cx = PluginContext::default();
/// cx.set_state("seen", true);
/// assert_eq!(cx.get_state("seen"), Some(&true.into()));
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct PluginContext {
    /// The hook's own state.
    pub state: Map<String, Value>,
    /// What all hooks of the request share.
    pub global: GlobalContext,
    /// What the hook keeps about its own execution. It is never on the wire.
    pub metadata: Map<String, Value>,
    /// The user's answers to the hook's questions in this request, in order.
    pub elicitation_responses: Vec<ElicitationResponse>,
}

impl PluginContext {
    /// Returns a value of the hook's own state.
    pub fn get_state(&self, key: &str) -> Option<&Value> {
        self.state.get(key)
    }

    /// Sets a value of the hook's own state.
    pub fn set_state(&mut self, key: impl Into<String>, value: impl Into<Value>) {
        self.state.insert(key.into(), value.into());
    }
}

/// The contexts of all hooks in one request, from its pre points to its post points (document §5.1.2).
///
/// What a hook keeps is found under the request's id and the hook. Another request id gives fresh contexts.
#[derive(Clone, Debug, Default)]
pub struct Contexts {
    /// What all hooks of the request share.
    pub global: GlobalContext,
    pub(super) own: Vec<Own>,
    pub(super) record: super::ChainRecord,
}

/// What one hook keeps in one request.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Own {
    pub(super) request_id: Arc<str>,
    pub(super) hook: Arc<str>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub(super) state: Map<String, Value>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub(super) metadata: Map<String, Value>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    /// The user's answers, each with the key of the hook that asked.
    pub(super) responses: Vec<(Arc<str>, ElicitationResponse)>,
}

impl Contexts {
    /// Creates the contexts of a request.
    pub fn new(global: GlobalContext) -> Contexts {
        Contexts {
            global,
            ..Contexts::default()
        }
    }

    /// Also records the decision and the cost of every hook. Without it, the record has only what a request must not
    /// lose: denials, changes, bypasses and questions.
    #[must_use]
    pub fn recording(mut self) -> Contexts {
        self.record.every = true;
        self
    }

    /// Returns the state that a hook keeps in this request.
    pub fn state(&self, hook: &str) -> Option<&Map<String, Value>> {
        self.find(hook).map(|at| &self.own[at].state)
    }

    /// Returns what a hook says about its own execution in this request.
    pub fn metadata(&self, hook: &str) -> Option<&Map<String, Value>> {
        self.find(hook).map(|at| &self.own[at].metadata)
    }

    /// Returns what happened so far.
    pub fn record(&self) -> &super::ChainRecord {
        &self.record
    }

    /// Records a stop, unless the hook that stopped the request has done so.
    #[doc(hidden)]
    pub fn note(&mut self, point: PluginAt, decision: Decision, blocked: &Denial) {
        if blocked.is_recorded {
            return;
        }
        let mut step = ChainStep::new(blocked.hook.clone(), point, decision, None);
        step.violation = Some(blocked.violation.clone());
        self.record.add(step);
    }

    /// Records that a part of a change is dropped by the transport.
    #[doc(hidden)]
    pub fn note_dropped(&mut self, point: PluginAt, what: String) {
        let step = ChainStep::new(Arc::from(""), point, Decision::Dropped, Some(what));
        self.record.add(step);
    }

    /// Drops the user's answers: they were about another tool, prompt or resource.
    #[doc(hidden)]
    pub fn forget_answers(&mut self) {
        for own in &mut self.own {
            own.responses.clear();
        }
    }

    /// Returns whether the user answered a hook in this request.
    #[doc(hidden)]
    pub fn has_answers(&self) -> bool {
        self.own.iter().any(|own| !own.responses.is_empty())
    }

    /// Returns the user's answers to the hook with this key in this request.
    pub(super) fn answers(&self, key: &str) -> impl Iterator<Item = &ElicitationResponse> {
        let own = self.own.iter();
        let own = own.filter(|own| own.request_id == self.global.request_id);
        let all = own.flat_map(|own| &own.responses);
        all.filter(move |(asked, _)| **asked == *key)
            .map(|(_, answer)| answer)
    }

    /// Returns the context of a hook, as a copy.
    pub(super) fn of(&self, entry: &ChainEntry) -> PluginContext {
        let mut cx = PluginContext {
            global: self.global.clone(),
            ..PluginContext::default()
        };
        self.give(entry, &mut cx);
        cx
    }

    /// Gives a context what a hook keeps in this request. Returns whether it keeps anything.
    pub(super) fn give(&self, entry: &ChainEntry, cx: &mut PluginContext) -> bool {
        if !cx.state.is_empty() || !cx.metadata.is_empty() || !cx.elicitation_responses.is_empty() {
            cx.state.clear();
            cx.metadata.clear();
            cx.elicitation_responses.clear();
        }
        let Some(at) = self.find(&entry.hook.id) else {
            return false;
        };
        let own = &self.own[at];
        cx.state.clone_from(&own.state);
        cx.metadata.clone_from(&own.metadata);
        cx.elicitation_responses = self.answers(&entry.key).cloned().collect();
        true
    }

    pub(super) fn find(&self, hook: &str) -> Option<usize> {
        let same = |own: &Own| *own.hook == *hook && own.request_id == self.global.request_id;
        self.own.iter().position(same)
    }

    /// Returns what a hook keeps; creates it if there is none.
    pub(super) fn own(&mut self, hook: &Arc<str>) -> &mut Own {
        let at = self.find(hook).unwrap_or_else(|| {
            self.own.push(Own {
                request_id: self.global.request_id.clone(),
                hook: hook.clone(),
                ..Own::default()
            });
            self.own.len() - 1
        });
        &mut self.own[at]
    }
}

/// What must survive while a user is asked: everything in the contexts of a request but its record.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[doc(hidden)]
pub struct Carried {
    global: GlobalContext,
    own: Vec<Own>,
}

impl Contexts {
    /// Returns what must survive while a user is asked.
    #[doc(hidden)]
    pub fn carried(&self) -> Carried {
        Carried {
            global: self.global.clone(),
            own: self.own.clone(),
        }
    }

    /// Takes back what survived. The request has an id of its own, and what the hooks kept moves to it. What hooks
    /// wrote in this request already, such as those at the points of HTTP, is newer and stays.
    #[doc(hidden)]
    pub fn take_back(&mut self, carried: Carried) {
        let own_id = self.global.request_id.clone();
        let before = carried.global.request_id;
        let newer = mem::replace(&mut self.global.state, carried.global.state);
        self.global.state.extend(newer);
        let newer = mem::replace(&mut self.global.metadata, carried.global.metadata);
        self.global.metadata.extend(newer);
        let newer = mem::replace(&mut self.own, carried.own);
        for own in self.own.iter_mut().filter(|own| own.request_id == before) {
            own.request_id = own_id.clone();
        }
        for newer in newer.into_iter().filter(|own| own.request_id == own_id) {
            let own = self.own(&newer.hook);
            own.state.extend(newer.state);
            own.metadata.extend(newer.metadata);
        }
    }

    /// Takes what the hooks of the same request wrote elsewhere.
    #[doc(hidden)]
    pub fn take_from(&mut self, later: &Contexts) {
        self.global.state.clone_from(&later.global.state);
        self.global.metadata.clone_from(&later.global.metadata);
        self.own.clone_from(&later.own);
    }
}
