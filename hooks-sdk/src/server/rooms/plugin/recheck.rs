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
    fn check<I: Item>(&self, asked: &mut Asked, call: &mut Call) -> Flow {
        let (Some(params), Some(mut running)) = (I::params(asked), call.kept.take::<Running<I>>())
        else {
            return Flow::On;
        };
        let mut flow = Flow::On;
        if self.0.hash_of::<I>(params) != running.passed {
            let headers = None;
            let payload = I::take(params, headers);
            let contexts = &mut running.contexts;
            let kept = running
                .chain
                .keeps_rules(I::Pre::default(), &payload, contexts)
                .and_then(|()| fits(&payload, &contexts.global));
            _ = I::put(payload, params);
            I::name(params).clone_into(&mut running.name);
            if let Err(blocked) = kept {
                flow = Flow::Answer(I::refused(&blocked, self.0.exposes_names()));
            }
        }
        call.kept.put(running);
        flow
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
        Step::Now(match asked {
            Asked::CallTool(_) => self.check::<Tools>(asked, call),
            Asked::GetPrompt(_) => self.check::<Prompts>(asked, call),
            Asked::ReadResource(_) => self.check::<Resources>(asked, call),
            _ => Flow::On,
        })
    }
}
