//! The last check before the author's server: what a middleware after the chain changed still keeps the rules. It also
//! starts the hooks that run after a request or an answer, since nobody can stop either behind this middleware.

use rmcp::ErrorData;

use super::{
    built::Built,
    chained::ChainedRequest,
    item::{ItemFamily, Tools, with_family},
    pre::fits,
};
use crate::server::pipeline::{AuthorRequest, Flow, McpRequest, McpResponse, RequestState, Work};
use hooks_plugin::{Decision, Headers, PluginPoint, point::tool_post_invoke as Post};

impl Built {
    /// Checks every rule without a body again, and the hooks that ask for it, on what the author's server will really receive.
    pub(in crate::server) fn recheck<'a>(
        &'a self,
        request: &'a mut AuthorRequest,
        call: &'a mut RequestState,
    ) -> Work<'a, Flow> {
        match request.asked.points() {
            Some(points) => with_family!(points, I => self.recheck_item::<I>(request, call)),
            None => Work::Now(Flow::On),
        }
    }

    fn recheck_item<'a, I: ItemFamily>(
        &'a self,
        request: &'a mut AuthorRequest,
        call: &'a mut RequestState,
    ) -> Work<'a, Flow> {
        let Some(is_changed) = self.is_changed::<I>(&mut request.asked, call) else {
            return Work::Now(Flow::On);
        };
        match ChainedRequest::take_from(call) {
            Some(running) => Work::Later(Box::pin(
                self.keeps_rules::<I>(running, is_changed, request, call),
            )),
            None => Work::Now(Flow::On),
        }
    }

    /// Returns whether the request is no longer what the chain let through; `None` if there is nothing to do.
    fn is_changed<I: ItemFamily>(
        &self,
        asked: &mut McpRequest,
        call: &mut RequestState,
    ) -> Option<bool> {
        let params = I::params(asked)?;
        let running = ChainedRequest::of(call)?;
        let passed = running.passed;
        let is_changed = passed.is_some_and(|passed| self.hash_of::<I>(params) != passed);
        (is_changed || !running.later.is_empty()).then_some(is_changed)
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
            kept = running
                .chain
                .keeps_rules::<I::Pre>(server, &payload, contexts)
                .await
                .and_then(|()| fits(&payload, &contexts.global));
        }
        let later = std::mem::take(&mut running.later);
        match &kept {
            // Nothing runs behind a dry call.
            Ok(()) if self.is_dry() => {}
            Ok(()) => running
                .chain
                .start_later::<I::Pre>(&later, server, &payload, contexts),
            Err(blocked) => contexts.note(I::Pre::AT, Decision::Denied, blocked),
        }
        _ = I::put(payload, params);
        I::item(params).1.clone_into(&mut running.name);
        running.keep_in(call);
        match kept {
            Ok(()) => Flow::On,
            Err(blocked) => Flow::answer(I::refused(&blocked, self.exposes_names())),
        }
    }

    /// Starts the hooks that run after an answer, unless the guardian has withheld it.
    pub(in crate::server) fn start_after(
        &self,
        call: &mut RequestState,
        answer: &Result<McpResponse, ErrorData>,
    ) {
        let running = ChainedRequest::of(call);
        if let Some(points) = running.map(|running| running.points) {
            with_family!(points, I => self.start::<I>(call, answer));
        }
    }

    fn start<I: ItemFamily>(
        &self,
        call: &mut RequestState,
        answer: &Result<McpResponse, ErrorData>,
    ) {
        let is_withheld = call.refused.is_some() || self.is_dry();
        let Some(running) = ChainedRequest::of(call) else {
            return;
        };
        let later = std::mem::take(&mut running.later_after);
        if later.is_empty() || is_withheld {
            return;
        }
        if let Some(payload) = I::answered(running, answer) {
            let (server, contexts) = (&running.server, &mut running.contexts);
            running
                .chain
                .start_later::<I::Post>(&later, server, &payload, contexts);
        }
    }

    /// Starts the hooks that run after the end of a task: once, however often the client fetches it, and not for a fetch that
    /// the guardian has withheld.
    pub(in crate::server) fn start_late(
        &self,
        call: &mut RequestState,
        shown: &Result<McpResponse, ErrorData>,
    ) {
        let Some(mut held) = call.plugin.task_end.take() else {
            return;
        };
        // A middleware that failed has put an error in the place of the result.
        if !call.is_task_ended || call.refused.is_some() || shown.is_err() || self.is_dry() {
            return;
        }
        let Some(running) = ChainedRequest::of(call) else {
            return;
        };
        if running.has_told_end {
            return;
        }
        if let Some(payload) = Tools::answered(running, shown) {
            running.has_told_end = true;
            let (chain, server) = (&running.chain, &running.server);
            chain.start_later::<Post>(&held.later, server, &payload, &mut held.contexts);
        }
    }
}
