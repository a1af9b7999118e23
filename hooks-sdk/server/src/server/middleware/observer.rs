//! Calls an observer after each tool call that has ended.

use std::sync::Arc;

use rmcp::{ErrorData, model::CallToolResponse};

use crate::server::{
    pipeline::{AuthorRequest, Flow, McpRequest, McpResponse, RequestState},
    request::{client_name, own_client_session},
};
use hooks_core::internal::debugs;

/// A tool call that has ended, in a session to which the client gives its own id.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Called {
    /// The name of the tool.
    pub tool: String,
    /// The client's own id of its session.
    pub session: String,
    /// The name that the client gives itself, or an empty string if it gives none.
    pub client: String,
    /// Whether the tool succeeded.
    pub succeeded: bool,
}

/// The author's observer.
#[derive(Clone)]
pub(in crate::server) struct Observer(pub(in crate::server) Arc<dyn Fn(Called) + Send + Sync>);

debugs!(Observer {});

impl Observer {
    /// Keeps who calls a tool. The call's end needs it.
    pub(in crate::server) fn before(
        &self,
        request: &AuthorRequest,
        call: &mut RequestState,
    ) -> Flow {
        if let McpRequest::CallTool(asked) = &request.asked
            && let Some(session) = own_client_session(&request.cx, &call.connection)
        {
            let called = Called {
                tool: asked.name.to_string(),
                session: session.to_owned(),
                client: client_name(&request.cx).unwrap_or_default(),
                succeeded: false,
            };
            call.called = Some(called);
        }
        Flow::On
    }

    /// Calls the author's function, if a call of a tool has ended.
    pub(in crate::server) fn ended(
        &self,
        call: &mut RequestState,
        answer: &Result<McpResponse, ErrorData>,
    ) {
        if let Some(mut called) = call.called.take() {
            called.succeeded = matches!(
                answer,
                Ok(McpResponse::CallTool(CallToolResponse::Complete(result)))
                    if result.is_error != Some(true)
            );
            (self.0)(called);
        }
    }
}
