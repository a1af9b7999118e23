//! Hooks at the six events of an agent's session: their declarations, and the tools of answering hooks.

mod tools;

use std::{
    any::Any,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use rmcp::{
    RoleServer,
    model::{CallToolResult, Tool},
    service::RequestContext,
};

use tools::HookTools;

use crate::server::{
    capability::{DeclaredPlaces as AskedHooks, Places},
    collect::ServerHooks,
    pipeline::{Author, Handshake, McpRequest},
};
use hooks_core::BuildError;

/// The lifecycle hooks of a server.
#[derive(Debug)]
pub(in crate::server) struct Lifecycle {
    hooks: Arc<ServerHooks>,
    places: Places,
    tools: HookTools,
    /// Whether the SDK has logged that this transport cannot declare hooks at the top level.
    warned: AtomicBool,
}

impl Lifecycle {
    pub(in crate::server) fn new(hooks: Arc<ServerHooks>, places: Places) -> Lifecycle {
        Lifecycle {
            tools: HookTools::of(&hooks.registry),
            hooks,
            places,
            warned: AtomicBool::new(false),
        }
    }

    /// Declares the hooks in a handshake.
    pub(in crate::server) fn declare_in(&self, handshake: &mut Handshake) {
        let extension = self.places.extension.as_deref();
        let asked = match &handshake.initialize {
            Some((capabilities, _)) => AskedHooks::of_capabilities(capabilities, extension),
            None => AskedHooks::of_request(&handshake.cx, extension),
        };
        let (declarations, guidance) = (&self.hooks.declarations, &handshake.declarations);
        if declarations.is_empty() && guidance.is_empty() {
            return;
        }
        handshake.is_private |= asked.is_anywhere() && !declarations.is_empty();
        if !handshake.by_wire && !self.warned.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                target: "hooks_sdk::server",
                "this transport has no wire shim: before 2026-07-28 the SDK does not see a client's \
                 `capabilities.hooks`, and it declares hooks in `experimental.hooks` only. On a byte stream, use \
                 `hooks_sdk::stdio()` or a `WireTransport`; over HTTP, use `http::Server` or the layer \
                 `http::TransportLayer`. They support both"
            );
        }
        let (by_wire, capabilities) = (handshake.by_wire, &mut handshake.capabilities);
        (self.places).declare(declarations, guidance, &asked, by_wire, capabilities);
        if asked.is_anywhere() && self.tools.iter().next().is_some() {
            capabilities.tools.get_or_insert_default();
        }
    }

    /// Returns the problems between the hooks and the author's tools.
    pub(in crate::server) fn problems(&self, author: &dyn Author) -> Vec<BuildError> {
        tools::problems(&self.hooks.registry, |name| author.tool(name))
    }

    /// Returns the tools of answering hooks.
    pub(in crate::server) fn served(&self) -> impl Iterator<Item = &Tool> {
        self.tools.iter()
    }

    /// Returns whether the client of this request sees these tools in a list.
    pub(in crate::server) fn lists_to(&self, cx: &RequestContext<RoleServer>) -> bool {
        AskedHooks::of_request(cx, self.places.extension.as_deref()).is_anywhere()
    }

    /// Runs an answering hook. Returns `None` if the request calls none.
    pub(in crate::server) async fn run(
        &self,
        asked: McpRequest,
        server: &(dyn Any + Send + Sync),
    ) -> Option<CallToolResult> {
        let McpRequest::CallTool(asked) = asked else {
            return None;
        };
        let hook = self.tools.answering(&asked.name)?;
        let arguments = asked.arguments.unwrap_or_default();
        Some(tools::call(hook, arguments, server).await)
    }
}
