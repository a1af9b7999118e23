//! The chain's part in requests. The rules for reading a resource hold for requests that name it and do not read it, too.

use rmcp::model::ReadResourceRequestParams;

use super::{
    built::Built,
    chained::PassedBy,
    item::{Completions, ItemFamily, Resources, Tools, item, with_family},
    state::is_ours,
};
use crate::server::{
    methods::Points,
    pipeline::{
        AuthorRequest, Flow, McpAnswer, McpRequest, McpResponse, NamedItem, Pipeline, RequestState,
    },
    request::may_get_tasks,
};
use hooks_plugin::{Chain, Denial, ListOf, PluginAt, PluginPoint};

impl Built {
    /// Returns whether a hook of the family is for the request.
    fn concerns<I: ItemFamily>(chain: &Chain, asked: &mut McpRequest) -> bool {
        let Some(params) = I::params(asked) else {
            return false;
        };
        I::retry(params).is_some_and(|(_, state)| is_ours(state.as_ref()))
            || item(asked).is_some_and(|(_, name)| {
                chain.concerns(I::Pre::AT, name) || chain.concerns(I::Post::AT, name)
            })
    }

    /// Lets a request go on that no hook is for.
    fn pass_by(
        &self,
        request: &AuthorRequest,
        call: &mut RequestState,
        pipeline: &Pipeline,
    ) -> Flow {
        match &request.asked {
            McpRequest::CallTool(asked) if self.sees_answers() => {
                let mark = match self.may_change() {
                    false => PassedBy::ForGood,
                    true if !may_get_tasks(&request.cx) => PassedBy::WithoutTask,
                    true => PassedBy::ForNow,
                };
                call.plugin.passed_by = Some(mark);
                if mark == PassedBy::ForNow {
                    let (item, cx) = ((ListOf::Tools, &*asked.name), &request.cx);
                    let mut running = self.running::<Tools>(self.now(), item, cx, call, pipeline);
                    running.outer = None;
                    call.plugin.chained = Some(Box::new(running));
                }
            }
            McpRequest::ListTools(page) if self.is_unjudged() => {
                let is_first = page.as_ref().is_none_or(|page| page.cursor.is_none());
                call.plugin.page = Some(is_first);
            }
            _ => {}
        }
        Flow::On
    }

    /// Passes a request that names a resource through the hooks before a reading of it, and a completion through its own.
    async fn before_named(
        &self,
        request: &mut AuthorRequest,
        call: &mut RequestState,
        pipeline: &Pipeline,
    ) -> Flow {
        let Some(uri) = named_resource(&request.asked).map(str::to_owned) else {
            return Flow::On;
        };
        let mut reading = AuthorRequest {
            asked: McpRequest::ReadResource(ReadResourceRequestParams::new(uri.clone())),
            cx: request.cx.clone(),
        };
        let flow = self.before::<Resources>(&mut reading, call, pipeline).await;
        // The hooks after the reading have nothing to see.
        call.plugin.chained = None;
        if let Flow::Answer(answer) = flow {
            return Flow::answer(match *answer {
                Err(error) => Err(error),
                Ok(_) => {
                    let reason = format!(
                        "the user has to be asked about `{uri}`, and this request cannot wait for that; send \
                         `resources/read` first"
                    );
                    let blocked = Denial::by_chain("elicitation_unsupported", reason);
                    self.refuse(Points::Resource, &blocked, call)
                }
            });
        }
        if let Some(now) = named_resource(&reading.asked)
            && now != uri
            && let Some(own) = request.asked.uri()
        {
            now.clone_into(own);
        }
        // A user may have been asked meanwhile, so that another version of the policy holds.
        let policy = self.policy_of(&request.cx, call);
        if !Self::concerns::<Completions>(&policy.chain, &mut request.asked) {
            return Flow::On;
        }
        Box::pin(self.before::<Completions>(request, call, pipeline)).await
    }

    /// Passes a request through the chain before the author's server.
    pub(crate) async fn pass_chain(
        &self,
        request: &mut AuthorRequest,
        call: &mut RequestState,
        pipeline: &Pipeline,
    ) -> Flow {
        // A request uses one policy, from the first of its points to the last.
        let policy = self.policy_of(&request.cx, call);
        let asked = &mut request.asked;
        let Some(points) = asked.points() else {
            return self.pass_by(request, call, pipeline);
        };
        if Resources::params(asked).is_none()
            && let Some(uri) = named_resource(asked)
            && policy.chain.concerns(PluginAt::ResourcePreFetch, uri)
        {
            return Box::pin(self.before_named(request, call, pipeline)).await;
        }
        with_family!(points, I => match Self::concerns::<I>(&policy.chain, asked) {
            true => Box::pin(self.before::<I>(request, call, pipeline)).await,
            false => self.pass_by(request, call, pipeline),
        })
    }

    /// Passes an answer through the chain after the author's server.
    pub(crate) async fn judge_answer(&self, call: &mut RequestState, answer: &mut McpAnswer) {
        let (reached, chained) = (call.reached, &mut call.plugin.chained);
        if let Some(points) = chained.as_ref().map(|running| running.points) {
            with_family!(points, I => {
                let running = chained.take_if(|running| reached && running.sees::<I>(answer));
                if let Some(running) = running {
                    Box::pin(self.after::<I>(running, call, answer)).await;
                }
            });
        } else if let Ok(McpResponse::ListTools(listed)) = answer
            && let Some(is_first) = call.plugin.page.take()
        {
            self.judge(listed, is_first);
        }
    }

    /// Keeps what the hooks did for the decision log, and what they wrote for the hooks at the points of HTTP.
    pub(crate) fn ended_call(call: &mut RequestState) {
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
    pub(crate) fn judges(&self, call: &RequestState) -> bool {
        match call.plugin.passed_by {
            Some(_) => !self.passes_by(call),
            None => call.plugin.chained.is_some() || self.sees_answers(),
        }
    }
}

/// Returns the resource that a request names.
fn named_resource(asked: &McpRequest) -> Option<&str> {
    match asked.named() {
        NamedItem::Resource(uri) | NamedItem::ResourceTemplate(uri) => Some(uri),
        _ => None,
    }
}
