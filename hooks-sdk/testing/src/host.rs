//! The host that a test controls.

use std::{
    fmt, io,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use futures::future::BoxFuture;
use serde_json::{Map, Value, json};
use tokio::io::{AsyncRead, AsyncWrite};

use hooks_core::{
    HookError,
    internal::{lock, setters},
    lifecycle::{
        self, Declaration, Event, Occasion,
        host::{ClientControls, ContextTools, Report},
    },
};
use hooks_server::{internal::serve_in_memory, server::ServerHandler};

use crate::{
    connection::{
        ConnectError, ConnectionSettings, Frame, RequestError, SESSION, ServerConnection,
        ToolAnswer, all_tools, client_info, object, session_of,
    },
    user::AnswerUser,
};

/// The first stateless revision of MCP.
const STATELESS: &str = "2026-07-28";

/// The host's name for the server, which a report names.
const NAME: &str = "server";

/// A host connected to one server.
///
/// It speaks the configured generation of MCP, and implements the client's side of SEP-2282.
///
/// ```standalone_crate
/// use hooks_sdk::{
///     lifecycle::{Event, Occasion, Variables},
///     prelude::*,
///     testing::TestHost,
/// };
/// # use hooks_sdk::rmcp::ServerHandler;
/// # struct Notes;
/// # impl ServerHandler for Notes {}
///
/// #[lifecycle::hook(session_end, strength = suggestion, text = "Is there something worth a note?", server = Notes)]
/// struct LastCall;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let host = TestHost::connect(Notes.with_hooks()?).await?;
/// let report = host.fire(Occasion::new(Event::SessionEnd, Variables::new())).await;
/// assert_eq!(report.injected[0].text, "Is there something worth a note?");
/// # Ok(())
/// # }
/// ```
pub struct TestHost {
    connection: ServerConnection,
    version: String,
    capabilities: Value,
    handshake: Value,
    hooks: lifecycle::host::LifecycleHost,
    carries_session: bool,
    /// The last handle that the server returned.
    session: Mutex<Option<String>>,
    pub(super) user: Option<AnswerUser>,
}

/// A host that is not connected yet.
#[derive(Clone, Debug)]
pub struct TestHostBuilder {
    version: String,
    pub(super) capabilities: Value,
    timeout: Duration,
    shim: bool,
    carries_session: bool,
    name: String,
    policy: ClientControls,
    pub(super) user: Option<AnswerUser>,
}

impl TestHost {
    /// Connects to `server` on 2025-11-25, and declares support for all six lifecycle events.
    ///
    /// # Errors
    ///
    /// The handshake failed.
    pub async fn connect(server: impl ServerHandler) -> Result<TestHost, ConnectError> {
        TestHost::builder().connect(server).await
    }

    /// Returns a builder, to configure a host.
    pub fn builder() -> TestHostBuilder {
        TestHostBuilder {
            version: "2025-11-25".to_owned(),
            capabilities: json!({"hooks": {"supported_events": Event::ALL}}),
            timeout: Duration::from_secs(30),
            shim: true,
            carries_session: true,
            name: NAME.to_owned(),
            policy: ClientControls::default(),
            user: None,
        }
    }

    /// Returns the result of `initialize` or `server/discover`, as on the wire.
    pub fn handshake(&self) -> &Value {
        &self.handshake
    }

    /// Returns the server's declarations, without malformed ones.
    ///
    /// Searches the top level of the capabilities, then `experimental.hooks`, then an extension whose id ends in
    /// `/hooks`.
    pub fn declarations(&self) -> Vec<Declaration> {
        let declared = self.declared()["declarations"].as_array();
        let read = |declaration: &Value| serde_json::from_value(declaration.clone()).ok();
        declared.into_iter().flatten().filter_map(read).collect()
    }

    fn declared(&self) -> &Value {
        let capabilities = &self.handshake["capabilities"];
        let extension = capabilities["extensions"]
            .as_object()
            .and_then(|extensions| {
                extensions
                    .iter()
                    .find(|(id, _)| id.ends_with("/hooks"))
                    .map(|(_, settings)| settings)
            });
        let experimental = capabilities["experimental"].get("hooks");
        capabilities
            .get("hooks")
            .or(experimental)
            .or(extension)
            .unwrap_or(&Value::Null)
    }

    /// Fires an event: runs matchers and templates, calls context tools, and returns the report.
    pub async fn fire(&self, occasion: Occasion) -> Report {
        self.hooks.fire(&occasion, self, Instant::now()).await
    }

    /// Sends a request and awaits its result.
    ///
    /// On the stateless generation, adds the metadata of every request, and the last session handle that the server
    /// returned, unless the request's `_meta` has one.
    ///
    /// # Errors
    ///
    /// The server answered with an error, or no answer arrived.
    pub async fn request(&self, method: &str, params: Value) -> Result<Value, RequestError> {
        let params = self.with_metadata(params);
        let result = self.connection.request(method, params).await?;
        if let Some(session) = session_of(&result) {
            let mut kept = lock(&self.session);
            *kept = Some(session.to_owned());
        }
        Ok(result)
    }

    /// Sends a notification.
    ///
    /// # Errors
    ///
    /// The stream failed.
    pub async fn notify(&self, method: &str, params: Value) -> io::Result<()> {
        self.connection.notify(method, object(params)).await
    }

    /// Sends one line unchanged, to test malformed messages.
    ///
    /// # Errors
    ///
    /// The stream failed.
    pub async fn send_line(&self, line: &[u8]) -> io::Result<()> {
        self.connection.send_line(line).await
    }

    /// Returns the tools that the server lists, of all pages.
    ///
    /// # Errors
    ///
    /// Like [`request`](TestHost::request).
    pub async fn list_tools(&self) -> Result<Vec<Value>, RequestError> {
        all_tools(|params| self.request("tools/list", params)).await
    }

    /// Calls a tool.
    ///
    /// # Errors
    ///
    /// Like [`request`](TestHost::request); a tool's own failure is a [`ToolAnswer`].
    pub async fn call_tool(
        &self,
        name: &str,
        arguments: Value,
    ) -> Result<ToolAnswer, RequestError> {
        let params = json!({"name": name, "arguments": arguments});
        self.ask("tools/call", params).await.map(ToolAnswer::new)
    }

    /// Every message of the connection so far, in the order in which this host saw them.
    pub fn frames(&self) -> Vec<Frame> {
        self.connection.frames()
    }

    /// Ends the host's side of the stream, like a client that disconnects.
    ///
    /// # Errors
    ///
    /// The stream failed.
    pub async fn close(&self) -> io::Result<()> {
        self.connection.close().await
    }

    fn with_metadata(&self, params: Value) -> Map<String, Value> {
        let mut params = object(params);
        if self.version.as_str() >= STATELESS {
            let meta = params.entry("_meta").or_insert_with(|| json!({}));
            if let Value::Object(meta) = meta {
                for (key, value) in [
                    ("protocolVersion", json!(self.version)),
                    ("clientInfo", client_info()),
                    ("clientCapabilities", self.capabilities.clone()),
                ] {
                    meta.entry(format!("io.modelcontextprotocol/{key}"))
                        .or_insert(value);
                }
                let kept = lock(&self.session);
                if let (true, Some(session)) = (self.carries_session, &*kept) {
                    meta.entry(SESSION).or_insert_with(|| json!(session));
                }
            }
        }
        params
    }

    async fn shake_hands(&mut self) -> Result<(), ConnectError> {
        if self.version.as_str() >= STATELESS {
            self.handshake = self.request("server/discover", json!({})).await?;
            return Ok(());
        }
        let params = json!({
            "protocolVersion": self.version,
            "capabilities": self.capabilities,
            "clientInfo": client_info(),
        });
        self.handshake = self.request("initialize", params).await?;
        self.notify("notifications/initialized", json!({})).await?;
        Ok(())
    }
}

impl ContextTools for TestHost {
    fn call<'a>(
        &'a self,
        _server: &'a str,
        tool: &'a str,
        args: Map<String, Value>,
    ) -> BoxFuture<'a, Result<String, HookError>> {
        Box::pin(async move {
            let answer = self.call_tool(tool, Value::Object(args)).await?;
            if answer.is_error() {
                Err(HookError::new(answer.text()))
            } else {
                Ok(answer.text())
            }
        })
    }
}

impl fmt::Debug for TestHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host")
            .field("version", &self.version)
            .field("handshake", &self.handshake)
            .finish_non_exhaustive()
    }
}

impl TestHostBuilder {
    setters! {
        /// Sets the protocol version: from `2026-07-28` on with `server/discover`, before with `initialize`.
        fn version(mut self, version: impl Into<String>) { self.version = version.into() }

        /// Sets the client capabilities, as raw JSON.
        fn capabilities(mut self, capabilities: Value) { self.capabilities = capabilities }

        /// Sets the time-out of each answer. Default: 30 s.
        fn timeout(mut self, timeout: Duration) { self.timeout = timeout }

        /// Serves the server on rmcp's own stream transport, to test it without the wire shim.
        fn without_shim(mut self) { self.shim = false }

        /// Sends no session handle by itself, like a client whose model forgets the handle.
        ///
        /// By default, a host of 2026-07-28 sends the last handle that the server returned with every request.
        fn without_session_handle(mut self) { self.carries_session = false }

        /// Sets the host's name for the server.
        fn name(mut self, name: impl Into<String>) { self.name = name.into() }

        /// Sets the policy for declared hooks.
        fn controls(mut self, policy: ClientControls) { self.policy = policy }
    }

    /// Serves `server` in a task of its own and connects to it.
    ///
    /// # Errors
    ///
    /// The handshake failed.
    pub async fn connect(self, server: impl ServerHandler) -> Result<TestHost, ConnectError> {
        let (read, write) = serve_in_memory(server, self.shim);
        self.over(read, write).await
    }

    /// Connects to a server at the other end of a stream, such as a child process.
    ///
    /// # Errors
    ///
    /// The handshake failed.
    pub async fn over(
        self,
        read: impl AsyncRead + Send + Unpin + 'static,
        write: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Result<TestHost, ConnectError> {
        let (user, settings) = (
            self.user.clone(),
            ConnectionSettings::keeping_all(self.timeout),
        );
        let mut host = TestHost {
            connection: ServerConnection::new(read, write, settings, |line| {
                let line = Arc::downgrade(line);
                move |message: &Value| {
                    if let (Some(user), Some(line)) = (&user, line.upgrade()) {
                        user.hear(&line, message);
                    }
                }
            }),
            version: self.version,
            capabilities: self.capabilities,
            handshake: Value::Null,
            hooks: lifecycle::host::LifecycleHost::new(self.policy),
            carries_session: self.carries_session,
            session: Mutex::default(),
            user: self.user,
        };
        host.shake_hands().await?;
        let declared = host.declared().clone();
        host.hooks.register(&self.name, &declared);
        Ok(host)
    }
}
