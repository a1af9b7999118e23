//! One walk through the hooks of a point.

use std::{
    any::Any,
    mem,
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use serde_json::{Map, Value};

use super::{
    super::{
        Answered, Contexts, ElicitationResponse, Outcome, Payload, PluginContext, PluginHook,
        PluginMode, PluginPoint, hook::Body, schema,
    },
    Chain, ChainStep, Decision, Denial, End, Entry, Pending, Ran,
};
use crate::core::{
    Failure, HookError, OnFailure, Violation,
    callback::{Mut, Ref},
};

type Server = Arc<dyn Any + Send + Sync>;

/// What a walk carries from hook to hook.
pub(super) struct Walk<'w, P: PluginPoint> {
    pub(super) chain: &'w Chain,
    pub(super) server: &'w Server,
    pub(super) payload: &'w mut P::Payload,
    pub(super) contexts: &'w mut Contexts,
    pub(super) cx: PluginContext,
    modified: bool,
    metadata: Map<String, Value>,
    /// The hooks that the configuration file keeps out, by their index in the chain.
    out: Vec<usize>,
    /// The hooks that run after the chain allowed the request.
    later: Vec<usize>,
    /// Whether the payload is what will be used, so that no hook may change it any more.
    is_last: bool,
}

impl Chain {
    /// Runs the hooks of a point that belong to no server. A change replaces the payload.
    pub async fn run<P: PluginPoint>(
        &self,
        point: P,
        payload: &mut P::Payload,
        contexts: &mut Contexts,
    ) -> Ran {
        self.run_for(point, &self.nobody, payload, contexts).await
    }

    /// Runs the hooks of a point for a server. A change replaces the payload.
    ///
    /// If the request is blocked, the payload is what the hooks before the one that blocked made of it. Nobody should
    /// use it.
    pub async fn run_for<P: PluginPoint>(
        &self,
        _point: P,
        server: &Server,
        payload: &mut P::Payload,
        contexts: &mut Contexts,
    ) -> Ran {
        let stand = &self.points[P::AT as usize];
        if stand.is_empty() {
            return Ran {
                end: End::Allowed,
                modified: false,
                metadata: Map::new(),
            };
        }
        let mut walk = Walk::<P>::new(self, server, payload, contexts);
        if let Err(blocked) = walk.fits_limit() {
            return walk.ended(End::Blocked(blocked));
        }
        for &at in stand {
            let filter = &self.entries[at].hook.filter;
            if !filter.admits(P::AT.family(), walk.payload, &walk.cx.global) {
                walk.out.push(at);
            }
        }
        walk.from(0).await
    }

    /// Goes on with the user's answer: the hook that asked runs again, and those after it.
    ///
    /// `payload` and `contexts` are what [`run_for`](Chain::run_for) left. The hooks before the one that asked are not
    /// run again.
    pub async fn resume<P: PluginPoint>(
        &self,
        _point: P,
        server: &Server,
        pending: Pending,
        answer: ElicitationResponse,
        payload: &mut P::Payload,
        contexts: &mut Contexts,
    ) -> Ran {
        let stand = &self.points[P::AT as usize];
        let mut walk = Walk::<P>::new(self, server, payload, contexts);
        walk.modified = pending.modified;
        walk.metadata = pending.metadata;
        let place = |hook: &str| {
            let mut stand = stand.iter();
            stand.position(|at| *self.entries[*at].hook.id == *hook)
        };
        let out = pending.out.iter();
        walk.out = out.filter_map(|hook| Some(stand[place(hook)?])).collect();
        let Some(from) = place(&pending.hook) else {
            let blocked = Denial::by_chain(
                "plugin_error",
                "the hook that asked the user is no longer there; call again",
            );
            return walk.ended(End::Blocked(blocked));
        };
        let answer = match answer.checked(&pending.asking) {
            Ok(answer) => answer,
            Err(wrong) => {
                let reason = format!("the user's answer does not fit the question: {wrong}");
                let entry = &self.entries[stand[from]];
                let mut violation = Violation::new(reason);
                violation.code = "elicitation_invalid".to_owned();
                let blocked = walk.deny(entry, violation, Duration::ZERO);
                return walk.ended(End::Blocked(blocked));
            }
        };
        walk.contexts.own(&pending.hook).responses.push(answer);
        walk.from(from).await
    }
}

impl Chain {
    /// Checks every rule without a body, and the hooks that ask for it, on a payload that another part of the server
    /// changed after the chain.
    ///
    /// # Errors
    ///
    /// The rule that stops the request.
    pub(crate) async fn keeps_rules<P: PluginPoint>(
        &self,
        server: &Server,
        payload: &P::Payload,
        contexts: &mut Contexts,
    ) -> Result<(), Denial> {
        let mut payload = payload.clone();
        let mut walk = Walk::<P>::new(self, server, &mut payload, contexts);
        match walk.rules_again().await.map_err(|end| *end) {
            Ok(()) => Ok(()),
            Err(End::Blocked(blocked)) => Err(blocked),
            Err(End::Allowed | End::Asks(_)) => Err(Denial::by_chain(
                "plugin_error",
                "a hook that checks a changed request again asked the user",
            )),
        }
    }
}

impl<'w, P: PluginPoint> Walk<'w, P> {
    fn new(
        chain: &'w Chain,
        server: &'w Server,
        payload: &'w mut P::Payload,
        contexts: &'w mut Contexts,
    ) -> Walk<'w, P> {
        let cx = PluginContext {
            global: contexts.global.clone(),
            ..PluginContext::default()
        };
        Walk {
            chain,
            server,
            payload,
            contexts,
            cx,
            modified: false,
            metadata: Map::new(),
            out: Vec::new(),
            later: Vec::new(),
            is_last: false,
        }
    }

    fn ended(self, end: End) -> Ran {
        self.contexts.global.state = self.cx.global.state;
        self.contexts.global.metadata = self.cx.global.metadata;
        Ran {
            end,
            modified: self.modified,
            metadata: self.metadata,
        }
    }

    fn fits_limit(&self) -> Result<(), Denial> {
        let limit = self.chain.limits[P::AT as usize];
        if self.payload.size(limit) <= limit {
            return Ok(());
        }
        let reason = format!("the payload has more than {limit} characters");
        Err(Denial::by_chain("payload_too_large", reason))
    }

    async fn from(mut self, from: usize) -> Ran {
        let chain = self.chain;
        let stand = &chain.points[P::AT as usize];
        let mut at = from;
        while at < stand.len() {
            let index = stand[at];
            let entry = &chain.entries[index];
            let hook = &entry.hook;
            at += 1;
            match hook.mode {
                PluginMode::Disabled => continue,
                _ if self.out.contains(&index) => continue,
                PluginMode::Concurrent => {
                    let is_neighbour =
                        |at: &usize| chain.entries[*at].hook.mode == PluginMode::Concurrent;
                    let more = stand[at..].iter().take_while(|at| is_neighbour(at)).count();
                    let group = &stand[at - 1..at + more];
                    at += more;
                    if let Err(blocked) = self.together(group).await {
                        return self.ended(End::Blocked(blocked));
                    }
                    continue;
                }
                _ if !hook.filter.holds(self.payload, &self.cx.global) => continue,
                PluginMode::FireAndForget => {
                    self.later.push(index);
                    continue;
                }
                PluginMode::Enforce
                | PluginMode::Permissive
                | PluginMode::Transform
                | PluginMode::Audit => {}
            }
            let flow = match &hook.body {
                Body::Deny(violation) => {
                    let violation = Violation::clone(violation);
                    self.outcome(entry, Outcome::deny(violation), Duration::ZERO)
                }
                Body::Call(_) => self.call(entry).await,
            };
            if let Err(end) = flow {
                return self.ended(*end);
            }
        }
        if self.modified
            && let Err(end) = self.rules_again().await
        {
            return self.ended(*end);
        }
        for &index in &mem::take(&mut self.later) {
            self.start_later(&chain.entries[index]);
        }
        self.ended(End::Allowed)
    }

    /// Runs a hook's function and takes its answer.
    async fn call(&mut self, entry: &Entry) -> Result<(), Box<End>> {
        let hook = &entry.hook;
        let known = self.take_own(hook);
        let shared = self.shared();
        let began = self.contexts.record.every.then(Instant::now);
        let cx = &mut self.cx;
        let answered = match typed::<P>(hook) {
            Some(call) => {
                call.within(hook.deadline, &**self.server, (&*self.payload, cx))
                    .await
            }
            None => Err(Failure::Failed(HookError::new(
                "the hook stands at another point",
            ))),
        };
        let cost = began.map(|began| began.elapsed()).unwrap_or_default();
        match answered {
            Ok(answered) => {
                self.keep_own(hook, known);
                match answered {
                    None => {
                        self.note(entry, Decision::Allowed, cost);
                        Ok(())
                    }
                    Some(outcome) => self.outcome(entry, *outcome, cost),
                }
            }
            Err(failure) => {
                self.forget(shared);
                self.failed(entry, &failure, cost)
            }
        }
    }

    /// Acts on a hook's outcome.
    fn outcome(
        &mut self,
        entry: &Entry,
        outcome: Outcome<P::Change>,
        cost: Duration,
    ) -> Result<(), Box<End>> {
        let hook = &entry.hook;
        let Outcome {
            continue_processing,
            modified_payload,
            violation,
            elicitation_request,
            metadata,
        } = outcome;
        self.metadata.extend(metadata);
        let question = elicitation_request.filter(|_| violation.is_none());
        let asks = question.is_some();
        let stops = !asks && !continue_processing;
        let mut decision = Decision::Allowed;
        if stops && hook.mode.may_stop() {
            let blocked = self.deny(entry, violation.unwrap_or_default(), cost);
            return Err(Box::new(End::Blocked(blocked)));
        }
        if let Some(change) = modified_payload {
            if hook.mode.may_change() && !self.is_last {
                if let Err(wrong) = self.change(entry, change) {
                    return self.failed(entry, &Failure::Failed(wrong), cost);
                }
                decision = Decision::Modified;
            } else {
                let note = "it may not change the request here".to_owned();
                self.report(entry, Decision::Dropped, None, Some(note), cost);
            }
        }
        if let Some(question) = question {
            if self.is_last {
                let violation = Violation::new("the changed request needs the user's answer");
                let blocked = self.deny(entry, violation, cost);
                return Err(Box::new(End::Blocked(blocked)));
            }
            if hook.mode == PluginMode::Enforce {
                return Err(Box::new(self.ask(entry, question, cost)?));
            }
            let note = format!("it would have asked: {}", question.message);
            self.report(entry, Decision::Suppressed, None, Some(note), cost);
        } else if stops || violation.is_some() {
            let violation = named(violation.unwrap_or_default());
            self.report(entry, Decision::Suppressed, Some(violation), None, cost);
        } else if decision == Decision::Modified {
            self.report(entry, decision, None, None, cost);
        } else {
            self.note(entry, decision, cost);
        }
        Ok(())
    }

    /// Takes a change, if it fits the limit and the item's own schema.
    fn change(&mut self, entry: &Entry, change: P::Change) -> Result<(), HookError> {
        let (changed, kept) = self.payload.changed(change, entry.writable());
        let limit = self.chain.limits[P::AT as usize];
        if changed.size(limit) > limit {
            return Err(HookError::new(format!(
                "its payload has more than {limit} characters"
            )));
        }
        if changed.item() == self.payload.item()
            && let Some((member, value)) = changed.restricted()
            && let Some(schema) = self.cx.global.definition().and_then(|of| of.get(member))
            && let Err(wrong) = schema::validate(schema, &value)
        {
            return Err(HookError::new(format!(
                "its payload does not fit the `{member}` of `{}`: {wrong}",
                changed.item()
            )));
        }
        for field in kept {
            let note = format!("it may not change `{field}`");
            self.report(entry, Decision::Dropped, None, Some(note), Duration::ZERO);
        }
        *self.payload = changed;
        self.modified = true;
        Ok(())
    }

    /// Returns the end of a chain that asks, or a failure of the hook whose question is wrong.
    fn ask(
        &mut self,
        entry: &Entry,
        question: super::super::Question,
        cost: Duration,
    ) -> Result<End, Box<End>> {
        let hook = &entry.hook;
        let asked = self.contexts.own(&hook.id).responses.len();
        if asked >= self.chain.questions {
            let reason = format!("the hook asked the user {asked} times without a decision");
            let mut violation = Violation::new(reason);
            violation.code = "elicitation_rounds".to_owned();
            let blocked = self.deny(entry, violation, cost);
            return Ok(End::Blocked(blocked));
        }
        let asking = match question.asked() {
            Ok(asking) => asking,
            Err(wrong) => {
                self.failed(entry, &Failure::Failed(wrong), cost)?;
                // Its failures are ignored, but it did not let the request go on.
                let mut violation = Violation::new("the hook asked the user a wrong question");
                violation.code = "elicitation_refused".to_owned();
                return Ok(End::Blocked(self.deny(entry, violation, cost)));
            }
        };
        self.report(
            entry,
            Decision::Asked,
            None,
            Some(question.message.clone()),
            cost,
        );
        let id = |at: &usize| self.chain.entries[*at].hook.id.clone();
        Ok(End::Asks(Box::new(Pending {
            hook: hook.id.clone(),
            question,
            asking,
            modified: self.modified,
            metadata: mem::take(&mut self.metadata),
            out: self.out.iter().map(id).collect(),
        })))
    }

    /// Checks every rule without a body again, and the hooks that ask for it, on the payload as it will be used.
    async fn rules_again(&mut self) -> Result<(), Box<End>> {
        self.is_last = true;
        let chain = self.chain;
        for &index in &chain.points[P::AT as usize] {
            let entry = &chain.entries[index];
            let hook = &entry.hook;
            let again = hook.is_rule() || hook.again;
            if !again
                || !hook.mode.may_stop()
                || self.out.contains(&index)
                || !hook.filter.holds(self.payload, &self.cx.global)
            {
                continue;
            }
            match &hook.body {
                Body::Deny(violation) => {
                    let blocked = self.deny(entry, Violation::clone(violation), Duration::ZERO);
                    return Err(Box::new(End::Blocked(blocked)));
                }
                Body::Call(_) => self.call(entry).await?,
            }
        }
        Ok(())
    }

    fn start_later(&mut self, entry: &Entry) {
        let hook = &entry.hook;
        _ = self.take_own(hook);
        let cx = self.cx.clone();
        let later = &self.chain.later;
        if later.start::<P>(hook, self.server, self.payload, cx) {
            self.note(entry, Decision::Started, Duration::ZERO);
        } else {
            self.report(entry, Decision::Refused, None, None, Duration::ZERO);
        }
    }

    pub(super) fn is_out(&self, index: usize) -> bool {
        self.out.contains(&index)
    }

    pub(super) fn add_metadata(&mut self, metadata: Map<String, Value>) {
        self.metadata.extend(metadata);
    }

    /// Records a stop.
    pub(super) fn deny(&mut self, entry: &Entry, violation: Violation, cost: Duration) -> Denial {
        entry.tally.denied.fetch_add(1, Ordering::Relaxed);
        let violation = named(violation);
        self.report(entry, Decision::Denied, Some(violation.clone()), None, cost);
        Denial {
            hook: entry.hook.id.clone(),
            violation,
            failed: false,
        }
    }

    /// Records a failure, and stops the request unless the hook's failures are ignored.
    pub(super) fn failed(
        &mut self,
        entry: &Entry,
        failure: &Failure,
        cost: Duration,
    ) -> Result<(), Box<End>> {
        let note = Some(failure.to_string());
        if entry.hook.posture() == OnFailure::Ignore {
            entry.tally.bypassed.fetch_add(1, Ordering::Relaxed);
            self.report(entry, Decision::Bypassed, None, note, cost);
            return Ok(());
        }
        self.report(entry, Decision::Failed, None, note, cost);
        let code = match failure {
            Failure::Panicked(_) => "plugin_panic",
            Failure::TimedOut(_) => "plugin_timeout",
            Failure::Failed(_) => "plugin_error",
        };
        let mut violation = Violation::new("a policy check failed, so the request was stopped");
        code.clone_into(&mut violation.code);
        violation.description = "the server's log says why".to_owned();
        Err(Box::new(End::Blocked(Denial {
            hook: entry.hook.id.clone(),
            violation,
            failed: true,
        })))
    }

    /// Records what nobody has to know unless every hook is recorded.
    pub(super) fn note(&mut self, entry: &Entry, decision: Decision, cost: Duration) {
        if self.contexts.record.every {
            self.report(entry, decision, None, None, cost);
        }
    }

    pub(super) fn report(
        &mut self,
        entry: &Entry,
        decision: Decision,
        violation: Option<Violation>,
        note: Option<String>,
        cost: Duration,
    ) {
        self.contexts.record.add(ChainStep {
            hook: entry.hook.id.clone(),
            point: P::AT,
            decision,
            cost,
            violation,
            note,
        });
    }

    /// Gives the context what the hook keeps in this request. Returns whether it keeps anything.
    pub(super) fn take_own(&mut self, hook: &PluginHook) -> bool {
        let cx = &mut self.cx;
        if !cx.state.is_empty() || !cx.metadata.is_empty() || !cx.elicitation_responses.is_empty() {
            cx.state.clear();
            cx.metadata.clear();
            cx.elicitation_responses.clear();
        }
        if self.contexts.own.is_empty() {
            return false;
        }
        let Some(at) = self.contexts.find(&hook.id) else {
            return false;
        };
        let own = &self.contexts.own[at];
        self.cx.state.clone_from(&own.state);
        self.cx.metadata.clone_from(&own.metadata);
        self.cx.elicitation_responses.clone_from(&own.responses);
        true
    }

    /// Keeps what the hook left in its context.
    pub(super) fn keep_own(&mut self, hook: &PluginHook, known: bool) {
        if known || !self.cx.state.is_empty() || !self.cx.metadata.is_empty() {
            let own = self.contexts.own(&hook.id);
            own.state = mem::take(&mut self.cx.state);
            own.metadata = mem::take(&mut self.cx.metadata);
        }
    }

    /// Returns a copy of what hooks share, if there is anything.
    fn shared(&self) -> Option<(Map<String, Value>, Map<String, Value>)> {
        let global = &self.cx.global;
        let has = !global.state.is_empty() || !global.metadata.is_empty();
        has.then(|| (global.state.clone(), global.metadata.clone()))
    }

    /// Drops what a hook that failed wrote.
    fn forget(&mut self, shared: Option<(Map<String, Value>, Map<String, Value>)>) {
        let (state, metadata) = shared.unwrap_or_default();
        self.cx.global.state = state;
        self.cx.global.metadata = metadata;
    }
}

pub(super) type TypedCall<P> = crate::core::Callback<
    (Ref<<P as PluginPoint>::Payload>, Mut<PluginContext>),
    Answered<<P as PluginPoint>::Change>,
>;

/// Returns the hook's function, if it stands at `P`.
pub(super) fn typed<P: PluginPoint>(hook: &PluginHook) -> Option<&TypedCall<P>> {
    match &hook.body {
        Body::Call(call) => call.typed(),
        Body::Deny(_) => None,
    }
}

/// A stop without a violation gets one, and a violation without a code too.
fn named(mut violation: Violation) -> Violation {
    if violation.reason.is_empty() {
        violation.reason = "a policy of this server forbids it".to_owned();
    }
    if violation.code.is_empty() {
        violation.code = "plugin_deny".to_owned();
    }
    violation
}
