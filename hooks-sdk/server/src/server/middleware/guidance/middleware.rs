//! The middleware of guidance: its part in requests and in the handshake.
#![expect(
    deprecated,
    reason = "rmcp marks what newer revisions drop, and older clients still use"
)]

use std::sync::Arc;

use futures::future::BoxFuture;
use rmcp::{
    ErrorData, RoleServer,
    model::{CallToolResponse, CompleteResult, ErrorCode, ListPromptsResult, ServerCapabilities},
    service::RequestContext,
};

use super::{Client, ConnectionGuidance, Guide, GuidedClient, RequestGuidance, Route, context};
use crate::server::{
    capability::{DeclaredPlaces as AskedHooks, Places},
    connection::Interests,
    pipeline::{
        Author, AuthorRequest, Flow, Handshake, McpRequest, McpResponse, Middleware, MiddlewareId,
        OptionalTraits, Pipeline, Provider, RequestState, Served, Work, completed,
    },
    request::{client_name, is_http, is_stateless, needs_handle, own_key},
};
use hooks_core::{BuildError, lifecycle::Event};

/// The middleware of guidance, with the places of its declarations.
#[derive(Debug)]
pub(in crate::server) struct GuidanceMiddleware {
    pub(super) guide: Arc<Guide>,
    places: Places,
}

/// The answer to a request of this method if the author's server does not have the method.
struct IfMissing(McpResponse);

/// A request for a list of prompts, and whether it uses protocol 2026-07-28 or later.
struct PromptListing(Arc<RequestGuidance>, bool);

impl GuidanceMiddleware {
    pub(in crate::server) fn new(guide: Arc<Guide>, places: Places) -> GuidanceMiddleware {
        GuidanceMiddleware { guide, places }
    }

    /// Prepares the guidance of a request, and stores it in the request's context for the author's function.
    pub(super) fn around(
        &self,
        cx: &mut RequestContext<RoleServer>,
        call: &mut RequestState,
        pipeline: &Pipeline,
    ) -> Arc<RequestGuidance> {
        self.teach(pipeline);
        let connection = &call.connection;
        if call.session.is_none() {
            call.session = own_key(cx, connection);
        }
        let caller = GuidedClient::of(cx, self.places.extension.as_deref(), connection);
        let left = self.guide.leaves(|| client_name(cx));
        // Before 2026-07-28, if the transport keeps no sessions, another handler answered the client's handshake.
        let apart = is_http(&cx.extensions) && needs_handle(cx) && !is_stateless(cx);
        let guide = &self.guide;
        let told = apart && (guide.takes(Route::Instructions) || caller.reads(Event::SessionStart));
        let (of, author) = ((&*cx, &*call), pipeline.author());
        let around = RequestGuidance::new(guide, author, caller, of, (left, told));
        let around = Arc::new(around);
        context::attach(&mut cx.extensions, &around);
        around
    }

    /// Records the server's features in the guidance.
    fn teach(&self, pipeline: &Pipeline) {
        self.guide.learn(|| pipeline.capabilities());
    }

    async fn take_part(&self, handshake: &mut Handshake, pipeline: &Pipeline) {
        let extension = self.places.extension.as_deref();
        let caller = match &handshake.initialize {
            Some((capabilities, _)) => {
                let asked = AskedHooks::of_capabilities(capabilities, extension);
                GuidedClient::new(Client::new(&asked, capabilities), handshake.cx.peer.clone())
            }
            None => GuidedClient::of(&handshake.cx, extension, &handshake.connection),
        };
        let name = handshake.initialize.as_ref().map(|(_, name)| name.clone());
        let of_connection = handshake
            .connection
            .slot::<ConnectionGuidance>(MiddlewareId::Guidance);
        if name.is_some() {
            of_connection.had_handshake.set();
        }
        self.teach(pipeline);
        let guide = &self.guide;
        if guide.leaves(|| name.or_else(|| client_name(&handshake.cx))) {
            return;
        }
        let by_result = is_stateless(&handshake.cx)
            && is_http(&handshake.cx.extensions)
            && handshake.has_sessions;
        if !by_result && guide.takes(Route::Instructions) || caller.reads(Event::SessionStart) {
            of_connection.told.set();
        }
        if handshake.is_restored {
            return;
        }
        let server = &**pipeline.author();
        let declarations = guide
            .declarations(server, &caller, self.places.unasked)
            .await;
        let instructions = if by_result {
            None
        } else {
            guide.instructions(server, &caller).await
        };
        handshake.is_private |= !declarations.is_empty() || instructions.is_some();
        handshake.declarations = declarations;
        handshake.instructions = instructions;
    }
}

impl Middleware for GuidanceMiddleware {
    fn id(&self) -> MiddlewareId {
        MiddlewareId::Guidance
    }

    fn optional(self: Arc<Self>) -> OptionalTraits {
        OptionalTraits {
            provider: Some(self),
            ..OptionalTraits::default()
        }
    }

    fn validate(&self, author: &dyn Author) -> Vec<BuildError> {
        self.guide
            .clashing_tools(|name| author.tool(name).is_some())
    }

    fn interests(&self) -> Interests {
        if self.guide.has_progress.is_set() {
            Interests::CONNECTION | Interests::PROGRESS
        } else {
            Interests::CONNECTION
        }
    }

    fn declare(&self, capabilities: &mut ServerCapabilities) {
        self.guide.declare(capabilities);
    }

    fn on_handshake<'a>(
        &'a self,
        handshake: &'a mut Handshake,
        pipeline: &'a Pipeline,
    ) -> Work<'a, ()> {
        Work::Later(Box::pin(self.take_part(handshake, pipeline)))
    }

    fn before<'a>(
        &'a self,
        request: &'a mut AuthorRequest,
        call: &'a mut RequestState,
        pipeline: &'a Pipeline,
    ) -> Work<'a, Flow> {
        let AuthorRequest { asked, cx } = request;
        match asked {
            McpRequest::SetLevel(asked) => {
                let of_connection = call
                    .connection
                    .slot::<ConnectionGuidance>(MiddlewareId::Guidance);
                of_connection.log_level.set(asked.level);
                call.extensions.put(IfMissing(McpResponse::SetLevel(())));
            }
            McpRequest::CallTool(_) if !call.answers_hook() => {
                let around = self.around(cx, call, pipeline);
                call.extensions.put(around);
            }
            McpRequest::ReadResource(_) => _ = self.around(cx, call, pipeline),
            McpRequest::GetPrompt(asked) => {
                let around = self.around(cx, call, pipeline);
                if let Some(moment) = self.guide.moment(&asked.name, &around) {
                    return Work::Later(Box::pin(async move {
                        let prompt = around.prompt(moment, asked).await;
                        Flow::answer(prompt.map(McpResponse::GetPrompt))
                    }));
                }
            }
            McpRequest::ListPrompts(_) => {
                let around = self.around(cx, call, pipeline);
                call.extensions.put(PromptListing(around, is_stateless(cx)));
                if self.guide.serves_prompts() {
                    let none = ListPromptsResult::default();
                    call.extensions
                        .put(IfMissing(McpResponse::ListPrompts(none)));
                }
            }
            McpRequest::Complete(asked) => {
                let around = self.around(cx, call, pipeline);
                if let Some(tags) = around.complete(asked) {
                    return Work::Now(Flow::answer(Ok(McpResponse::Complete(completed(tags)))));
                }
                if self.guide.serves_prompts() {
                    let none = CompleteResult::default();
                    call.extensions.put(IfMissing(McpResponse::Complete(none)));
                }
            }
            _ => {}
        }
        Work::Now(Flow::On)
    }

    fn after<'a>(
        &'a self,
        call: &'a mut RequestState,
        answer: &'a mut Result<McpResponse, ErrorData>,
        _: &'a Pipeline,
    ) -> Work<'a, ()> {
        let around = call.extensions.take::<Arc<RequestGuidance>>();
        if let Err(error) = answer
            && error.code == ErrorCode::METHOD_NOT_FOUND
            && let Some(IfMissing(none)) = call.extensions.take()
        {
            *answer = Ok(none);
        }
        match (around, answer) {
            (Some(around), Ok(McpResponse::CallTool(CallToolResponse::Complete(result)))) => {
                if let Some(moments) = around.finish(result, call.change) {
                    let change = call.change;
                    return Work::Later(Box::pin(async move {
                        around.add(&moments, result, change).await;
                    }));
                }
            }
            (None, Ok(McpResponse::ListPrompts(page))) => {
                if let Some(PromptListing(around, is_stateless)) = call.extensions.take() {
                    around.list_prompts(page, is_stateless);
                }
            }
            _ => {}
        }
        Work::Now(())
    }

    fn cancelled<'a>(&'a self, call: &'a mut RequestState) -> Work<'a, ()> {
        match call.extensions.take::<Arc<RequestGuidance>>() {
            Some(around) if around.tells_of_cancellation() => {
                Work::Later(Box::pin(async move { around.cancelled().await }))
            }
            _ => Work::Now(()),
        }
    }
}

impl Provider for GuidanceMiddleware {
    fn served(&self) -> Vec<Served> {
        self.guide.tools().map(Served::new).collect()
    }

    fn run<'a>(
        &'a self,
        request: AuthorRequest,
        _: &'a Pipeline,
    ) -> BoxFuture<'a, Result<McpResponse, ErrorData>> {
        Box::pin(async move {
            let McpRequest::CallTool(asked) = request.asked else {
                return Err(ErrorData::internal_error(
                    "guidance serves tools only",
                    None,
                ));
            };
            let result = match context::around(&request.cx) {
                Some(around) => around.serve(&asked.name, asked.arguments.as_ref()).await,
                None => None,
            };
            let no_tool = || ErrorData::internal_error("guidance serves no such tool", None);
            let result = result.ok_or_else(no_tool)?;
            Ok(McpResponse::CallTool(result.into()))
        })
    }
}
