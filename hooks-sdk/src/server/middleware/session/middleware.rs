//! The gate's two stations: one checks the session's state, and the last one adds the session's handle.

use std::{future::ready, sync::Arc};

use futures::future::BoxFuture;
use rmcp::{
    ErrorData, RoleServer,
    model::{
        CallToolResponse, CallToolResult, CompleteResult, ContentBlock, ErrorCode,
        PaginatedRequestParams, ServerCapabilities,
    },
    service::RequestContext,
};

use super::{
    Gate,
    answer::{NewHandle, code_of},
    call::Pass,
    identity::Caller,
};
use crate::server::{
    completion::completed,
    connection::{Arrival, Wants},
    way::{
        Answer, Asked, Call, Flow, Item, Meeting, Place, Refused, Request, Served, Shown, Station,
        Step, Viewer, Way,
    },
};

/// How many pages of tools the gate reads to find a tool that `get_tool` does not return. After these it assumes that
/// the tool exists.
const MAX_PAGES: usize = 100;

/// The argument name, of any prompt or resource, that the gate completes with tools that move the session on.
const TOOL: &str = "tool";

/// The caller of a completion request, and the beginning of the tool name if the client completes one.
struct Completing(Caller, Option<String>);

/// The station that adds the handle of a session as the last block of a result.
#[derive(Debug)]
pub(in crate::server) struct Seal(pub(in crate::server) Arc<Gate>);

impl Station for Gate {
    fn place(&self) -> Place {
        Place::Gate
    }

    fn wants(&self) -> Wants {
        Wants::CONNECTION | Wants::ORDER
    }

    fn served(&self) -> Vec<Served> {
        self.served.iter().cloned().map(Served::new).collect()
    }

    fn declare(&self, capabilities: &mut ServerCapabilities) {
        if self.served.is_some() {
            capabilities.tools.get_or_insert_default();
        }
        capabilities.completions.get_or_insert_default();
    }

    fn greet<'a>(&'a self, meeting: &'a mut Meeting, _: &'a Way) -> Step<'a, ()> {
        meeting.has_sessions = true;
        Step::Now(())
    }

    fn before<'a>(
        &'a self,
        request: &'a mut Request,
        call: &'a mut Call,
        way: &'a Way,
    ) -> Step<'a, Flow> {
        call.lives = self.ledger.lives();
        match &request.asked {
            Asked::CallTool(_) if call.answers_hook() => {
                release(request);
                Step::Now(Flow::On)
            }
            Asked::CallTool(_) => self.before_tool(request, call, way),
            Asked::Complete(completing) => {
                let caller = self.sender(None, &request.cx, &call.connection);
                call.session = caller.key().cloned();
                let argument = &completing.argument;
                let start = (argument.name == TOOL).then(|| argument.value.clone());
                call.kept.put(Completing(caller, start));
                Step::Now(Flow::On)
            }
            _ => {
                let caller = self.sender(None, &request.cx, &call.connection);
                call.session = caller.key().cloned();
                Step::Now(Flow::On)
            }
        }
    }

    fn after<'a>(
        &'a self,
        call: &'a mut Call,
        answer: &'a mut Result<Answer, ErrorData>,
        _: &'a Way,
    ) -> Step<'a, ()> {
        if let Some(pass) = call.kept.take_boxed::<Pass>() {
            return Step::Later(Box::pin(async move {
                let (change, handle) = pass.record(self, answer).await;
                call.change = change;
                if let Some(handle) = handle {
                    call.kept.put::<NewHandle>(handle);
                }
            }));
        }
        let Some(Completing(caller, start)) = call.kept.take() else {
            return Step::Now(());
        };
        // If the author has no completions, rmcp answers with this error. The completion is then empty.
        if let Err(error) = answer
            && error.code == ErrorCode::METHOD_NOT_FOUND
        {
            *answer = Ok(Answer::Complete(CompleteResult::default()));
        }
        match (start, answer) {
            (Some(start), Ok(Answer::Complete(own))) if own.completion.values.is_empty() => {
                Step::Later(Box::pin(async move {
                    let mut tools = self.tools_leading_on(&caller).await;
                    tools.retain(|tool| tool.starts_with(&start));
                    *own = completed(tools);
                }))
            }
            _ => Step::Now(()),
        }
    }

    fn cancelled<'a>(&'a self, call: &'a mut Call) -> Step<'a, ()> {
        match call.kept.take::<Pass>() {
            Some(pass) => Step::Later(Box::pin(async move { pass.give_up(self).await })),
            None => Step::Now(()),
        }
    }

    fn run<'a>(&'a self, _: Request, _: &'a Way) -> BoxFuture<'a, Result<Answer, ErrorData>> {
        let open = CallToolResult::success(Vec::new());
        Box::pin(ready(Ok(Answer::CallTool(open.into()))))
    }

    fn show(&self, item: Item<'_>, to: Option<&Viewer>) -> Shown {
        if let (Item::Tool(tool, served), Some(viewer)) = (item, to)
            && viewer.needs_handle
            && served.is_none_or(|served| !served.answers_hook)
        {
            self.show_argument(tool);
        }
        Shown::ToAll
    }
}

impl Gate {
    fn before_tool<'a>(
        &'a self,
        request: &'a mut Request,
        call: &'a mut Call,
        way: &'a Way,
    ) -> Step<'a, Flow> {
        let Request {
            asked: Asked::CallTool(asked),
            cx,
        } = request
        else {
            return Step::Now(Flow::On);
        };
        // A renamed call passes the gate a second time. The first pass has removed the handle from its arguments.
        let earlier = call.kept.take_boxed::<Pass>();
        let name = asked.name.clone();
        let caller = match &earlier {
            Some(pass) => pass.caller.clone(),
            None => self.caller(asked, cx, &call.connection, || {
                let tool = way.tool(&name);
                tool.is_some_and(|tool| self.is_declared_by(&tool))
            }),
        };
        let ticket = cx.extensions.get::<Arrival>();
        let ticket = ticket.and_then(|arrival| arrival.ticket.clone());
        let mut pass = Box::new(Pass::new(self, asked, ticket, caller));
        let machine = self.ledger.machine();
        let is_free = !machine.guards(&asked.name) && !machine.ever_moves(&asked.name);
        if is_free && earlier.is_none() {
            pass.release();
            call.session = pass.caller.key().cloned();
            call.kept.put_boxed(pass);
            return Step::Now(Flow::On);
        }
        Step::Later(Box::pin(async move {
            if let Some(earlier) = earlier {
                earlier.withdraw(self).await;
                pass.retake();
            }
            if is_free {
                pass.release();
            } else if let Err(refused) = pass.admit(self, call, cx).await {
                // If the server has no such tool, rmcp answers the call with the error that clients know.
                if !self.has_no_tool(&asked.name, cx, way).await {
                    call.refused = Some(Refused::new("session", "gate", code_of(&refused)));
                    return Flow::answer(Ok(Answer::CallTool(refused.into())));
                }
                return Flow::On;
            }
            call.session = pass.session().cloned();
            call.kept.put_boxed(pass);
            Flow::On
        }))
    }

    /// Returns whether the server certainly has no tool of this name: `get_tool` does not return it, and no list
    /// contains it.
    async fn has_no_tool(&self, name: &str, cx: &RequestContext<RoleServer>, way: &Way) -> bool {
        if !self.may_be_unknown(name) || way.tool(name).is_some() {
            return false;
        }
        let mut cursor = None;
        for _ in 0..MAX_PAGES {
            let page = PaginatedRequestParams::default().with_cursor(cursor);
            let page = way.author().ask(Asked::ListTools(Some(page)), cx.clone());
            let Ok(Answer::ListTools(page)) = page.await else {
                return false;
            };
            if page.tools.iter().any(|tool| tool.name == name) {
                return false;
            }
            cursor = page.next_cursor;
            if cursor.is_none() {
                return true;
            }
        }
        false
    }
}

/// Lets later calls stop waiting for this call.
fn release(request: &Request) {
    let arrival = request.cx.extensions.get::<Arrival>();
    if let Some(ticket) = arrival.and_then(|arrival| arrival.ticket.as_ref()) {
        ticket.release();
    }
}

impl Station for Seal {
    fn place(&self) -> Place {
        Place::Seal
    }

    fn after<'a>(
        &'a self,
        call: &'a mut Call,
        answer: &'a mut Result<Answer, ErrorData>,
        _: &'a Way,
    ) -> Step<'a, ()> {
        if let Ok(Answer::CallTool(CallToolResponse::Complete(result))) = answer {
            let is_ours = self
                .0
                .served
                .as_ref()
                .is_some_and(|tool| tool.name == call.tool());
            if is_ours && result.content.is_empty() {
                result
                    .content
                    .push(ContentBlock::text("The session is open."));
            }
            if let Some(handle) = call.kept.take::<NewHandle>() {
                self.0.show_handle(handle, result);
            }
        }
        Step::Now(())
    }
}
