//! The last check before the author's server: what a station after the chain changed still keeps the rules. It also
//! starts the hooks that run after a request or an answer, since nobody can stop either behind this station.

use std::sync::Arc;

use rmcp::ErrorData;

use super::{
    built::Built,
    item::{Item, Prompts, Resources, Tools},
    pre::{Running, fits},
};
use crate::{
    plugin::{Decision, Headers, PluginPoint},
    server::{
        methods::Points,
        way::{Answer, Asked, Call, Flow, Place, Request, Station, Step, Way},
    },
};

/// Checks every rule without a body again, and the hooks that ask for it, on what the author's server will really receive.
#[derive(Debug)]
pub(in crate::server) struct RecheckStation(pub(in crate::server) Arc<Built>);

impl RecheckStation {
    fn step<'a, I: Item>(&'a self, request: &'a mut Request, call: &'a mut Call) -> Step<'a, Flow> {
        let Some(is_changed) = self.is_changed::<I>(&mut request.asked, call) else {
            return Step::Now(Flow::On);
        };
        match call.kept.take_boxed::<Running<I>>() {
            Some(running) => Step::Later(Box::pin(
                self.check::<I>(running, is_changed, request, call),
            )),
            None => Step::Now(Flow::On),
        }
    }

    /// Returns whether the request is no longer what the chain let through; `None` if there is nothing to do.
    fn is_changed<I: Item>(&self, asked: &mut Asked, call: &mut Call) -> Option<bool> {
        let params = I::params(asked)?;
        let running = call.kept.get::<Running<I>>()?;
        let passed = running.passed;
        let is_changed = passed.is_some_and(|passed| self.0.hash_of::<I>(params) != passed);
        (is_changed || !running.later.is_empty()).then_some(is_changed)
    }

    async fn check<I: Item>(
        &self,
        mut running: Box<Running<I>>,
        is_changed: bool,
        request: &mut Request,
        call: &mut Call,
    ) -> Flow {
        let Request { asked, cx } = request;
        let Some(params) = I::params(asked) else {
            return Flow::On;
        };
        let headers = cx.extensions.get::<Headers>();
        let payload = I::take(params, headers.map(|headers| headers.0.clone()));
        let (server, contexts) = (&running.server, &mut running.contexts);
        let mut kept = Ok(());
        if is_changed {
            kept = running
                .chain
                .keeps_rules::<I::Pre>(server, &payload, contexts)
                .await
                .and_then(|()| fits(&payload, &contexts.global));
        }
        let later = std::mem::take(&mut running.later);
        match &kept {
            // Nothing runs behind a dry call.
            Ok(()) if self.0.is_dry() => {}
            Ok(()) => running
                .chain
                .start_later::<I::Pre>(&later, server, &payload, contexts),
            Err(blocked) => contexts.note(I::Pre::AT, Decision::Denied, blocked),
        }
        _ = I::put(payload, params);
        I::name(params).clone_into(&mut running.name);
        call.kept.put_boxed(running);
        match kept {
            Ok(()) => Flow::On,
            Err(blocked) => Flow::answer(I::refused(&blocked, self.0.exposes_names())),
        }
    }

    /// Starts the hooks that run after an answer, unless the guardian has withheld it.
    fn start<I: Item>(&self, call: &mut Call, answer: &Result<Answer, ErrorData>) {
        let is_withheld = call.refused.is_some() || self.0.is_dry();
        let Some(running) = call.kept.get::<Running<I>>() else {
            return;
        };
        let later = std::mem::take(&mut running.later_after);
        if later.is_empty() || is_withheld {
            return;
        }
        if let Some(payload) = I::answered(&running.name, answer) {
            let (server, contexts) = (&running.server, &mut running.contexts);
            running
                .chain
                .start_later::<I::Post>(&later, server, &payload, contexts);
        }
    }
}

impl Station for RecheckStation {
    fn place(&self) -> Place {
        Place::Recheck
    }

    fn before<'a>(
        &'a self,
        request: &'a mut Request,
        call: &'a mut Call,
        _: &'a Way,
    ) -> Step<'a, Flow> {
        match request.asked.points() {
            Some(Points::Tool) => self.step::<Tools>(request, call),
            Some(Points::Prompt) => self.step::<Prompts>(request, call),
            Some(Points::Resource) => self.step::<Resources>(request, call),
            None => Step::Now(Flow::On),
        }
    }

    fn after<'a>(
        &'a self,
        call: &'a mut Call,
        answer: &'a mut Result<Answer, ErrorData>,
        _: &'a Way,
    ) -> Step<'a, ()> {
        self.start::<Tools>(call, answer);
        self.start::<Prompts>(call, answer);
        self.start::<Resources>(call, answer);
        Step::Now(())
    }
}
