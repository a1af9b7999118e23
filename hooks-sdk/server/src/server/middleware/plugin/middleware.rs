//! The middleware of the chain.

use std::sync::Arc;

use rmcp::ErrorData;
use serde_json::Value;

use super::{
    built::{Built, RequestPolicy},
    chained::{ChainedRequest, PassedBy},
    item::{Completions, ItemFamily, Resources, json, with_family},
    named::concerns_named,
    post::Page,
    state::is_ours,
};
use crate::server::{
    connection::Interests,
    methods::Points,
    pipeline::{
        Author, AuthorRequest, Cleans, Flow, Judges, Loose, McpRequest, McpResponse, Middleware,
        MiddlewareId, OptionalTraits, Pipeline, RequestState, TaskResults, Work,
    },
};
use hooks_core::BuildError;
use hooks_plugin::{Chain, PluginPoint};

/// Runs the chain around calls of tools, prompts, resources and completions.
#[derive(Debug)]
pub(in crate::server) struct PluginMiddleware(pub(in crate::server) Arc<Built>);

impl PluginMiddleware {
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
            return Work::Later(Box::pin(self.0.after::<I>(running, call, answer)));
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
    async fn before_named(
        &self,
        policy: RequestPolicy,
        request: &mut AuthorRequest,
        call: &mut RequestState,
        pipeline: &Pipeline,
    ) -> Flow {
        let flow = self.0.before_named(policy, request, call, pipeline).await;
        if !matches!(flow, Flow::On) {
            return flow;
        }
        // A user may have been asked meanwhile, so that another version of the policy holds.
        let policy = self.0.policy_of(&request.cx, call);
        match Self::passes::<Completions>(&policy.chain, &mut request.asked) {
            true => {
                Box::pin(
                    self.0
                        .before::<Completions>(policy, request, call, pipeline),
                )
                .await
            }
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
            && self.0.sees_answers()
        {
            let mark = self.0.passed_by(&asked.name, &request.cx, call, pipeline);
            call.extensions.put(mark);
        }
        if let McpRequest::ListTools(page) = &request.asked
            && self.0.is_unjudged()
        {
            let is_first = page.as_ref().is_none_or(|page| page.cursor.is_none());
            call.extensions.put(Page { is_first });
        }
        Work::Now(Flow::On)
    }
}

impl Middleware for PluginMiddleware {
    fn id(&self) -> MiddlewareId {
        MiddlewareId::Plugin
    }

    fn optional(self: Arc<Self>) -> OptionalTraits {
        OptionalTraits {
            cleaner: Some(self.clone()),
            judge: Some(self.clone()),
            task_results: Some(self),
            ..OptionalTraits::default()
        }
    }

    fn validate(&self, author: &dyn Author) -> Vec<BuildError> {
        self.0.misfits(author)
    }

    fn interests(&self) -> Interests {
        if self.0.sees_answers() {
            Interests::CONNECTION | Interests::TASKS
        } else {
            Interests::CONNECTION
        }
    }

    fn before<'a>(
        &'a self,
        request: &'a mut AuthorRequest,
        call: &'a mut RequestState,
        pipeline: &'a Pipeline,
    ) -> Work<'a, Flow> {
        // A request uses one policy, from the first of its points to the last.
        let policy = self.0.policy_of(&request.cx, call);
        let asked = &mut request.asked;
        let Some(points) = asked.points() else {
            return self.pass_by(request, call, pipeline);
        };
        if Self::names_without_reading(&policy.chain, asked) {
            return Work::Later(Box::pin(self.before_named(policy, request, call, pipeline)));
        }
        with_family!(points, I => match Self::passes::<I>(&policy.chain, asked) {
            true => Work::Later(Box::pin(self.0.before::<I>(policy, request, call, pipeline))),
            false => self.pass_by(request, call, pipeline),
        })
    }

    fn after<'a>(
        &'a self,
        call: &'a mut RequestState,
        answer: &'a mut Result<McpResponse, ErrorData>,
        _: &'a Pipeline,
    ) -> Work<'a, ()> {
        let running = ChainedRequest::of(call);
        if let Some(points) = running.map(|running| running.points) {
            return with_family!(points, I => self.after_of::<I>(call, answer));
        }
        if let Ok(McpResponse::ListTools(listed)) = answer
            && let Some(page) = call.extensions.take::<Page>()
        {
            self.0.judge(listed, page.is_first);
        }
        Work::Now(())
    }

    fn ended(&self, call: &mut RequestState, _: &Result<McpResponse, ErrorData>) {
        #[cfg(feature = "log")]
        if let Some(mut log) = call.log.take() {
            // A fetch of a task's result has the contexts of the call, which has lines of its own.
            if let Some(running) = ChainedRequest::of(call).filter(|_| log.is_call()) {
                super::logged::fill(&mut log, running);
            }
            call.log = Some(log);
        }
        // The hooks at the points of HTTP get what the hooks of the call wrote.
        if let Some(running) = ChainedRequest::of(call)
            && let Some(outer) = &running.outer
        {
            outer.keep(&running.contexts);
        }
    }
}

impl Judges for PluginMiddleware {
    fn judges(&self, call: &mut RequestState) -> bool {
        ChainedRequest::of(call).is_some() || self.0.sees_answers() && !self.0.passes_by(call)
    }
}

impl TaskResults for PluginMiddleware {
    fn weighs(&self, call: &mut RequestState) -> usize {
        let weight = |running: &ChainedRequest| {
            json(&running.contexts.carried()).to_string().len() + running.name.len()
        };
        let running = ChainedRequest::of(call);
        if let Some(running) = running.filter(|running| running.points == Points::Tool) {
            // A late result asks nobody.
            running.asker = None;
            return weight(running);
        }
        match call.extensions.get() {
            Some(PassedBy::Kept(running)) => weight(running),
            Some(PassedBy::WithoutTask) => {
                // There is a task all the same. Without the mark, nobody gets its result unseen.
                call.extensions.take::<PassedBy>();
                0
            }
            Some(PassedBy::ForGood) | None => 0,
        }
    }

    fn late<'a>(
        &'a self,
        call: &'a mut RequestState,
        answer: &'a mut Result<McpResponse, ErrorData>,
        _: &'a Pipeline,
    ) -> Work<'a, ()> {
        if !self.0.sees_answers() {
            return Work::Now(());
        }
        Work::Later(Box::pin(self.0.late(call, answer)))
    }
}

impl Cleans for PluginMiddleware {
    fn cleans(&self) -> bool {
        self.0.chain().cleans()
    }

    fn clean(&self, method: &str, loose: Loose, value: &mut Value) -> bool {
        self.0.clean(method, loose, value)
    }
}
