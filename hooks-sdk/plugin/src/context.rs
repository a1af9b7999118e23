//! What a hook knows beside its payload, and what it keeps for later.

use std::{
    fmt, mem,
    sync::{Arc, OnceLock},
    time::Duration,
};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{ChainStep, Decision, Denial, ElicitationResponse, PluginAt};

/// The context of one hook in one request (document §5.1.2).
///
/// The hook's own `state` and `metadata` last from its pre point to its post point of the same request. No other hook
/// sees them. If the hook fails, for whatever reason, every change that it made here is dropped. Of `global`, hooks write
/// `state` and `metadata` only; a change of another field is dropped and reported. A hook in the mode `audit` writes
/// nothing of `global`.
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

/// What all hooks of one request share (document §5.1.2).
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct GlobalContext {
    /// The id of the request: opaque, and different for every request.
    pub request_id: Arc<str>,
    /// The user who sent the request, if the server knows users.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// The tenant of the user, if the server knows tenants.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant_id: Option<String>,
    /// The server: its name, unless the author set another id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_id: Option<Arc<str>>,
    /// The session of the request, if there is one. It is opaque.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// State that hooks share.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub state: Map<String, Value>,
    /// Metadata that hooks share. The member `request` is the `_meta` of the request as the client sent it, without the
    /// members of this SDK. The client chooses all of it.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
    /// The peer and its session, as the server knows them.
    #[serde(skip)]
    sender: Option<(u64, u64)>,
    #[serde(skip)]
    definitions: Option<Definitions>,
    #[serde(skip)]
    shown: Option<ShownAs>,
}

impl GlobalContext {
    /// Creates the context of a request.
    pub fn new(request_id: impl Into<Arc<str>>) -> GlobalContext {
        GlobalContext {
            request_id: request_id.into(),
            ..GlobalContext::default()
        }
    }

    /// Returns the definition of the called tool, prompt or resource as JSON, if the server knows it: what its list
    /// says of it, before any list hook.
    ///
    /// It is made at the first use in a request.
    pub fn definition(&self) -> Option<&Value> {
        self.definitions.as_ref()?.get()
    }

    /// Returns the definition of the item as its list shows it to clients: after list hooks. `None` if the definition is
    /// not known, or if a list hook hides the item.
    ///
    /// Each use makes it again.
    pub fn shown(&self) -> Option<Value> {
        let definition = self.definition()?;
        match &self.shown {
            Some(ShownAs(show)) => show(definition),
            None => Some(definition.clone()),
        }
    }

    /// Returns whether the item's annotation `name` is `true`, in its definition or by a list hook. `None` if the
    /// definition is not known.
    pub fn has_hint(&self, name: &str) -> Option<bool> {
        let is_set = |of: &Value| of["annotations"][name] == true;
        let definition = self.definition()?;
        Some(is_set(definition) || self.shown().is_some_and(|shown| is_set(&shown)))
    }

    /// Returns the name under which clients know the item, or `own`, its name at the server, if list hooks keep it.
    pub fn name_for_clients(&self, own: &str) -> String {
        let shown = self.shown();
        let name = shown.as_ref().and_then(|shown| shown["name"].as_str());
        name.unwrap_or(own).to_owned()
    }

    /// Sets how list hooks show the definition of the item.
    #[must_use]
    pub fn shown_by(
        mut self,
        show: impl Fn(&Value) -> Option<Value> + Send + Sync + 'static,
    ) -> GlobalContext {
        self.shown = Some(ShownAs(Arc::new(show)));
        self
    }

    /// Returns who sent the request: two opaque numbers, for its peer and for the session that the server gave the peer.
    pub fn sender(&self) -> Option<(u64, u64)> {
        self.sender
    }

    /// Sets who sent the request. Limits count by it where the request has no user, so nothing of it may be what a client
    /// chooses.
    #[must_use]
    pub fn sent_by(mut self, peer: u64, session: u64) -> GlobalContext {
        self.sender = Some((peer, session));
        self
    }

    /// Returns whether the server knows the item. It knows every item if nothing says where definitions come from.
    #[cfg(feature = "policy")]
    pub(crate) fn is_known(&self) -> bool {
        self.definitions.is_none() || self.definition().is_some()
    }

    /// Sets where the definition of the item comes from.
    #[must_use]
    pub fn defined_by(
        mut self,
        find: impl Fn() -> Option<Value> + Send + Sync + 'static,
    ) -> GlobalContext {
        self.definitions = Some(Definitions(Arc::new(Lookup {
            found: OnceLock::new(),
            find,
        })));
        self
    }
}

type ShowMember = dyn Fn(&Value) -> Option<Value> + Send + Sync;

#[derive(Clone)]
struct ShownAs(Arc<ShowMember>);

impl fmt::Debug for ShownAs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ShownAs")
    }
}

impl GlobalContext {
    /// Undoes what a hook changed about who sent the request and what it is about. Returns the changed fields.
    pub(super) fn restore_identity(&mut self, truth: &GlobalContext) -> Vec<&'static str> {
        // Without a change, this allocates nothing.
        let mut changed = Vec::new();
        macro_rules! restore {
            ($($field:ident),+) => {$(
                if self.$field != truth.$field {
                    self.$field.clone_from(&truth.$field);
                    changed.push(stringify!($field));
                }
            )+};
        }
        restore!(request_id, user, tenant_id, server_id, session, sender);
        let at = |cx: &GlobalContext| Some(Arc::as_ptr(&cx.definitions.as_ref()?.0).cast::<()>());
        if at(self) != at(truth) {
            self.definitions.clone_from(&truth.definitions);
            changed.push("definition");
        }
        let at = |cx: &GlobalContext| Some(Arc::as_ptr(&cx.shown.as_ref()?.0).cast::<()>());
        if at(self) != at(truth) {
            self.shown.clone_from(&truth.shown);
            changed.push("shown");
        }
        changed
    }
}

#[derive(Clone)]
struct Definitions(Arc<Lookup<dyn Fn() -> Option<Value> + Send + Sync>>);

struct Lookup<F: ?Sized> {
    found: OnceLock<Option<Value>>,
    find: F,
}

impl Definitions {
    fn get(&self) -> Option<&Value> {
        self.0.found.get_or_init(|| (self.0.find)()).as_ref()
    }
}

impl fmt::Debug for Definitions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Definitions").field(&self.0.found).finish()
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
    pub(super) responses: Vec<ElicitationResponse>,
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
        self.record.add(ChainStep {
            hook: blocked.hook.clone(),
            point,
            decision,
            cost: Duration::ZERO,
            violation: Some(blocked.violation.clone()),
            note: None,
        });
    }

    /// Records that a part of a change is dropped by the transport.
    #[doc(hidden)]
    pub fn note_dropped(&mut self, point: PluginAt, what: String) {
        self.record.add(ChainStep {
            hook: Arc::from(""),
            point,
            decision: Decision::Dropped,
            cost: Duration::ZERO,
            violation: None,
            note: Some(what),
        });
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

    /// Returns whether the user answered this hook in this request.
    pub(super) fn was_answered(&self, hook: &str) -> bool {
        let own = self.find(hook).map(|at| &self.own[at]);
        own.is_some_and(|own| !own.responses.is_empty())
    }

    /// Returns the context of a hook, as a copy.
    pub(super) fn of(&self, hook: &str) -> PluginContext {
        let mut cx = PluginContext {
            global: self.global.clone(),
            ..PluginContext::default()
        };
        if let Some(own) = self.find(hook).map(|at| &self.own[at]) {
            cx.state.clone_from(&own.state);
            cx.metadata.clone_from(&own.metadata);
            cx.elicitation_responses.clone_from(&own.responses);
        }
        cx
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
