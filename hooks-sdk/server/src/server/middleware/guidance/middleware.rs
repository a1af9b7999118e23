//! The middleware of guidance: its part in requests and in the handshake.

use std::sync::{Arc, OnceLock};

use rmcp::model::{CallToolResponse, CallToolResult, CompleteResult, ListPromptsResult};

use super::{Guide, GuidedClient, GuidedRequest, Route, context};
use crate::server::{
    McpContext, lock,
    pipeline::{
        AuthorRequest, Flow, Handshake, McpAnswer, McpRequest, McpResponse, Pipeline, RequestState,
        completed, is_missing,
    },
    request::{is_http, is_stateless, own_key},
};
use hooks_core::lifecycle::Event;

/// What guidance keeps for a request.
#[derive(Default)]
pub(crate) struct GuidanceRequest {
    /// The guidance of a call.
    lazy: Option<Arc<GuidedRequest>>,
    /// The answer to a request of this method if the author's server does not have the method.
    if_missing: Option<Box<McpResponse>>,
    /// A request for a list of prompts, and whether it uses protocol 2026-07-28 or later.
    prompts: Option<(Arc<GuidedRequest>, bool)>,
}

impl Guide {
    /// Keeps a request whose guidance may be needed, also in the request's context for the author's function.
    fn lazy(
        self: &Arc<Guide>,
        cx: &mut McpContext,
        call: &mut RequestState,
        pipeline: &Pipeline,
    ) -> Arc<GuidedRequest> {
        self.learn(|| pipeline.capabilities());
        if call.session.is_none() {
            call.session = own_key(cx, &call.connection);
        }
        let request = Arc::new(GuidedRequest {
            guide: self.clone(),
            author: pipeline.author.clone(),
            connection: call.connection.clone(),
            tool: call.tool.clone(),
            key: call.session.clone(),
            lives: call.lives,
            made: OnceLock::new(),
        });
        // The client's data are out of reach after the call.
        if request.tool.is_some() && request.may_fire(call.may_change) {
            request.of(cx);
        }
        cx.extensions.insert(request.clone());
        request
    }

    /// Declares the hooks in a handshake, and adds their texts to its instructions.
    pub(crate) async fn greet(&self, handshake: &mut Handshake, pipeline: &Pipeline) {
        let caller = GuidedClient::met(handshake, self.places.extension.as_deref());
        let of_connection = &handshake.connection.guidance;
        if handshake.initialize.is_some() {
            of_connection.had_handshake.set();
        }
        self.learn(|| pipeline.capabilities());
        if self.leaves(|| handshake.client_name.clone()) {
            return;
        }
        let by_result = is_stateless(&handshake.cx)
            && is_http(&handshake.cx.extensions)
            && handshake.has_sessions;
        if !by_result && self.takes(Route::Instructions) || caller.reads(Event::SessionStart) {
            of_connection.told.set();
        }
        if handshake.is_restored {
            return;
        }
        let server = &*pipeline.author;
        let declarations = self.declarations(server, &caller).await;
        let instructions = if by_result {
            None
        } else {
            self.instructions(server, &caller).await
        };
        handshake.is_private |= !declarations.is_empty() || instructions.is_some();
        handshake.declarations = declarations;
        handshake.instructions = instructions;
    }

    /// Answers what guidance serves, and keeps a request around which hooks may fire.
    pub(crate) async fn before(
        self: &Arc<Guide>,
        request: &mut AuthorRequest,
        call: &mut RequestState,
        pipeline: &Pipeline,
    ) -> Flow {
        let AuthorRequest { asked, cx } = request;
        match asked {
            McpRequest::SetLevel(asked) => {
                let of_connection = &call.connection.guidance;
                *lock(&of_connection.log_level) = Some(asked.level);
                call.guidance.if_missing = Some(Box::new(McpResponse::SetLevel(())));
            }
            McpRequest::CallTool(_) if !call.answers_hook() => {
                let lazy = self.lazy(cx, call, pipeline);
                call.guidance.lazy = Some(lazy);
            }
            McpRequest::ReadResource(_) => _ = self.lazy(cx, call, pipeline),
            McpRequest::GetPrompt(asked) => {
                let lazy = self.lazy(cx, call, pipeline);
                if let Some(moment) = lazy.moment(&asked.name) {
                    let prompt = Box::pin(lazy.of(cx).prompt(moment, asked)).await;
                    return Flow::answer(prompt.map(McpResponse::GetPrompt));
                }
            }
            McpRequest::ListPrompts(_) => {
                let lazy = self.lazy(cx, call, pipeline);
                call.guidance.prompts = Some((lazy, is_stateless(cx)));
                if self.serves_prompts() {
                    let none = ListPromptsResult::default();
                    call.guidance.if_missing = Some(Box::new(McpResponse::ListPrompts(none)));
                }
            }
            McpRequest::Complete(asked) => {
                let lazy = self.lazy(cx, call, pipeline);
                if let Some(tags) = lazy.of(cx).complete(asked) {
                    return Flow::answer(Ok(McpResponse::Complete(completed(tags))));
                }
                if self.serves_prompts() {
                    let none = CompleteResult::default();
                    call.guidance.if_missing = Some(Box::new(McpResponse::Complete(none)));
                }
            }
            _ => {}
        }
        Flow::On
    }

    /// Adds the texts of a call's moments to its result, and the prompts to the author's list.
    pub(crate) async fn after(&self, call: &mut RequestState, answer: &mut McpAnswer) {
        let lazy = call.guidance.lazy.take();
        if is_missing(answer)
            && let Some(none) = call.guidance.if_missing.take()
        {
            *answer = Ok(*none);
        }
        match (lazy, answer) {
            (Some(lazy), Ok(McpResponse::CallTool(CallToolResponse::Complete(result)))) => {
                let change = call.change;
                if let Some(moments) = lazy.finish(result, change)
                    && let Some(around) = lazy.made()
                {
                    Box::pin(around.add(&moments, result, change)).await;
                }
            }
            (None, Ok(McpResponse::ListPrompts(page))) => {
                if let Some((lazy, is_stateless)) = call.guidance.prompts.take() {
                    lazy.list_prompts(page, is_stateless);
                }
            }
            _ => {}
        }
    }

    /// Keeps the texts of a cancellation for the session's next result.
    pub(crate) async fn cancelled(&self, call: &mut RequestState) {
        let lazy = call.guidance.lazy.take();
        let around = lazy.as_ref().and_then(|lazy| lazy.made());
        if let Some(around) = around.filter(|around| around.tells_of_cancellation()) {
            around.cancelled().await;
        }
    }
}

/// Runs a tool that guidance serves. Returns `None` if the request calls none.
pub(crate) async fn serve(request: &AuthorRequest) -> Option<CallToolResult> {
    let McpRequest::CallTool(asked) = &request.asked else {
        return None;
    };
    let around = context::around(&request.cx)?;
    Some(around.serve(&asked.name, asked.arguments.as_ref()).await)
}
