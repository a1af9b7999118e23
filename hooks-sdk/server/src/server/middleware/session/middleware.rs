//! The gate's part in requests: it checks the session's state, records the call, and adds the session's handle.

use rmcp::model::{CallToolResponse, CompleteResult, ContentBlock, ErrorCode, ServerCapabilities};

use super::{
    SessionGate,
    answer::{NewHandle, SESSION_UNAVAILABLE, code_of},
    call::Admission,
    identity::SessionCaller,
    listing::declares,
};
use crate::server::{
    connection::Arrival,
    pipeline::{
        AuthorRequest, Flow, ListEntry, McpAnswer, McpRequest, McpResponse, Pipeline,
        RefusalRecord, RequestState, Viewer, completed,
    },
};

/// The argument name, of any prompt or resource, that the gate completes with tools that move the session on.
const TOOL: &str = "tool";

/// What the gate keeps for a request.
#[derive(Default)]
pub(crate) struct GatedRequest {
    /// The permission of a call.
    pub(super) admission: Option<Box<Admission>>,
    completion: Option<Box<ToolCompletion>>,
    /// The handle of a session that the call has opened.
    handle: Option<NewHandle>,
}

/// The caller of a completion request, and the beginning of the tool name if the client completes one.
struct ToolCompletion(SessionCaller, Option<String>);

impl SessionGate {
    /// Adds the capabilities that the gate needs.
    pub(crate) fn declare(&self, capabilities: &mut ServerCapabilities) {
        if self.served.is_some() {
            capabilities.tools.get_or_insert_default();
        }
        capabilities.completions.get_or_insert_default();
    }

    /// Lets a call pass that the session's state allows. First waits for earlier calls that may change the state.
    pub(crate) async fn before(
        &self,
        request: &mut AuthorRequest,
        call: &mut RequestState,
        pipeline: &Pipeline,
    ) -> Flow {
        call.lives = self.ledger.lives();
        let AuthorRequest { asked, cx } = request;
        let McpRequest::CallTool(asked) = asked else {
            let caller = self.sender(None, cx, &call.connection);
            call.session = caller.key().cloned();
            if let McpRequest::Complete(completing) = asked {
                let argument = &completing.argument;
                let start = (argument.name == TOOL).then(|| argument.value.clone());
                call.gate.completion = Some(Box::new(ToolCompletion(caller, start)));
            }
            return Flow::On;
        };
        let ticket = cx.extensions.get::<Arrival>();
        let ticket = ticket.and_then(|arrival| arrival.ticket.clone());
        if call.answers_hook() {
            // Later calls need not wait for this one.
            if let Some(ticket) = ticket {
                ticket.release();
            }
            return Flow::On;
        }
        // A renamed call passes the gate a second time. The first pass has removed the handle from its arguments.
        let earlier = call.gate.admission.take();
        let caller = match &earlier {
            Some(pass) => pass.caller.clone(),
            None => {
                let argument = self.take_argument(asked, || {
                    let tool = pipeline.tool(call.tool());
                    tool.is_some_and(|tool| declares(&tool, &self.argument))
                });
                self.sender(argument.as_ref(), cx, &call.connection)
            }
        };
        let mut pass = Box::new(Admission::new(self, asked, ticket, caller));
        let machine = self.ledger.machine();
        call.may_change = machine.ever_moves(&asked.name);
        let is_free = !machine.guards(&asked.name) && !call.may_change;
        if is_free && earlier.is_none() {
            pass.release();
            pass.keep_in(call);
            return Flow::On;
        }
        if let Some(earlier) = earlier {
            Box::pin(earlier.withdraw(self)).await;
            pass.retake();
        }
        if is_free {
            pass.release();
        } else if let Err(refused) = Box::pin(pass.admit(self, call, cx)).await {
            // If the server certainly has no such tool, rmcp answers the call with the error that clients know: `get_tool`
            // does not return it, and no list contains it.
            if self.may_be_unknown(&asked.name)
                && matches!(
                    Box::pin(pipeline.find_tool(&asked.name, cx)).await,
                    Ok(None)
                )
            {
                return Flow::On;
            }
            let code = code_of(&refused);
            call.refused = Some(RefusalRecord {
                failed: code == SESSION_UNAVAILABLE,
                ..RefusalRecord::new("session", "gate", code)
            });
            return Flow::answer(Ok(McpResponse::CallTool(refused.into())));
        }
        pass.keep_in(call);
        Flow::On
    }

    /// Records how a call ended, and completes the names of tools that lead on.
    pub(crate) async fn after(&self, call: &mut RequestState, answer: &mut McpAnswer) {
        if let Some(pass) = call.gate.admission.take() {
            (call.change, call.gate.handle) = Box::pin(pass.record(self, answer)).await;
            return;
        }
        let Some(completion) = call.gate.completion.take() else {
            return;
        };
        let ToolCompletion(caller, start) = *completion;
        // If the author has no completions, rmcp answers with this error. The completion is then empty.
        if let Err(error) = answer
            && error.code == ErrorCode::METHOD_NOT_FOUND
        {
            *answer = Ok(McpResponse::Complete(CompleteResult::default()));
        }
        if let (Some(start), Ok(McpResponse::Complete(own))) = (start, answer)
            && own.completion.values.is_empty()
        {
            let mut tools = Box::pin(self.tools_leading_on(&caller)).await;
            tools.retain(|tool| tool.starts_with(&start));
            *own = completed(tools);
        }
    }

    /// Lets later calls of the session stop waiting for a call that the client has cancelled.
    pub(crate) async fn cancelled(&self, call: &mut RequestState) {
        // The call does not move the session, even if the tool still runs.
        if let Some(pass) = call.gate.admission.take() {
            pass.withdraw(self).await;
            pass.release();
        }
    }

    /// Shows the argument of the handle to clients that need it.
    pub(crate) fn show(&self, item: &mut ListEntry<'_>, to: Option<&Viewer>) {
        if let (ListEntry::Tool(tool, served), Some(viewer)) = (item, to)
            && viewer.needs_handle
            && served.is_none_or(|served| !served.answers_hook())
        {
            self.show_argument(tool);
        }
    }

    /// Adds the handle of a session as the last block of a result.
    pub(crate) fn seal(&self, call: &mut RequestState, answer: &mut McpAnswer) {
        if let Ok(McpResponse::CallTool(CallToolResponse::Complete(result))) = answer {
            let is_ours = (self.served.as_ref()).is_some_and(|tool| tool.name == call.tool());
            if is_ours && result.content.is_empty() {
                result
                    .content
                    .push(ContentBlock::text("The session is open."));
            }
            if let Some(handle) = call.gate.handle.take() {
                self.show_handle(handle, result);
            }
        }
    }
}
