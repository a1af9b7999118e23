//! Handshakes: the author's answer, and what the middleware add to it.

use std::sync::Arc;

use rmcp::{
    ErrorData, RoleServer,
    model::{CacheScope, ServerCapabilities},
    service::RequestContext,
};

use super::{Handshake, McpRequest, McpResponse, Pipeline, answered, misplaced, step};
use crate::server::{
    connection::Connection,
    request::{is_lifted, is_restored},
};

impl Pipeline {
    /// Returns the capabilities of the author and the middleware, as a handshake declares them.
    pub(in crate::server) fn capabilities(&self) -> Option<ServerCapabilities> {
        let mut capabilities = self.author.info().ok()?.capabilities;
        self.declare(&mut capabilities);
        Some(capabilities)
    }

    pub(super) fn declare(&self, capabilities: &mut ServerCapabilities) {
        for middleware in &self.stack.all {
            middleware.declare(capabilities);
        }
    }

    /// Answers `initialize` and `server/discover`.
    pub(super) async fn on_handshake(
        &self,
        asked: McpRequest,
        cx: RequestContext<RoleServer>,
        connection: Arc<Connection>,
    ) -> Result<McpResponse, ErrorData> {
        let method = &*asked.method();
        let initialize = match &asked {
            McpRequest::Initialize(request) => Some((
                request.capabilities.clone(),
                request.client_info.name.clone(),
            )),
            _ => None,
        };
        let mut answer = answered(method, self.author.ask(asked, cx.clone())).await?;
        let (capabilities, instructions) = match &mut answer {
            McpResponse::Initialize(result) => (&mut result.capabilities, &mut result.instructions),
            McpResponse::Discover(result) => (&mut result.capabilities, &mut result.instructions),
            _ => return Err(misplaced(method)),
        };
        let mut handshake = Handshake {
            by_wire: is_lifted(&cx.extensions),
            is_restored: is_restored(&cx.extensions),
            cx,
            connection,
            initialize,
            has_sessions: false,
            declarations: Vec::new(),
            instructions: None,
            capabilities: std::mem::take(capabilities),
            is_private: false,
        };
        self.declare(&mut handshake.capabilities);
        for middleware in &self.stack.greeting {
            step(method, || middleware.on_handshake(&mut handshake, self)).await?;
        }
        *capabilities = handshake.capabilities;
        join(instructions, handshake.instructions);
        if let (true, McpResponse::Discover(result)) = (handshake.is_private, &mut answer) {
            result.cache_scope = CacheScope::Private;
        }
        Ok(answer)
    }
}

/// Adds the middleware' instructions after the author's.
fn join(instructions: &mut Option<String>, more: Option<String>) {
    let Some(more) = more else { return };
    match instructions {
        Some(own) if !own.trim().is_empty() => {
            own.truncate(own.trim_end().len());
            own.push_str("\n\n");
            own.push_str(&more);
        }
        _ => *instructions = Some(more),
    }
}
