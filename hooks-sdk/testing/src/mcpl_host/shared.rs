//! What the host's calls and its answers share: how it was built, and what it knows by now.

use std::{
    collections::{BTreeMap, HashSet, VecDeque},
    sync::{Arc, Mutex, MutexGuard},
    time::Duration,
};

use hooks_core::internal::{debugs, lock};
use serde_json::{Map, Value};

use super::{
    RegisterAnswer, Returns, Side,
    audit::{Audit, AuditOutcome, OperationSubject},
    gate::HostGate,
    reaction::Script,
    stored::States,
};
use hooks_mcpl::{
    ChannelDescriptor, Elevation, ErrorObject, InferenceResult, ModelInfo, Scope, Version,
    wire::{InferenceRequest, Receipt, manifest},
};

/// How many ids of events are remembered.
const EVENTS: usize = 100_000;

pub(super) type Infer =
    Arc<dyn Fn(&InferenceRequest) -> Result<InferenceResult, ErrorObject> + Send + Sync>;
pub(super) type Decide = Arc<dyn Fn(&str, &Scope) -> Elevation + Send + Sync>;
pub(super) type Enrich = Arc<dyn Fn(&str, &Scope) -> Map<String, Value> + Send + Sync>;
pub(super) type Moderate = Arc<dyn Fn(&str) -> String + Send + Sync>;

/// How the host was built.
#[derive(Clone)]
pub(super) struct Config {
    pub(super) version: Version,
    pub(super) model: ModelInfo,
    pub(super) infer: Option<Infer>,
    pub(super) decide: Option<Decide>,
    pub(super) enrich: Option<Enrich>,
    pub(super) moderate: Option<Moderate>,
    pub(super) registered: RegisterAnswer,
    pub(super) returns: Returns,
    pub(super) fail_closed: bool,
    pub(super) no_inference_in_hooks: bool,
    pub(super) before: Duration,
    pub(super) after: Duration,
}

/// The part of a host that its reading task holds too.
#[derive(Debug)]
pub(super) struct SharedHost {
    pub(super) config: Config,
    state: Mutex<HostState>,
}

/// What the host knows by now.
#[derive(Debug)]
pub(super) struct HostState {
    pub(super) gate: HostGate,
    pub(super) script: Script,
    pub(super) channels: BTreeMap<String, ChannelDescriptor>,
    pub(super) events: AcceptedEvents,
    pub(super) states: States,
    pub(super) audit: Audit,
    /// What the server answered to the latest policy.
    pub(super) receipt: Option<Receipt>,
    /// How many context hooks are waited for.
    pub(super) hooks: usize,
    inferences: u64,
}

impl SharedHost {
    pub(super) fn new(config: Config, gate: HostGate, script: Script, audit: Audit) -> SharedHost {
        SharedHost {
            config,
            state: Mutex::new(HostState {
                gate,
                script,
                channels: BTreeMap::new(),
                events: AcceptedEvents::default(),
                states: States::default(),
                audit,
                receipt: None,
                hooks: 0,
                inferences: 0,
            }),
        }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, HostState> {
        lock(&self.state)
    }

    pub(super) fn log(
        &self,
        from: Side,
        method: &str,
        about: OperationSubject,
        outcome: AuditOutcome,
    ) {
        self.state().audit.log(from, method, about, outcome);
    }

    /// Takes over what the server declares now, in its answer to `method`, where it is an object.
    pub(super) fn declare(&self, method: &str, mcpl: Option<&Value>) {
        let mcpl = mcpl.filter(|mcpl| mcpl.is_object());
        self.state().gate.declare(mcpl.cloned());
        if self.config.version == Version::V05
            && let Some(mcpl) = mcpl
            && let Err(wrong) = check_revision(mcpl)
        {
            let outcome = AuditOutcome::Failed(wrong);
            self.log(Side::Server, method, OperationSubject::default(), outcome);
        }
    }

    /// Counts as a context hook that is waited for until what it gives is dropped.
    pub(super) fn in_hook(&self) -> InHook<'_> {
        self.state().hooks += 1;
        InHook(self)
    }
}

impl HostState {
    /// The id of the inference that an event starts.
    pub(super) fn next_inference(&mut self) -> String {
        self.inferences += 1;
        format!("inf_event_{}", self.inferences)
    }
}

pub(super) struct InHook<'a>(&'a SharedHost);

impl Drop for InHook<'_> {
    fn drop(&mut self) {
        self.0.state().hooks -= 1;
    }
}

/// The ids of the events that were accepted, of which the newest are remembered.
#[derive(Debug, Default)]
pub(super) struct AcceptedEvents {
    seen: HashSet<String>,
    order: VecDeque<String>,
}

impl AcceptedEvents {
    /// Whether this one is new.
    pub(super) fn insert(&mut self, id: &str) -> bool {
        if !self.seen.insert(id.to_owned()) {
            return false;
        }
        self.order.push_back(id.to_owned());
        if self.order.len() > EVENTS
            && let Some(oldest) = self.order.pop_front()
        {
            self.seen.remove(&oldest);
        }
        true
    }
}

/// Whether the revision that a manifest names is its own (MCPL 0.5 §17.2).
fn check_revision(mcpl: &Value) -> Result<(), String> {
    let Some(named) = mcpl.get("revision") else {
        return Ok(());
    };
    let own = manifest::revision(mcpl).map_err(|error| error.to_string())?;
    if *named == *own {
        return Ok(());
    }
    Err(format!("the revision is {named} and should be \"{own}\""))
}

debugs!(Config { version, model });
