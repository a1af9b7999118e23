//! The settings of a guardian that is served over HTTP.

use std::time::Duration;

use axum::Router;

use crate::Guardian;
use hooks_core::internal::{debugs, setters};
use hooks_http::{
    bearer::Tokens,
    error::HttpError,
    hosts::{Hosts, Origins},
    probe::ALIVE,
    settings::{check_counts, check_path},
};

/// Serves a guardian over HTTP: JSON-RPC in the body of each POST. It needs no MCP server.
///
/// ```no_run,standalone_crate
/// use std::convert::Infallible;
///
/// use hooks_sdk::{
///     aos::{self, StepInfo, Guardian, ToolCallRequest},
///     core::{Verdict, Violation},
///     http::GuardianServer,
/// };
///
/// struct Office;
///
/// #[hooks_sdk::hooks]
/// impl Office {
///     #[aos::hook(tool_call_request)]
///     async fn no_shell(&self, call: &ToolCallRequest, _asked: &StepInfo) -> Verdict<Infallible> {
///         match &*call.tool_id {
///             "shell" => Verdict::Deny(Violation::new("no shell here")),
///             _ => Verdict::Allow,
///         }
///     }
/// }
///
/// # async fn run(token: String) -> Result<(), Box<dyn std::error::Error>> {
/// let server = GuardianServer::new(Guardian::of(Office)).bearer(token);
/// server.serve("127.0.0.1:8787").await?;
/// # Ok(())
/// # }
/// ```
///
/// Beside the path of the guardian it answers `/healthz` (200 while the process runs). TLS is the matter of a proxy in
/// front of it.
///
/// | status | when |
/// |---|---|
/// | 200 | every JSON-RPC answer: a decision or an error |
/// | 400, 403 | the host or the origin of the request is not allowed |
/// | 401 | the bearer token is missing or wrong |
/// | 405 | the method is not POST |
/// | 408, 413 | the body takes too long, or is too large |
/// | 415 | the content type is not `application/json` |
/// | 503 | too many requests at once, or the guardian is stopping |
#[must_use]
pub struct GuardianServer {
    pub(super) guardian: Guardian,
    pub(super) path: String,
    pub(super) hosts: Result<Hosts, HttpError>,
    pub(super) origins: Result<Origins, HttpError>,
    pub(super) tokens: Tokens,
    pub(super) max_body: usize,
    pub(super) body_timeout: Duration,
    pub(super) max_requests: usize,
    pub(super) max_connections: usize,
    pub(super) beside: Router,
}

impl GuardianServer {
    /// Serves `guardian` with the default settings.
    pub fn new(guardian: Guardian) -> GuardianServer {
        GuardianServer {
            guardian,
            path: "/aos".to_owned(),
            hosts: Ok(Hosts::loopback()),
            origins: Ok(Origins::loopback()),
            tokens: Tokens::default(),
            max_body: 4 * 1024 * 1024,
            body_timeout: Duration::from_secs(10),
            max_requests: 1024,
            max_connections: 10_000,
            beside: Router::new(),
        }
    }

    setters! {
        /// Sets the path of the guardian. Default: `/aos`.
        fn path(mut self, path: impl Into<String>) { self.path = path.into() }

        /// Sets the hosts that a request may name in `Host`. An entry is `name` for any port, or `name:port`. Default:
        /// `localhost`, `127.0.0.1` and `::1`.
        ///
        /// This check keeps web pages from reaching a guardian on the user's computer under a name of theirs. `/healthz` also
        /// answers to every IP address.
        fn hosts<T: AsRef<str>>(mut self, hosts: impl IntoIterator<Item = T>) { self.hosts = Hosts::of(hosts) }

        /// Sets the web origins that may send requests. An entry is `https://name`, with `:port` or `:*` (any port) behind
        /// it, or `null`. Default: `localhost`, `127.0.0.1` and `[::1]` with `http` and `https` on any port.
        ///
        /// A request without `Origin` passes: it does not come from a web page.
        fn origins<T: AsRef<str>>(mut self, origins: impl IntoIterator<Item = T>) { self.origins = Origins::of(origins) }

        /// Adds a token, and refuses every request that sends none of the tokens in `Authorization: Bearer …`. Default: no
        /// token, and no check.
        fn bearer(mut self, token: impl AsRef<str>) { self.tokens.add(token.as_ref()) }

        /// Sets the largest body of a request, in bytes. Default: 4 MiB.
        fn max_body(mut self, bytes: usize) { self.max_body = bytes }

        /// Sets the time in which the whole body of a request has to arrive. Default: 10 seconds.
        fn body_timeout(mut self, timeout: Duration) { self.body_timeout = timeout }

        /// Sets the largest number of requests that are answered at the same time. A further request is refused with 503.
        /// Default: 1,024.
        fn max_requests(mut self, requests: usize) { self.max_requests = requests }

        /// Sets the largest number of open connections. Further ones wait to be accepted. Default: 10,000.
        fn max_connections(mut self, connections: usize) { self.max_connections = connections }

        /// Adds routes beside the path of the guardian, such as a page for the operator.
        ///
        /// A request to them passes the check of the host and, if [`bearer`](GuardianServer::bearer) sets tokens, that of the
        /// token. A browser may send the token as the password of `Authorization: Basic`, with any name, and is asked for it.
        /// The routes must not take the path of the guardian or `/healthz`.
        fn beside(mut self, routes: Router) { self.beside = self.beside.merge(routes) }
    }

    /// Checks the settings and the hooks.
    pub(super) fn check(&self) -> Result<(), HttpError> {
        check_path(&self.path, "/aos", &[ALIVE])?;
        self.tokens.check_setting()?;
        check_counts(&[
            ("max_requests", self.max_requests),
            ("max_connections", self.max_connections),
            ("max_body", self.max_body),
        ])?;
        Ok(self.guardian.check()?)
    }
}

debugs!(GuardianServer { path });
