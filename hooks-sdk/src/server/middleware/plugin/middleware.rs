//! The middleware of the chain.

use std::sync::Arc;

use rmcp::ErrorData;
use serde_json::Value;

use super::{
    built::Built,
    item::{ItemFamily, Prompts, Resources, Tools, json},
    named::concerns_named,
    post::{Page, PassedBy},
    pre::ChainedRequest,
    state::is_ours,
};
use crate::{
    core::BuildError,
    plugin::{Chain, PluginPoint},
    server::{
        connection::Interests,
        methods::Points,
        pipeline::{
            Author, AuthorRequest, Cleans, Flow, Judges, Loose, McpRequest, McpResponse,
            Middleware, MiddlewareId, OptionalTraits, Pipeline, RequestState, TaskResults, Work,
        },
    },
};

/// Runs the chain around calls of tools, prompts and resources.
#[derive(Debug)]
pub(in crate::server) struct PluginMiddleware(pub(in crate::server) Arc<Built>);

impl PluginMiddleware {
    fn concerns<I: ItemFamily>(chain: &Chain, params: &mut I::Params) -> bool {
        let name = I::name(params);
        chain.concerns(I::Pre::AT, name)
            || chain.concerns(I::Post::AT, name)
            || is_ours(I::retry(params).1.as_ref())
    }

    fn after_of<'a, I: ItemFamily>(
        &'a self,
        call: &'a mut RequestState,
        answer: &'a mut Result<McpResponse, ErrorData>,
        pipeline: &'a Pipeline,
    ) -> Work<'a, ()> {
        let reached = call.reached;
        let running = call.extensions.get::<ChainedRequest<I>>();
        if reached
            && running.is_some_and(|running| running.sees(answer))
            && let Some(running) = call.extensions.take_boxed::<ChainedRequest<I>>()
        {
            return Work::Later(Box::pin(self.0.after(running, call, answer, pipeline)));
        }
        Work::Now(())
    }

    fn passes<I: ItemFamily>(chain: &Chain, asked: &mut McpRequest) -> bool {
        I::params(asked).is_some_and(|params| Self::concerns::<I>(chain, params))
    }

    fn names_without_reading(chain: &Chain, asked: &mut McpRequest) -> bool {
        Resources::params(asked).is_none() && concerns_named(chain, asked)
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
        let chain = policy.chain.clone();
        let asked = &mut request.asked;
        match asked.points() {
            Some(Points::Tool) if Self::passes::<Tools>(&chain, asked) => Work::Later(Box::pin(
                self.0.before::<Tools>(policy, request, call, pipeline),
            )),
            Some(Points::Prompt) if Self::passes::<Prompts>(&chain, asked) => Work::Later(
                Box::pin(self.0.before::<Prompts>(policy, request, call, pipeline)),
            ),
            Some(Points::Resource) if Self::passes::<Resources>(&chain, asked) => Work::Later(
                Box::pin(self.0.before::<Resources>(policy, request, call, pipeline)),
            ),
            Some(Points::Resource) if Self::names_without_reading(&chain, asked) => Work::Later(
                Box::pin(self.0.before_named(policy, request, call, pipeline)),
            ),
            Some(_) | None => self.pass_by(request, call, pipeline),
        }
    }

    fn after<'a>(
        &'a self,
        call: &'a mut RequestState,
        answer: &'a mut Result<McpResponse, ErrorData>,
        pipeline: &'a Pipeline,
    ) -> Work<'a, ()> {
        if call.extensions.get::<ChainedRequest<Tools>>().is_some() {
            self.after_of::<Tools>(call, answer, pipeline)
        } else if call.extensions.get::<ChainedRequest<Prompts>>().is_some() {
            self.after_of::<Prompts>(call, answer, pipeline)
        } else if call.extensions.get::<ChainedRequest<Resources>>().is_some() {
            self.after_of::<Resources>(call, answer, pipeline)
        } else {
            if let Ok(McpResponse::ListTools(listed)) = answer
                && let Some(page) = call.extensions.take::<Page>()
            {
                self.0.judge(listed, page.is_first);
            }
            Work::Now(())
        }
    }

    fn ended(&self, call: &mut RequestState, _: &Result<McpResponse, ErrorData>) {
        tell_outer::<Tools>(call);
        tell_outer::<Prompts>(call);
        tell_outer::<Resources>(call);
    }
}

impl Judges for PluginMiddleware {
    fn judges(&self, call: &mut RequestState) -> bool {
        call.extensions.get::<ChainedRequest<Tools>>().is_some()
            || call.extensions.get::<ChainedRequest<Prompts>>().is_some()
            || call.extensions.get::<ChainedRequest<Resources>>().is_some()
            || self.0.sees_answers() && !self.0.passes_by(call)
    }
}

impl TaskResults for PluginMiddleware {
    fn weighs(&self, call: &mut RequestState) -> usize {
        let weight = |running: &ChainedRequest<Tools>| {
            json(&running.contexts.carried()).to_string().len() + running.name.len()
        };
        if let Some(running) = call.extensions.get::<ChainedRequest<Tools>>() {
            // A late result asks nobody.
            running.asker = None;
            return weight(running);
        }
        let mark = call.extensions.get::<PassedBy>();
        mark.and_then(|PassedBy(kept)| kept.as_deref().map(weight))
            .unwrap_or_default()
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

/// Gives the hooks at the points of HTTP what the hooks of the call wrote.
fn tell_outer<I: ItemFamily>(call: &mut RequestState) {
    if let Some(running) = call.extensions.get::<ChainedRequest<I>>()
        && let Some(outer) = &running.outer
    {
        outer.keep(&running.contexts);
    }
}
