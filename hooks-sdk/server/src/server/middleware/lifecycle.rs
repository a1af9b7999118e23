//! Hooks at the six events of an agent's session: their declarations, and the tools of answering hooks.

use std::{any::Any, sync::Arc};

use rmcp::model::{CallToolResult, ContentBlock, Tool};

use crate::server::{
    McpContext,
    capability::{DeclaredPlaces, Places},
    collect::ServerHooks,
    connection::Flag,
    pipeline::{Author, Handshake, McpRequest},
};
use hooks_core::{BuildError, Hook, lifecycle::LifecycleHook};

/// The lifecycle hooks of a server.
#[derive(Debug)]
pub(crate) struct Lifecycle {
    hooks: Arc<ServerHooks>,
    places: Places,
    /// The answering hooks as tools, in registry order, so that no author writes a tool only for a hook.
    tools: Vec<(Hook, Tool)>,
    /// Whether the SDK has logged that this transport cannot declare hooks at the top level.
    warned: Flag,
}

impl Lifecycle {
    pub(crate) fn new(hooks: Arc<ServerHooks>, places: Places) -> Lifecycle {
        let all = hooks.registry.details::<LifecycleHook>();
        let tools = all.filter_map(|(hook, lifecycle)| {
            let served = lifecycle.served()?;
            let (name, about) = (hook.id().to_owned(), served.description().to_owned());
            let tool = Tool::new(name, about, Arc::new(served.input_schema()));
            Some((hook.clone(), tool))
        });
        Lifecycle {
            tools: tools.collect(),
            hooks,
            places,
            warned: Flag::default(),
        }
    }

    /// Declares the hooks in a handshake.
    pub(crate) fn declare_in(&self, handshake: &mut Handshake) {
        let extension = self.places.extension.as_deref();
        let asked = handshake.declared(extension);
        let (declarations, guidance) = (&self.hooks.declarations, &handshake.declarations);
        if declarations.is_empty() && guidance.is_empty() {
            return;
        }
        handshake.is_private |= asked.is_anywhere() && !declarations.is_empty();
        if !handshake.by_wire && !self.warned.swap() {
            warn!(
                "this transport has no wire shim: before 2026-07-28 the SDK does not see a client's \
                 `capabilities.hooks`, and it declares hooks in `experimental.hooks` only. On a byte stream, use \
                 `hooks_sdk::stdio()` or a `WireTransport`; over HTTP, use `http::Server`. They support both"
            );
        }
        let (by_wire, capabilities) = (handshake.by_wire, &mut handshake.capabilities);
        (self.places).declare(declarations, guidance, &asked, by_wire, capabilities);
        if asked.is_anywhere() && !self.tools.is_empty() {
            capabilities.tools.get_or_insert_default();
        }
    }

    /// Returns the problems between the hooks and the author's tools.
    pub(crate) fn problems(&self, author: &dyn Author) -> Vec<BuildError> {
        let mut problems = Vec::new();
        for (hook, lifecycle) in self.hooks.registry.details::<LifecycleHook>() {
            if lifecycle.served().is_some() {
                if author.tool(hook.id()).is_some() {
                    problems.push(BuildError::new(
                        hook.origin(),
                        format!("the hook `{0}` is served as a tool, and the server has a tool `{0}` of its own", hook.id()),
                        "rename one of them, or give the hook another `id = \"…\"`",
                    ));
                }
            } else if let Some(name) = lifecycle.context_tool()
                && author.tool(name).is_none()
            {
                problems.push(BuildError::new(
                    hook.origin(),
                    format!("the context tool `{name}` of the hook `{}` is unknown to `get_tool` of this server", hook.id()),
                    "name one of its tools; a handler written by hand must implement `get_tool`, which `#[tool_handler]` writes",
                ));
            }
        }
        problems
    }

    /// Returns the tools of answering hooks.
    pub(crate) fn served(&self) -> impl Iterator<Item = &Tool> {
        self.tools.iter().map(|(_, tool)| tool)
    }

    /// Returns whether the client of this request sees these tools in a list.
    pub(crate) fn lists_to(&self, cx: &McpContext) -> bool {
        DeclaredPlaces::of_request(cx, self.places.extension.as_deref()).is_anywhere()
    }

    /// Runs an answering hook. If the hook fails, returns a tool error that describes the failure. Returns `None` if the request
    /// calls no hook.
    pub(crate) async fn run(
        &self,
        asked: McpRequest,
        server: &(dyn Any + Send + Sync),
    ) -> Option<CallToolResult> {
        let McpRequest::CallTool(asked) = asked else {
            return None;
        };
        let (hook, _) = (self.tools.iter()).find(|(_, tool)| tool.name == asked.name)?;
        let hook = hook.detail::<LifecycleHook>()?.served()?;
        let arguments = asked.arguments.unwrap_or_default();
        let answer = hook.answer(server, arguments).await.map_err(|failure| {
            let name = hook.name();
            format!("the hook `{name}` gave no text: {}", failure.for_peer())
        });
        Some(match answer {
            Ok(text) => CallToolResult::success(vec![ContentBlock::text(text)]),
            Err(problem) => CallToolResult::error(vec![ContentBlock::text(problem)]),
        })
    }
}
