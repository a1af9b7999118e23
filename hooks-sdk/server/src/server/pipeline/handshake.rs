//! Handshakes: the author's answer, and what the middleware add to it.

use std::sync::Arc;

use rmcp::model::{CacheScope, ClientCapabilities, ServerCapabilities};

use super::{McpAnswer, McpRequest, McpResponse, Pipeline, answered, misplaced};
use crate::server::{
    McpContext,
    capability::DeclaredPlaces,
    connection::Connection,
    request::{client_name, is_lifted, is_restored},
};
use hooks_core::lifecycle::Declaration;

/// A handshake: the client's request, and what the middleware add to the author's answer.
pub(crate) struct Handshake {
    pub(crate) cx: McpContext,
    pub(crate) connection: Arc<Connection>,
    /// The client's capabilities, from `initialize`.
    pub(crate) initialize: Option<ClientCapabilities>,
    pub(crate) client_name: Option<String>,
    /// Whether the handshake arrived by the wire shim. Only the wire shim can write members that rmcp's types lack.
    pub(crate) by_wire: bool,
    /// Whether rmcp replays the handshake of a client that had an earlier one. Nobody reads the answer.
    pub(crate) is_restored: bool,
    /// Whether the server has sessions that a call opens.
    pub(crate) has_sessions: bool,
    /// The declarations that the answer carries beside those of the lifecycle hooks.
    pub(crate) declarations: Vec<Declaration>,
    /// The text that follows the author's instructions.
    pub(crate) instructions: Option<String>,
    /// The capabilities of the answer.
    pub(crate) capabilities: ServerCapabilities,
    /// Whether the answer is for this client only.
    pub(crate) is_private: bool,
}

impl Handshake {
    /// Returns the client's capabilities, from `initialize` or from the request itself.
    pub(crate) fn client_capabilities(&self) -> Option<ClientCapabilities> {
        match &self.initialize {
            Some(capabilities) => Some(capabilities.clone()),
            None => self.cx.client_capabilities(),
        }
    }

    /// Returns the places in which the client declared hooks.
    pub(crate) fn declared(&self, extension: Option<&str>) -> DeclaredPlaces {
        match &self.initialize {
            Some(capabilities) => DeclaredPlaces::of_capabilities(capabilities, extension),
            None => DeclaredPlaces::of_request(&self.cx, extension),
        }
    }
}

impl Pipeline {
    /// Returns the capabilities of the author and the middleware, as a handshake declares them.
    pub(crate) fn capabilities(&self) -> Option<ServerCapabilities> {
        let mut capabilities = self.author.info().ok()?.capabilities;
        self.parts.declare(&mut capabilities);
        Some(capabilities)
    }

    /// Answers `initialize` and `server/discover`.
    pub(super) async fn on_handshake(
        &self,
        asked: McpRequest,
        cx: McpContext,
        connection: Arc<Connection>,
    ) -> McpAnswer {
        let method = &*asked.method();
        let (initialize, client_name) = match &asked {
            McpRequest::Initialize(request) => (
                Some(request.capabilities.clone()),
                Some(request.client_info.name.clone()),
            ),
            _ => (None, client_name(&cx)),
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
            client_name,
            has_sessions: false,
            declarations: Vec::new(),
            instructions: None,
            capabilities: std::mem::take(capabilities),
            is_private: false,
        };
        self.parts.declare(&mut handshake.capabilities);
        self.greet(method, &mut handshake).await?;
        *capabilities = handshake.capabilities;
        join(instructions, handshake.instructions);
        if let (true, McpResponse::Discover(result)) = (handshake.is_private, &mut answer) {
            result.cache_scope = CacheScope::Private;
        }
        Ok(answer)
    }
}

/// Adds the instructions of the middleware after the author's.
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
