//! The station of guidance: its part in requests and in the handshake.
#![expect(
    deprecated,
    reason = "rmcp marks what newer revisions drop, and older clients still use"
)]

use std::sync::Arc;

use futures::future::BoxFuture;
use rmcp::{
    ErrorData, RoleServer,
    model::{CallToolResponse, ErrorCode, ServerCapabilities},
    service::RequestContext,
};

use super::{Around, Caller, Client, Guide, OfConnection, Route, context};
use crate::{
    core::BuildError,
    lifecycle::Event,
    server::{
        capability::{Asked as AskedHooks, Places},
        connection::{Arrival, Wants},
        request::{client_name, is_http, is_stateless, needs_handle, own_key},
        way::{
            Answer, Asked, Author, Call, Change, Flow, Meeting, Place, Request, Served, Station,
            Step, Way,
        },
    },
};

/// The station of guidance, with the places of its declarations.
#[derive(Debug)]
pub(in crate::server) struct GuidanceStation {
    pub(super) guide: Arc<Guide>,
    places: Places,
}

/// The mark on a request that sets the level of log messages.
struct SetsLevel;

impl GuidanceStation {
    pub(in crate::server) fn new(guide: Arc<Guide>, places: Places) -> GuidanceStation {
        GuidanceStation { guide, places }
    }

    /// Prepares the guidance of a request, and stores it in the request's context for the author's function.
    pub(super) fn around(
        &self,
        cx: &mut RequestContext<RoleServer>,
        call: &mut Call,
        way: &Way,
    ) -> Arc<Around> {
        self.teach(way);
        let connection = &call.connection;
        if call.session.is_none() {
            call.session = own_key(cx, connection);
        }
        let caller = Caller::of(cx, self.places.extension.as_deref(), connection);
        let left = self.guide.leaves(|| client_name(cx));
        // Before 2026-07-28, if the transport keeps no sessions, another handler answered the client's handshake.
        let apart = is_http(&cx.extensions) && needs_handle(cx) && !is_stateless(cx);
        let guide = &self.guide;
        let told = apart && (guide.takes(Route::Instructions) || caller.reads(Event::SessionStart));
        let around = Around::new(
            guide.clone(),
            way.author().clone(),
            caller,
            cx.id.clone(),
            call.session.clone(),
            connection.clone(),
        );
        let around = around.of_client(left, told).of_sessions(call.lives);
        let around = Arc::new(match &call.tool {
            Some(tool) => {
                let arrival = cx.extensions.get::<Arrival>();
                around.of_tool(tool, arrival.and_then(|arrival| arrival.reported.clone()))
            }
            None => around,
        });
        context::attach(&mut cx.extensions, &around);
        around
    }

    /// Records the server's features in the guidance.
    fn teach(&self, way: &Way) {
        self.guide.learn(|| way.capabilities());
    }

    /// Lets a request go on whose guidance is prepared.
    fn go_on<'a>(
        &'a self,
        request: &'a mut Request,
        call: &'a mut Call,
        way: &'a Way,
        around: Arc<Around>,
    ) -> Step<'a, Flow> {
        let Request { asked, cx } = request;
        if around.has_shared() || matches!(asked, Asked::CallTool(_)) {
            call.kept.put(around.clone());
        }
        match asked {
            Asked::GetPrompt(asked) => {
                if let Some(moment) = self.guide.moment(&asked.name, &around) {
                    return Step::Later(Box::pin(async move {
                        if self.has_own_prompt(moment, cx, &call.connection, way).await {
                            return Flow::On;
                        }
                        let prompt = self.prompt(moment, asked, &around).await;
                        Flow::answer(prompt.map(Answer::GetPrompt))
                    }));
                }
            }
            Asked::ListPrompts(page) => {
                return self.before_prompts(page.as_ref(), around, cx, call, way);
            }
            Asked::Complete(asked) => {
                return self.before_completion(asked, around, cx, call, way);
            }
            _ => {}
        }
        Step::Now(Flow::On)
    }

    async fn meet(&self, meeting: &mut Meeting, way: &Way) {
        let extension = self.places.extension.as_deref();
        let caller = match &meeting.initialize {
            Some((capabilities, _)) => {
                let asked = AskedHooks::of_capabilities(capabilities, extension);
                Caller::new(Client::new(&asked, capabilities), meeting.cx.peer.clone())
            }
            None => Caller::of(&meeting.cx, extension, &meeting.connection),
        };
        let name = meeting.initialize.as_ref().map(|(_, name)| name.clone());
        let of_connection = meeting.connection.slot::<OfConnection>(Place::Guidance);
        if name.is_some() {
            of_connection.greeted.set();
        }
        self.teach(way);
        self.warn_of_clashes(&meeting.cx, &meeting.connection, way);
        let guide = &self.guide;
        if guide.leaves(|| name.or_else(|| client_name(&meeting.cx))) {
            return;
        }
        let by_result =
            is_stateless(&meeting.cx) && is_http(&meeting.cx.extensions) && meeting.has_sessions;
        if !by_result && guide.takes(Route::Instructions) || caller.reads(Event::SessionStart) {
            of_connection.told.set();
        }
        if meeting.is_restored {
            return;
        }
        let server = &**way.author();
        let declarations = guide
            .declarations(server, &caller, self.places.unasked)
            .await;
        let instructions = if by_result {
            None
        } else {
            guide.instructions(server, &caller).await
        };
        meeting.is_private |= !declarations.is_empty() || instructions.is_some();
        meeting.declarations = declarations;
        meeting.instructions = instructions;
    }
}

impl Station for GuidanceStation {
    fn place(&self) -> Place {
        Place::Guidance
    }

    fn misfits(&self, author: &dyn Author) -> Vec<BuildError> {
        self.guide
            .clashing_tools(|name| author.tool(name).is_some())
    }

    fn wants(&self) -> Wants {
        if self.guide.has_progress.is_set() {
            Wants::CONNECTION | Wants::PROGRESS
        } else {
            Wants::CONNECTION
        }
    }

    fn served(&self) -> Vec<Served> {
        self.guide.tools().map(Served::new).collect()
    }

    fn declare(&self, capabilities: &mut ServerCapabilities) {
        self.guide.declare(capabilities);
    }

    fn greet<'a>(&'a self, meeting: &'a mut Meeting, way: &'a Way) -> Step<'a, ()> {
        Step::Later(Box::pin(self.meet(meeting, way)))
    }

    fn before<'a>(
        &'a self,
        request: &'a mut Request,
        call: &'a mut Call,
        way: &'a Way,
    ) -> Step<'a, Flow> {
        let needs = match &request.asked {
            Asked::CallTool(_) => !call.answers_hook(),
            Asked::ReadResource(_)
            | Asked::GetPrompt(_)
            | Asked::ListPrompts(_)
            | Asked::Complete(_) => true,
            _ => false,
        };
        if !needs {
            if let Asked::SetLevel(asked) = &request.asked {
                let of_connection = call.connection.slot::<OfConnection>(Place::Guidance);
                of_connection.log_level.set(asked.level);
                call.kept.put(SetsLevel);
            }
            return Step::Now(Flow::On);
        }
        let around = self.around(&mut request.cx, call, way);
        if self.guide.shared.is_none() {
            return self.go_on(request, call, way, around);
        }
        Step::Later(Box::pin(async move {
            around.load().await;
            match self.go_on(request, call, way, around) {
                Step::Now(flow) => flow,
                Step::Later(flow) => flow.await,
            }
        }))
    }

    fn after<'a>(
        &'a self,
        call: &'a mut Call,
        answer: &'a mut Result<Answer, ErrorData>,
        _: &'a Way,
    ) -> Step<'a, ()> {
        let around = call.kept.take::<Arc<Around>>();
        let change = call.change;
        let mut fires = None;
        match (&around, &mut *answer) {
            (Some(around), Ok(Answer::CallTool(CallToolResponse::Complete(result)))) => {
                fires = around.finish(result, change);
            }
            // If the author does not support log levels, the SDK accepts the level in the author's place.
            (_, Err(error)) if error.code == ErrorCode::METHOD_NOT_FOUND => {
                if call.kept.take::<SetsLevel>().is_some() {
                    *answer = Ok(Answer::SetLevel(()));
                } else {
                    self.after_prompts(call, answer);
                }
            }
            _ => self.after_prompts(call, answer),
        }
        let Some(around) = around.filter(|around| fires.is_some() || around.has_shared()) else {
            return Step::Now(());
        };
        Step::Later(Box::pin(async move {
            if let Some(moments) = fires
                && let Ok(Answer::CallTool(CallToolResponse::Complete(result))) = answer
            {
                around.add(&moments, result, change).await;
            }
            around.end(change).await;
        }))
    }

    fn cancelled<'a>(&'a self, call: &'a mut Call) -> Step<'a, ()> {
        match call.kept.take::<Arc<Around>>() {
            Some(around) if around.has_shared() || around.tells_of_cancellation() => {
                Step::Later(Box::pin(async move {
                    if around.tells_of_cancellation() {
                        around.cancelled().await;
                    }
                    around.end(Change::None).await;
                }))
            }
            _ => Step::Now(()),
        }
    }

    fn run<'a>(&'a self, request: Request, _: &'a Way) -> BoxFuture<'a, Result<Answer, ErrorData>> {
        Box::pin(async move {
            let Asked::CallTool(asked) = request.asked else {
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
            Ok(Answer::CallTool(result.into()))
        })
    }
}
