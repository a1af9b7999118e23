//! Hooks at the six events of an agent's session: their declarations, and the tools of answering hooks.

mod tools;

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use futures::future::BoxFuture;
use rmcp::{ErrorData, RoleServer, service::RequestContext};

use tools::HookTools;

use crate::server::{
    capability::{DeclaredPlaces as AskedHooks, Places},
    collect::ServerHooks,
    pipeline::{
        Author, AuthorRequest, Handshake, McpRequest, McpResponse, Middleware, MiddlewareId,
        OptionalTraits, Pipeline, Provider, Served, Visibility, Work,
    },
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

    fn declare_in(&self, handshake: &mut Handshake) {
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
        let capabilities = &mut handshake.capabilities;
        self.places.declare(
            declarations,
            guidance,
            &asked,
            handshake.by_wire,
            capabilities,
        );
        if asked.is_anywhere() && !self.tools.is_empty() {
            capabilities.tools.get_or_insert_default();
        }
    }
}

impl Middleware for Lifecycle {
    fn id(&self) -> MiddlewareId {
        MiddlewareId::Lifecycle
    }

    fn optional(self: Arc<Self>) -> OptionalTraits {
        OptionalTraits {
            provider: Some(self),
            ..OptionalTraits::default()
        }
    }

    fn validate(&self, author: &dyn Author) -> Vec<BuildError> {
        tools::problems(&self.hooks.registry, |name| author.tool(name))
    }

    fn on_handshake<'a>(&'a self, handshake: &'a mut Handshake, _: &'a Pipeline) -> Work<'a, ()> {
        self.declare_in(handshake);
        Work::Now(())
    }
}

impl Provider for Lifecycle {
    fn served(&self) -> Vec<Served> {
        let tools = self.tools.iter().cloned();
        let served = |tool| Served {
            tool,
            answers_hook: true,
        };
        tools.map(served).collect()
    }

    fn lists_to(&self, cx: &RequestContext<RoleServer>) -> Visibility {
        match AskedHooks::of_request(cx, self.places.extension.as_deref()).is_anywhere() {
            true => Visibility::ToThisClient,
            false => Visibility::Hidden,
        }
    }

    fn run<'a>(
        &'a self,
        request: AuthorRequest,
        pipeline: &'a Pipeline,
    ) -> BoxFuture<'a, Result<McpResponse, ErrorData>> {
        Box::pin(async move {
            let McpRequest::CallTool(asked) = request.asked else {
                return Err(ErrorData::internal_error("hooks serve tools only", None));
            };
            let Some(hook) = self.tools.answering(&asked.name) else {
                return Err(ErrorData::internal_error("no hook serves this tool", None));
            };
            let arguments = asked.arguments.unwrap_or_default();
            let result = tools::call(hook, arguments, &**pipeline.author()).await;
            Ok(McpResponse::CallTool(result.into()))
        })
    }
}
