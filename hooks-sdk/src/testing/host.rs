//! The host under a test's control.

use std::{
    fmt, io,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use futures::future::BoxFuture;
use serde_json::{Map, Value, json};
use thiserror::Error;
use tokio::io::{AsyncRead, AsyncWrite};

use super::{
    client::{client_info, object},
    connection::{Connection, RequestError, Settings},
    frame::Frame,
    serve::serve,
    tools::{SESSION, ToolAnswer, all_tools, session_of},
};
use crate::{
    core::HookError,
    lifecycle::{
        self, Declaration, Event, Occasion,
        host::{ContextTools, Policy, Report},
    },
    server::ServerHandler,
};

/// The revision from which on MCP is stateless.
const STATELESS: &str = "2026-07-28";

/// What the host calls the server, which is what a report of fired hooks names.
const NAME: &str = "server";

/// A host connected to one server.
///
/// It speaks whichever generation of MCP it was told to, and does what SEP-2282 asks of a client.
pub struct Host {
    connection: Connection,
    version: String,
    capabilities: Value,
    handshake: Value,
    hooks: lifecycle::host::Host,
    carries_session: bool,
    /// The handle that the server returned last.
    session: Mutex<Option<String>>,
}

/// A host that is not connected yet.
#[derive(Clone, Debug)]
pub struct HostBuilder {
    version: String,
    capabilities: Value,
    timeout: Duration,
    shim: bool,
    carries_session: bool,
    name: String,
    policy: Policy,
}

/// Why a host could not connect.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// The handshake was refused or not answered.
    #[error("the handshake failed: {0}")]
    Handshake(#[from] RequestError),
    /// The server did not take the policy of an MCPL host.
    #[cfg(feature = "mcpl")]
    #[error("the server did not take the policy: {0}")]
    Policy(#[from] super::mcpl::CallError),
    /// The stream failed.
    #[error("the stream failed: {0}")]
    Stream(#[from] io::Error),
}

impl Host {
    /// Connects to `server` on 2025-11-25, declaring support for all six lifecycle events.
    ///
    /// # Errors
    ///
    /// The handshake's failure.
    pub async fn connect(server: impl ServerHandler) -> Result<Host, ConnectError> {
        Host::builder().connect(server).await
    }

    /// A host to be configured first.
    pub fn builder() -> HostBuilder {
        HostBuilder {
            version: "2025-11-25".to_owned(),
            capabilities: json!({"hooks": {"supported_events": Event::ALL}}),
            timeout: Duration::from_secs(30),
            shim: true,
            carries_session: true,
            name: NAME.to_owned(),
            policy: Policy::default().trusting(NAME),
        }
    }

    /// Returns the result of `initialize` or `server/discover`, as it stood on the wire.
    pub fn handshake(&self) -> &Value {
        &self.handshake
    }

    /// Returns the declarations that the server made, wherever it made them; malformed ones are left out.
    ///
    /// Looked for at the top level of its capabilities, then in `experimental.hooks`, then in an
    /// extension whose id ends in `/hooks`.
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

    /// Fires an event: runs matchers and templates, calls context tools, and reports what an agent would see.
    ///
    /// The policy trusts the server unless [`HostBuilder::policy`] says otherwise.
    pub async fn fire(&self, occasion: Occasion) -> Report {
        self.hooks.fire(&occasion, self, Instant::now()).await
    }

    /// Sends a request and awaits its result.
    ///
    /// On the stateless generation the metadata that every request carries there is added, and the handle of
    /// the session that the server returned last, unless the request names one in its `_meta`.
    ///
    /// # Errors
    ///
    /// The server's error, or that no answer came.
    pub async fn request(&self, method: &str, params: Value) -> Result<Value, RequestError> {
        let params = self.with_metadata(params);
        let result = self.connection.request(method, params).await?;
        if let Some(session) = session_of(&result) {
            let mut kept = self.session.lock().unwrap_or_else(PoisonError::into_inner);
            *kept = Some(session.to_owned());
        }
        Ok(result)
    }

    /// Sends a notification.
    ///
    /// # Errors
    ///
    /// The stream's failure.
    pub async fn notify(&self, method: &str, params: Value) -> io::Result<()> {
        self.connection.notify(method, object(params)).await
    }

    /// Sends one line as it is, for testing what a malformed message does.
    ///
    /// # Errors
    ///
    /// The stream's failure.
    pub async fn send_line(&self, line: &[u8]) -> io::Result<()> {
        self.connection.send_line(line).await
    }

    /// Returns the tools the server lists, over all pages.
    ///
    /// # Errors
    ///
    /// As [`request`](Host::request).
    pub async fn list_tools(&self) -> Result<Vec<Value>, RequestError> {
        all_tools(|params| self.request("tools/list", params)).await
    }

    /// Calls a tool.
    ///
    /// # Errors
    ///
    /// As [`request`](Host::request); a tool's own failure is a [`ToolAnswer`].
    pub async fn call_tool(
        &self,
        name: &str,
        arguments: Value,
    ) -> Result<ToolAnswer, RequestError> {
        let params = json!({"name": name, "arguments": arguments});
        self.request("tools/call", params)
            .await
            .map(ToolAnswer::new)
    }

    /// Every message of the connection so far, in the order in which this host saw them.
    pub fn frames(&self) -> Vec<Frame> {
        self.connection.frames()
    }

    /// Ends the host's side of the stream, as a client that goes away does.
    ///
    /// # Errors
    ///
    /// The stream's failure.
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
                let kept = self.session.lock().unwrap_or_else(PoisonError::into_inner);
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

impl ContextTools for Host {
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

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host")
            .field("version", &self.version)
            .field("handshake", &self.handshake)
            .finish_non_exhaustive()
    }
}

impl HostBuilder {
    /// The protocol version to speak: from `2026-07-28` on by `server/discover`, before by `initialize`.
    #[must_use]
    pub fn version(mut self, version: impl Into<String>) -> HostBuilder {
        self.version = version.into();
        self
    }

    /// The client capabilities to declare, as raw JSON.
    #[must_use]
    pub fn capabilities(mut self, capabilities: Value) -> HostBuilder {
        self.capabilities = capabilities;
        self
    }

    /// How long to wait for each answer; 30 s unless told.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> HostBuilder {
        self.timeout = timeout;
        self
    }

    /// Serves the server on rmcp's own stream transport, to see what it does without the wire shim.
    #[must_use]
    pub fn without_shim(mut self) -> HostBuilder {
        self.shim = false;
        self
    }

    /// Carries no session handle by itself, as a client does whose model forgets it.
    ///
    /// Otherwise a host of 2026-07-28 sends the handle that the server returned last with every request.
    #[must_use]
    pub fn without_session_handle(mut self) -> HostBuilder {
        self.carries_session = false;
        self
    }

    /// What the host calls the server; it is then the server that the default policy trusts.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> HostBuilder {
        self.name = name.into();
        self.policy = self.policy.trusting(&*self.name);
        self
    }

    /// The policy by which declared hooks are used, in place of one that trusts the server.
    #[must_use]
    pub fn policy(mut self, policy: Policy) -> HostBuilder {
        self.policy = policy;
        self
    }

    /// Serves `server` in a task of its own and connects to it.
    ///
    /// # Errors
    ///
    /// The handshake's failure.
    pub async fn connect(self, server: impl ServerHandler) -> Result<Host, ConnectError> {
        let (read, write) = serve(server, self.shim);
        self.over(read, write).await
    }

    /// Connects to a server at the other end of a stream, such as a child process.
    ///
    /// # Errors
    ///
    /// The handshake's failure.
    pub async fn over(
        self,
        read: impl AsyncRead + Send + Unpin + 'static,
        write: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Result<Host, ConnectError> {
        let mut host = Host {
            connection: Connection::new(read, write, Settings::keeping_all(self.timeout), |_| {
                |_: &_| {}
            }),
            version: self.version,
            capabilities: self.capabilities,
            handshake: Value::Null,
            hooks: lifecycle::host::Host::new(self.policy),
            carries_session: self.carries_session,
            session: Mutex::default(),
        };
        host.shake_hands().await?;
        let declared = host.declared().clone();
        host.hooks.register(&self.name, &declared);
        Ok(host)
    }
}
