//! The last check before the author's server: what a middleware after the chain changed still keeps the rules. It also
//! starts the hooks that run after a request or an answer, since nobody can stop either behind this middleware.

use super::{
    built::Built,
    chained::ChainedRequest,
    item::{ItemFamily, Tools, with_family},
    pre::fits,
};
use crate::server::pipeline::{AuthorRequest, Flow, McpAnswer, RequestState};
use hooks_plugin::{Decision, Headers, Payload, PluginPoint, point::tool_post_invoke as Post};

impl Built {
    /// Checks every rule without a body again, and the hooks that ask for it, on what the author's server will really receive.
    pub(crate) async fn recheck(
        &self,
        request: &mut AuthorRequest,
        call: &mut RequestState,
    ) -> Flow {
        let Some(points) = request.asked.points() else {
            return Flow::On;
        };
        with_family!(points, I => {
            let Some(params) = I::params(&mut request.asked) else {
                return Flow::On;
            };
            let mut is_changed = false;
            let running = call.plugin.chained.take_if(|running| {
                let passed = running.passed;
                is_changed = passed.is_some_and(|passed| self.hash_of::<I>(params) != passed);
                is_changed || !running.later.is_empty()
            });
            match running {
                Some(running) => {
                    Box::pin(self.keeps_rules::<I>(running, is_changed, request, call)).await
                }
                None => Flow::On,
            }
        })
    }

    async fn keeps_rules<I: ItemFamily>(
        &self,
        mut running: Box<ChainedRequest>,
        is_changed: bool,
        request: &mut AuthorRequest,
        call: &mut RequestState,
    ) -> Flow {
        let AuthorRequest { asked, cx } = request;
        let Some(params) = I::params(asked) else {
            return Flow::On;
        };
        let headers = cx.extensions.get::<Headers>();
        let payload = I::take(params, headers.map(|headers| headers.0.clone()));
        let (server, contexts) = (&running.server, &mut running.contexts);
        let mut kept = Ok(());
        if is_changed {
            kept = (running.policy.chain)
                .keeps_rules::<I::Pre>(server, &payload, contexts)
                .await
                .and_then(|()| fits(&payload, &contexts.global));
        }
        let later = std::mem::take(&mut running.later);
        match &kept {
            // Nothing runs behind a dry call.
            Ok(()) if self.is_dry() => {}
            Ok(()) => {
                let chain = &running.policy.chain;
                chain.start_later::<I::Pre>(&later, server, &payload, contexts);
            }
            Err(blocked) => contexts.note(I::Pre::AT, Decision::Denied, blocked),
        }
        payload.item().clone_into(&mut running.name);
        _ = I::put(payload, params);
        call.plugin.chained = Some(running);
        match kept {
            Ok(()) => Flow::On,
            Err(blocked) => Flow::answer(self.refuse(I::POINTS, &blocked, call)),
        }
    }

    /// Starts the hooks that run after an answer, unless the guardian has withheld it.
    pub(crate) fn start_after(&self, call: &mut RequestState, answer: &McpAnswer) {
        let is_withheld = call.refused.is_some() || self.is_dry();
        let Some(running) = call.plugin.chained.as_deref_mut() else {
            return;
        };
        let later = std::mem::take(&mut running.later_after);
        if later.is_empty() || is_withheld {
            return;
        }
        with_family!(running.points, I => {
            if let Some(payload) = I::answered(running, answer) {
                let (chain, contexts) = (&running.policy.chain, &mut running.contexts);
                let server = &running.server;
                chain.start_later::<<I as ItemFamily>::Post>(&later, server, &payload, contexts);
            }
        });
    }

    /// Starts the hooks that run after the end of a task: once, however often the client fetches it, and not for a fetch that
    /// the guardian has withheld.
    pub(crate) fn start_late(&self, call: &mut RequestState, shown: &McpAnswer) {
        let Some(mut contexts) = call.plugin.task_end.take() else {
            return;
        };
        // A middleware that failed has put an error in the place of the result.
        if !call.is_task_ended || call.refused.is_some() || shown.is_err() || self.is_dry() {
            return;
        }
        let Some(running) = call.plugin.chained.as_deref_mut() else {
            return;
        };
        let later = std::mem::take(&mut running.later_after);
        if later.is_empty() || running.has_told_end {
            return;
        }
        if let Some(payload) = Tools::answered(running, shown) {
            running.has_told_end = true;
            let (chain, server) = (&running.policy.chain, &running.server);
            chain.start_later::<Post>(&later, server, &payload, &mut contexts);
        }
    }
}
