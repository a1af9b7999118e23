//! One walk through the hooks of a point.

use std::{any::Any, mem, sync::Arc, time::Duration};

use serde_json::{Map, Value};

use super::{
    super::{
        Contexts, ElicitationResponse, Payload, PluginContext, PluginMode, PluginPoint, hook::Body,
    },
    Chain, ChainEntry, Decision, Denial, End, MetHooks, Pending, Ran,
    keep::named,
};
use hooks_core::Violation;

type Server = Arc<dyn Any + Send + Sync>;

/// What a walk carries from hook to hook.
pub(super) struct ChainWalk<'w, P: PluginPoint> {
    pub(super) chain: &'w Chain,
    pub(super) server: &'w Server,
    pub(super) payload: &'w mut P::Payload,
    pub(super) contexts: &'w mut Contexts,
    pub(super) cx: PluginContext,
    pub(super) modified: bool,
    pub(super) metadata: Map<String, Value>,
    /// The hooks that the configuration file keeps out, by their index in the chain.
    pub(super) out: Vec<usize>,
    /// The hooks that are done with the request, because it waited behind them.
    pub(super) ran: Vec<usize>,
    /// The hooks that run after the chain allowed the request.
    pub(super) later: Vec<usize>,
    /// Whether the payload is what will be used, so that no hook may change it any more.
    pub(super) is_last: bool,
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
        let ran = self
            .held::<P>(&MetHooks::default(), server, payload, contexts)
            .await;
        self.started::<P>(ran, server, payload, contexts)
    }

    /// Goes on with the user's answer: the hook that asked runs again, and those after it.
    ///
    /// `payload` and `contexts` are what [`run_for`](Chain::run_for) left. A hook before the one that asked is not run
    /// again. If this is another chain than the one that asked, as after its file changed, the hooks that the request
    /// has not met run first, wherever they stand.
    pub async fn resume<P: PluginPoint>(
        &self,
        _point: P,
        server: &Server,
        pending: Pending,
        answer: ElicitationResponse,
        payload: &mut P::Payload,
        contexts: &mut Contexts,
    ) -> Ran {
        let ran = self
            .resume_held::<P>(server, pending, answer, payload, contexts)
            .await;
        self.started::<P>(ran, server, payload, contexts)
    }

    fn started<P: PluginPoint>(
        &self,
        mut ran: Ran,
        server: &Server,
        payload: &P::Payload,
        contexts: &mut Contexts,
    ) -> Ran {
        let later = mem::take(&mut ran.later);
        self.start_later::<P>(&later, server, payload, contexts);
        ran
    }

    /// Runs the hooks that are not done with the request. The caller starts those that run after it.
    #[doc(hidden)]
    pub async fn held<P: PluginPoint>(
        &self,
        seen: &MetHooks,
        server: &Server,
        payload: &mut P::Payload,
        contexts: &mut Contexts,
    ) -> Ran {
        if self.points[P::AT as usize].is_empty() {
            return Ran {
                end: End::Allowed,
                modified: false,
                metadata: Map::new(),
                later: Vec::new(),
            };
        }
        let mut walk = ChainWalk::<P>::new(self, server, payload, contexts);
        walk.meet(seen);
        walk.all().await
    }

    /// Goes on with the user's answer. The caller starts the hooks that run after the request.
    #[doc(hidden)]
    pub async fn resume_held<P: PluginPoint>(
        &self,
        server: &Server,
        pending: Pending,
        answer: ElicitationResponse,
        payload: &mut P::Payload,
        contexts: &mut Contexts,
    ) -> Ran {
        let stand = &self.points[P::AT as usize];
        let mut walk = ChainWalk::<P>::new(self, server, payload, contexts);
        walk.modified = pending.modified;
        walk.metadata = pending.metadata;
        let place = |key: &str| {
            let mut stand = stand.iter();
            stand.position(|at| *self.entries[*at].key == *key)
        };
        let Some(asked) = place(&pending.key) else {
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
                let entry = &self.entries[stand[asked]];
                let violation = Violation::new(reason).code("elicitation_invalid");
                let end = walk.stop(entry, violation, Duration::ZERO);
                return walk.ended(*end);
            }
        };
        let own = walk.contexts.own(&pending.hook);
        own.responses.push((pending.key, answer));
        walk.meet(&pending.seen);
        walk.ran.retain(|index| *index != stand[asked]);
        let later = pending.later.iter();
        let later = later.filter_map(|key| Some(stand[place(key)?]));
        // The walk meets the others again as they are now, and adds them itself.
        walk.later = later.filter(|index| walk.ran.contains(index)).collect();
        walk.all().await
    }

    /// Checks every rule without a body, and the hooks that ask for it, on a payload that another part of the server
    /// changed after the chain.
    ///
    /// # Errors
    ///
    /// The rule that stops the request.
    #[doc(hidden)]
    pub async fn keeps_rules<P: PluginPoint>(
        &self,
        server: &Server,
        payload: &P::Payload,
        contexts: &mut Contexts,
    ) -> Result<(), Denial> {
        let mut payload = payload.clone();
        let mut walk = ChainWalk::<P>::new(self, server, &mut payload, contexts);
        walk.fits_limit()?;
        walk.meet(&MetHooks::default());
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

impl<'w, P: PluginPoint> ChainWalk<'w, P> {
    fn new(
        chain: &'w Chain,
        server: &'w Server,
        payload: &'w mut P::Payload,
        contexts: &'w mut Contexts,
    ) -> ChainWalk<'w, P> {
        let cx = PluginContext {
            global: contexts.global.clone(),
            ..PluginContext::default()
        };
        ChainWalk {
            chain,
            server,
            payload,
            contexts,
            cx,
            modified: false,
            metadata: Map::new(),
            out: Vec::new(),
            ran: Vec::new(),
            later: Vec::new(),
            is_last: false,
        }
    }

    fn ended(&mut self, mut end: End) -> Ran {
        if !self.metadata.is_empty() {
            let said = self.metadata.iter();
            let said = said.map(|(key, value)| (key.clone(), value.clone()));
            self.contexts.record.metadata.extend(said);
        }
        if let End::Blocked(blocked) = &mut end {
            self.contexts.note(P::AT, Decision::Denied, blocked);
            blocked.is_recorded = true;
        }
        if !matches!(end, End::Allowed) {
            self.later.clear();
        }
        Ran {
            end,
            modified: self.modified,
            metadata: mem::take(&mut self.metadata),
            later: mem::take(&mut self.later),
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

    /// Finds the hooks that do not run. A hook that the request has not met is judged by the payload as it is now.
    fn meet(&mut self, seen: &MetHooks) {
        for &index in &self.chain.points[P::AT as usize] {
            let entry = &self.chain.entries[index];
            if seen.is_empty() && entry.hook.filter.conditions.is_empty() {
                continue;
            }
            let (ran, out) = match seen.find(entry) {
                Some(known) => known,
                None => {
                    let (filter, global) = (&entry.hook.filter, &self.cx.global);
                    (false, !filter.admits(P::AT.family(), self.payload, global))
                }
            };
            if ran {
                self.ran.push(index);
            }
            if out {
                self.out.push(index);
            }
        }
    }

    /// Runs the hooks in their order, without those that are done.
    async fn all(&mut self) -> Ran {
        if let Err(blocked) = self.fits_limit() {
            return self.ended(End::Blocked(blocked));
        }
        let chain = self.chain;
        let stand = &chain.points[P::AT as usize];
        let mut at = 0;
        while at < stand.len() {
            let index = stand[at];
            let entry = &chain.entries[index];
            let hook = &entry.hook;
            at += 1;
            match hook.mode {
                PluginMode::Disabled => continue,
                _ if self.passes_by(index) => continue,
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
                _ if hook.cannot_judge(self.payload, &self.cx.global) => {
                    let violation = self.payload.unread_refusal();
                    let end = self.stop(entry, violation, Duration::ZERO);
                    return self.ended(*end);
                }
                // Its conditions are read when it starts, on the payload as it is used.
                PluginMode::FireAndForget => {
                    self.later.push(index);
                    continue;
                }
                _ if !hook.filter.holds(self.payload, &self.cx.global) => continue,
                PluginMode::Enforce
                | PluginMode::Permissive
                | PluginMode::Transform
                | PluginMode::Audit => {}
            }
            let flow = match &hook.body {
                Body::Deny(violation) => self.rule(entry, violation),
                Body::Call(_) => self.call(entry).await,
            };
            if let Err(end) = flow {
                return self.ended(*end);
            }
        }
        if self.modified
            && let Err(end) = Box::pin(self.rules_again()).await
        {
            return self.ended(*end);
        }
        self.ended(End::Allowed)
    }

    /// Acts on a rule without a body.
    fn rule(&mut self, entry: &ChainEntry, violation: &Violation) -> Result<(), Box<End>> {
        if entry.hook.mode.may_stop() {
            return Err(self.stop(entry, violation.clone(), Duration::ZERO));
        }
        let violation = Some(named(violation.clone()));
        self.report(entry, Decision::Suppressed, violation, None, Duration::ZERO);
        Ok(())
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
                Body::Deny(violation) => self.rule(entry, violation)?,
                Body::Call(_) => self.call(entry).await?,
            }
        }
        Ok(())
    }
}
