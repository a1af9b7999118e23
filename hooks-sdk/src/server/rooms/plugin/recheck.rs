//! The last check before the author's server: what a station after the chain changed still keeps the rules.

use std::sync::Arc;

use super::{
    built::Built,
    item::{Item, Prompts, Resources, Tools},
    pre::{Running, fits},
};
use crate::server::{
    methods::Points,
    way::{Asked, Call, Flow, Place, Request, Station, Step, Way},
};

/// Checks every rule without a body again, and the hooks that ask for it, on what the author's server will really receive.
#[derive(Debug)]
pub(in crate::server) struct RecheckStation(pub(in crate::server) Arc<Built>);

impl RecheckStation {
    fn step<'a, I: Item>(&'a self, asked: &'a mut Asked, call: &'a mut Call) -> Step<'a, Flow> {
        match self.changed::<I>(asked, call) {
            Some(running) => Step::Later(Box::pin(self.check::<I>(running, asked, call))),
            None => Step::Now(Flow::On),
        }
    }

    /// Takes the request if it is no longer what the chain let through.
    fn changed<I: Item>(&self, asked: &mut Asked, call: &mut Call) -> Option<Box<Running<I>>> {
        let params = I::params(asked)?;
        let passed = call.kept.get::<Running<I>>()?.passed?;
        let is_same = self.0.hash_of::<I>(params) == passed;
        if is_same {
            None
        } else {
            call.kept.take_boxed()
        }
    }

    async fn check<I: Item>(
        &self,
        mut running: Box<Running<I>>,
        asked: &mut Asked,
        call: &mut Call,
    ) -> Flow {
        let Some(params) = I::params(asked) else {
            return Flow::On;
        };
        let headers = None;
        let payload = I::take(params, headers);
        let (server, contexts) = (&running.server, &mut running.contexts);
        let kept = running
            .chain
            .keeps_rules::<I::Pre>(server, &payload, contexts)
            .await
            .and_then(|()| fits(&payload, &contexts.global));
        _ = I::put(payload, params);
        I::name(params).clone_into(&mut running.name);
        call.kept.put_boxed(running);
        match kept {
            Ok(()) => Flow::On,
            Err(blocked) => Flow::answer(I::refused(&blocked, self.0.exposes_names())),
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
        let asked = &mut request.asked;
        match asked.points() {
            Some(Points::Tool) => self.step::<Tools>(asked, call),
            Some(Points::Prompt) => self.step::<Prompts>(asked, call),
            Some(Points::Resource) => self.step::<Resources>(asked, call),
            None => Step::Now(Flow::On),
        }
    }
}
