//! The chain's part in requests.

use rmcp::ErrorData;

use super::{
    built::{Built, RequestPolicy},
    chained::ChainedRequest,
    item::{Completions, ItemFamily, Resources, with_family},
    named::concerns_named,
    state::is_ours,
};
use crate::server::pipeline::{
    AuthorRequest, Flow, McpRequest, McpResponse, Pipeline, RequestState, Work,
};
use hooks_plugin::{Chain, PluginPoint};

impl Built {
    fn concerns<I: ItemFamily>(chain: &Chain, params: &mut I::Params) -> bool {
        let (_, name) = I::item(params);
        chain.concerns(I::Pre::AT, name)
            || chain.concerns(I::Post::AT, name)
            || I::retry(params).is_some_and(|(_, state)| is_ours(state.as_ref()))
    }

    fn after_of<'a, I: ItemFamily>(
        &'a self,
        call: &'a mut RequestState,
        answer: &'a mut Result<McpResponse, ErrorData>,
    ) -> Work<'a, ()> {
        let reached = call.reached;
        let running = ChainedRequest::of(call);
        if reached
            && running.is_some_and(|running| running.sees::<I>(answer))
            && let Some(running) = ChainedRequest::take_from(call)
        {
            return Work::Later(Box::pin(self.after::<I>(running, call, answer)));
        }
        Work::Now(())
    }

    fn passes<I: ItemFamily>(chain: &Chain, asked: &mut McpRequest) -> bool {
        I::params(asked).is_some_and(|params| Self::concerns::<I>(chain, params))
    }

    fn names_without_reading(chain: &Chain, asked: &mut McpRequest) -> bool {
        Resources::params(asked).is_none() && concerns_named(chain, asked)
    }

    /// Passes a request that names a resource through the hooks before a reading of it, and a completion through its own.
    async fn before_named_item(
        &self,
        policy: RequestPolicy,
        request: &mut AuthorRequest,
        call: &mut RequestState,
        pipeline: &Pipeline,
    ) -> Flow {
        let flow = self.before_named(policy, request, call, pipeline).await;
        if !matches!(flow, Flow::On) {
            return flow;
        }
        // A user may have been asked meanwhile, so that another version of the policy holds.
        let policy = self.policy_of(&request.cx, call);
        match Self::passes::<Completions>(&policy.chain, &mut request.asked) {
            true => Box::pin(self.before::<Completions>(policy, request, call, pipeline)).await,
            false => flow,
        }
    }

    /// Lets a request go on that no hook is for.
    fn pass_by<'a>(
        &self,
        request: &AuthorRequest,
        call: &mut RequestState,
        pipeline: &Pipeline,
    ) -> Work<'a, Flow> {
        if let McpRequest::CallTool(asked) = &request.asked
            && self.sees_answers()
        {
            let mark = self.passed_by(&asked.name, &request.cx, call, pipeline);
            call.plugin.passed_by = Some(mark);
        }
        if let McpRequest::ListTools(page) = &request.asked
            && self.is_unjudged()
        {
            let is_first = page.as_ref().is_none_or(|page| page.cursor.is_none());
            call.plugin.page = Some(is_first);
        }
        Work::Now(Flow::On)
    }

    /// Passes a request through the chain before the author's server.
    pub(in crate::server) fn pass_chain<'a>(
        &'a self,
        request: &'a mut AuthorRequest,
        call: &'a mut RequestState,
        pipeline: &'a Pipeline,
    ) -> Work<'a, Flow> {
        // A request uses one policy, from the first of its points to the last.
        let policy = self.policy_of(&request.cx, call);
        let asked = &mut request.asked;
        let Some(points) = asked.points() else {
            return self.pass_by(request, call, pipeline);
        };
        if Self::names_without_reading(&policy.chain, asked) {
            return Work::Later(Box::pin(
                self.before_named_item(policy, request, call, pipeline),
            ));
        }
        with_family!(points, I => match Self::passes::<I>(&policy.chain, asked) {
            true => Work::Later(Box::pin(self.before::<I>(policy, request, call, pipeline))),
            false => self.pass_by(request, call, pipeline),
        })
    }

    /// Passes an answer through the chain after the author's server.
    pub(in crate::server) fn judge_answer<'a>(
        &'a self,
        call: &'a mut RequestState,
        answer: &'a mut Result<McpResponse, ErrorData>,
    ) -> Work<'a, ()> {
        let running = ChainedRequest::of(call);
        if let Some(points) = running.map(|running| running.points) {
            return with_family!(points, I => self.after_of::<I>(call, answer));
        }
        if let Ok(McpResponse::ListTools(listed)) = answer
            && let Some(is_first) = call.plugin.page.take()
        {
            self.judge(listed, is_first);
        }
        Work::Now(())
    }

    /// Keeps what the hooks did for the decision log, and what they wrote for the hooks at the points of HTTP.
    pub(in crate::server) fn ended_call(call: &mut RequestState) {
        let Some(running) = &call.plugin.chained else {
            return;
        };
        #[cfg(feature = "log")]
        // A fetch of a task's result has the contexts of the call, which has lines of its own.
        if let Some(log) = call.log.as_mut().filter(|log| log.is_call()) {
            super::logged::fill(log, running);
        }
        if let Some(outer) = &running.outer {
            outer.keep(&running.contexts);
        }
    }

    /// Returns whether the chain judges the contents of the answer to this request, or of the result of its task.
    pub(in crate::server) fn judges(&self, call: &RequestState) -> bool {
        call.plugin.chained.is_some() || self.sees_answers() && !self.passes_by(call)
    }

    /// Passes the result of a task through the chain.
    pub(in crate::server) fn judge_late<'a>(
        &'a self,
        call: &'a mut RequestState,
        answer: &'a mut Result<McpResponse, ErrorData>,
    ) -> Work<'a, ()> {
        match self.sees_answers() {
            true => Work::Later(Box::pin(self.late(call, answer))),
            false => Work::Now(()),
        }
    }

    /// Returns whether plugins clean values that leave and belong to no item, as the policy is now.
    pub(in crate::server) fn cleans(&self) -> bool {
        self.chain().cleans()
    }
}
