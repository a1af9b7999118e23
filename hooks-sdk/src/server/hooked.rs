//! A server with its hooks.

use std::{
    fmt,
    sync::{Arc, atomic::Ordering},
};

use futures::{FutureExt, future::BoxFuture};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, Extensions, ServerCapabilities, ServerConfig, Tool,
    },
    service::RequestContext,
};

use super::{
    collect::Hooks,
    door::transport::Wire,
    rooms::gate::{Connection, Gate, Gated},
    rooms::guidance::{Around, Greeting, Guide, Guided},
    rooms::lifecycle::capability::{Asked, Places},
    rooms::mcpl::Mcpl,
    rooms::observer::Observer,
};
use crate::core::{
    BuildError, BuildErrors, Failure, Registry,
    dispatch::{catch_panic, catch_panic_now},
};

/// The gate and the guidance that a call passes, as far as the server has them.
type Stations<'h> = (Option<&'h Gate>, Option<&'h Arc<Guide>>);

/// The server `H` with its hooks: an rmcp server that declares and answers them.
///
/// A handle: clones share the server. What a hook or the server does, a request is answered: a panic in
/// a tool, prompt or resource becomes an internal error.
pub struct Hooked<H> {
    pub(super) server: Arc<H>,
    pub(super) hooks: Arc<Hooks>,
    places: Places,
    pub(super) gated: Gated,
    pub(super) guided: Guided,
    pub(super) observer: Option<Observer>,
    pub(super) mcpl: Mcpl,
    /// Stands for the connection where no wire shim tells one; each clone of the handle has its own.
    pub(super) connection: Arc<Connection>,
}

impl<H: ServerHandler> Hooked<H> {
    pub(super) fn new(server: H, hooks: Arc<Hooks>, mcpl: Mcpl) -> Hooked<H> {
        Hooked {
            server: Arc::new(server),
            hooks,
            places: Places::default(),
            gated: Gated::No,
            guided: Guided::No,
            observer: None,
            mcpl,
            connection: Connection::new(None),
        }
    }

    /// Declares the hooks in `experimental.hooks` also to clients that declared no support for them,
    /// for hosts on the path that SEP-2282 calls the prototype path.
    #[must_use]
    pub fn declare_unasked(mut self) -> Hooked<H> {
        self.places.unasked = true;
        self
    }

    /// Speaks the extension `<prefix>/hooks` as well, under a reversed domain that the author owns.
    ///
    /// # Errors
    ///
    /// A prefix that is no reversed domain name, or one that MCP reserves.
    pub fn vendor(mut self, prefix: &str) -> Result<Hooked<H>, BuildErrors> {
        if let Some(problem) = prefix_problem(prefix) {
            let message = format!("`{prefix}` cannot be a vendor prefix: {problem}");
            return Err(BuildError::new(
                None,
                message,
                "use a domain that you own, reversed, such as `com.example`",
            )
            .into());
        }
        self.places.extension = Some(format!("{prefix}/hooks").into());
        Ok(self)
    }

    /// The server.
    pub fn server(&self) -> &H {
        &self.server
    }

    /// The hooks.
    pub fn registry(&self) -> &Registry {
        &self.hooks.registry
    }

    /// Whether hooks are declared also to clients that declared no support for them.
    pub(super) fn declares_unasked(&self) -> bool {
        self.places.unasked
    }

    /// The author's configuration of the server; an error when the author's function panics.
    pub(super) fn info(&self) -> Result<ServerConfig, ErrorData> {
        self.ask("get_info", || self.server.get_info())
    }

    /// Asks the author's server what takes no time; a panic is an internal error.
    pub(super) fn ask<T>(&self, method: &str, answer: impl FnOnce() -> T) -> Result<T, ErrorData> {
        catch_panic_now(answer).map_err(|failure| failed(method, &failure))
    }

    pub(super) fn extension(&self) -> Option<&str> {
        self.places.extension.as_deref()
    }

    pub(super) fn declare(
        &self,
        asked: &Asked,
        lift: bool,
        greeting: &Greeting,
        capabilities: &mut ServerCapabilities,
    ) {
        self.declare_tools(capabilities);
        if let Guided::Yes(guide) = &self.guided {
            guide.declare(capabilities);
        }
        if let Gated::Yes(_) = &self.gated {
            capabilities.completions.get_or_insert_default();
        }
        let guidance = &greeting.declarations;
        if self.hooks.declarations.is_empty() && guidance.is_empty() {
            return;
        }
        if !lift && !self.hooks.warned.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                "this transport has no wire shim: before 2026-07-28 a client's `capabilities.hooks` is not seen, \
                 and hooks are declared in `experimental.hooks` only; over HTTP this is as it should be, and a byte \
                 stream has both with `hooks_sdk::stdio()` or a `WireTransport`"
            );
        }
        self.places.declare(
            &self.hooks.declarations,
            guidance,
            asked,
            lift,
            capabilities,
        );
        if asked.is_anywhere() && !self.hooks.tools.is_empty() {
            capabilities.tools.get_or_insert_default();
        }
    }

    /// Declares tools where the gate serves one.
    pub(super) fn declare_tools(&self, capabilities: &mut ServerCapabilities) {
        if let Gated::Yes(gate) = &self.gated
            && gate.served_tool().is_some()
        {
            capabilities.tools.get_or_insert_default();
        }
    }

    /// The funnel: answers a request whatever the server does.
    ///
    /// Boxed: rmcp moves the future of a request several times, and this one holds the author's.
    pub(super) fn answer<'a, T: 'a>(
        &'a self,
        method: &'a str,
        request: impl Future<Output = Result<T, ErrorData>> + Send + 'a,
    ) -> BoxFuture<'a, Result<T, ErrorData>> {
        let answer = catch_panic(request)
            .map(move |answer| answer.unwrap_or_else(|failure| Err(failed(method, &failure))));
        answer.boxed()
    }

    /// The gate and the guidance that a call passes, with what MCPL makes of the call put where its tool finds it.
    pub(super) fn stations(
        &self,
        context: &mut RequestContext<RoleServer>,
    ) -> Result<Stations<'_>, ErrorData> {
        let (gate, guide) = (self.gate()?, self.guide()?);
        if gate.is_none() || guide.is_none() {
            self.ask_less(&context.extensions);
        }
        self.carry_call(context);
        Ok((gate, guide))
    }

    pub(super) async fn run_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
        around: Option<&Around>,
    ) -> Result<CallToolResponse, ErrorData> {
        if let Some(around) = around {
            let arguments = request.arguments.as_ref();
            let served = around.serve(&request.name, arguments);
            if let Some(result) = Box::pin(served).await {
                return Ok(result.into());
            }
        }
        self.run_own_tool(request, context).await
    }

    /// A tool of the author's or of the guidance.
    pub(super) fn own_tool(&self, name: &str) -> Option<Tool> {
        let of_guidance = || match &self.guided {
            Guided::Yes(guide) => guide.tool(name),
            Guided::No | Guided::Broken(_) => None,
        };
        let own = self.ask("get_tool", || self.server.get_tool(name));
        own.ok().flatten().or_else(of_guidance)
    }

    /// Whether a handshake came through the shim, which then learns whether to keep the order of calls.
    pub(super) fn came_by_wire(&self, handshake: &Extensions) -> bool {
        let wire = handshake.get::<Wire>();
        self.ask_less(handshake);
        wire.is_some()
    }

    pub(super) async fn note(&self, method: &str, notification: impl Future<Output = ()>) {
        if let Err(failure) = catch_panic(notification).await {
            tracing::error!(method, error = %failure, "a notification was not handled");
        }
    }
}

impl<H> Clone for Hooked<H> {
    fn clone(&self) -> Hooked<H> {
        Hooked {
            server: self.server.clone(),
            hooks: self.hooks.clone(),
            places: self.places.clone(),
            gated: self.gated.clone(),
            guided: self.guided.clone(),
            observer: self.observer.clone(),
            mcpl: self.mcpl.clone(),
            connection: Connection::new(None),
        }
    }
}

impl<H> fmt::Debug for Hooked<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hooked")
            .field("registry", &self.hooks.registry)
            .field("places", &self.places)
            .field("gated", &self.gated)
            .field("guided", &self.guided)
            .finish_non_exhaustive()
    }
}

/// The answer in place of one that the author's server did not give.
fn failed(method: &str, failure: &Failure) -> ErrorData {
    tracing::error!(method, error = %failure, "the server did not answer");
    let message = format!("the server failed while it answered `{method}`; its log says why");
    ErrorData::internal_error(message, None)
}

fn prefix_problem(prefix: &str) -> Option<&'static str> {
    let labels: Vec<&str> = prefix.split('.').collect();
    let is_label = |label: &&str| {
        label.starts_with(|first: char| first.is_ascii_alphabetic())
            && label.ends_with(|last: char| last.is_ascii_alphanumeric())
            && label
                .chars()
                .all(|each| each.is_ascii_alphanumeric() || each == '-')
    };
    if labels.len() < 2 || !labels.iter().all(is_label) {
        Some("it is no reversed domain name")
    } else if matches!(labels[1], "mcp" | "modelcontextprotocol") {
        Some("MCP reserves it")
    } else {
        None
    }
}
