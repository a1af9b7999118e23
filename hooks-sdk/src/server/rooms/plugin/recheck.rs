//! The last check before the author's server: what a station after the chain changed still keeps the rules.

use std::sync::Arc;

use super::{
    item::{Item, Prompts, Resources, Tools},
    policy::Built,
    pre::{Running, fits},
};
use crate::server::way::{Asked, Call, Flow, Place, Request, Station, Step, Way};

/// Checks every rule without a body again, on what the author's server will really receive.
#[derive(Debug)]
pub(in crate::server) struct RecheckStation(pub(in crate::server) Arc<Built>);

impl RecheckStation {
    /// Returns whether a station after the chain changed the request.
    fn is_changed<I: Item>(&self, asked: &mut Asked, call: &mut Call) -> bool {
        let Some(params) = I::params(asked) else {
            return false;
        };
        let passed = call.kept.get::<Running<I>>().map(|running| running.passed);
        passed.is_some_and(|passed| self.0.hash_of::<I>(params) != passed)
    }

    async fn check<I: Item>(&self, asked: &mut Asked, call: &mut Call) -> Flow {
        let (Some(params), Some(mut running)) = (I::params(asked), call.kept.take::<Running<I>>())
        else {
            return Flow::On;
        };
        let payload = I::take(params, None);
        let (chain, contexts) = (running.chain.clone(), &mut running.contexts);
        let kept = chain.keeps_rules(I::Pre::default(), &running.server, &payload, contexts);
        let kept = kept
            .await
            .and_then(|()| fits(&payload, &running.contexts.global));
        _ = I::put(payload, params);
        I::name(params).clone_into(&mut running.name);
        call.kept.put(running);
        match kept {
            Ok(()) => Flow::On,
            Err(blocked) => Flow::Answer(I::refused(&blocked, self.0.exposes_names())),
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
        if self.is_changed::<Tools>(asked, call) {
            Step::Later(Box::pin(self.check::<Tools>(asked, call)))
        } else if self.is_changed::<Prompts>(asked, call) {
            Step::Later(Box::pin(self.check::<Prompts>(asked, call)))
        } else if self.is_changed::<Resources>(asked, call) {
            Step::Later(Box::pin(self.check::<Resources>(asked, call)))
        } else {
            Step::Now(Flow::On)
        }
    }
}
