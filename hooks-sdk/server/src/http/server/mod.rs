//! A server over HTTP: its settings, and how it is served.

mod cors;
#[cfg(feature = "guardian-server")]
mod guardian;
mod health;
mod keys;
#[cfg(feature = "oauth")]
mod login;
mod pipeline;
mod running;
mod serve;
#[cfg(feature = "mcpl")]
mod websocket;

use std::{fmt, sync::Arc, time::Duration};

use http::request::Parts;
use rmcp::model::RequestStateCodec;

use self::health::ReadyCheck;
pub use self::keys::keyring;
use crate::server::{Hooked, HookedService};
use hooks_core::{internal::setters, store::Store};
use hooks_http::{
    ServerCard,
    bearer::Tokens,
    body::BodyLimits,
    error::HttpError,
    hosts::{Hosts, Origins},
};

/// Serves a hooked server over streamable HTTP.
///
/// Beside the path of MCP it answers `/healthz` (200 while the process runs) and `/readyz` (200 or 503, with a line for
/// each check).
///
/// TLS is the matter of a proxy in front of it.
#[must_use]
pub struct Server {
    hooked: HookedService,
    shared: Option<Arc<dyn Store>>,
    keys: Option<RequestStateCodec>,
    settings: TransportSettings,
}

/// Finds the principal of a request.
type FindPrincipal = dyn Fn(&Parts) -> Option<super::Principal> + Send + Sync;

/// What does not depend on the author's server.
pub(in crate::http) struct TransportSettings {
    path: String,
    hosts: Hosts,
    origins: Origins,
    /// A mistake in the hosts or the origins.
    wrong: Option<HttpError>,
    tokens: Tokens,
    principal: Option<Arc<FindPrincipal>>,
    #[cfg(feature = "oauth")]
    oauth: Option<hooks_http::OAuth>,
    card: Option<ServerCard>,
    body: BodyLimits,
    max_requests: usize,
    pub(in crate::http) max_sessions: usize,
    pub(in crate::http) session_idle: Duration,
    max_connections: usize,
    drain: Duration,
    write_timeout: Duration,
    pub(in crate::http) keep_alive: Duration,
    pub(in crate::http) stream_after: Duration,
    checks: Vec<ReadyCheck>,
    #[cfg(feature = "guardian-server")]
    guardians: Vec<(String, hooks_aos::Guardian)>,
    /// The path of WebSockets, if the author has set it.
    #[cfg(feature = "mcpl")]
    websocket_path: Option<String>,
}

impl Default for TransportSettings {
    fn default() -> TransportSettings {
        TransportSettings {
            path: "/mcp".to_owned(),
            hosts: Hosts::loopback(),
            origins: Origins::loopback(),
            wrong: None,
            tokens: Tokens::default(),
            principal: None,
            #[cfg(feature = "oauth")]
            oauth: None,
            card: None,
            body: BodyLimits {
                bytes: 4 * 1024 * 1024,
                time: Duration::from_secs(10),
            },
            max_requests: 1024,
            max_sessions: 10_000,
            session_idle: Duration::from_secs(5 * 60),
            max_connections: 10_000,
            drain: Duration::from_secs(30),
            write_timeout: Duration::from_secs(30),
            keep_alive: Duration::from_secs(15),
            stream_after: Duration::from_secs(1),
            checks: Vec::new(),
            #[cfg(feature = "guardian-server")]
            guardians: Vec::new(),
            #[cfg(feature = "mcpl")]
            websocket_path: None,
        }
    }
}

impl Server {
    /// Serves `hooked` with the default settings.
    pub fn new<H>(hooked: Hooked<H>) -> Server {
        Server {
            hooked: hooked.service,
            shared: None,
            keys: None,
            settings: TransportSettings::default(),
        }
    }

    setters! {
        /// Sets the path of MCP. Default: `/mcp`.
        fn path(mut self, path: impl Into<String>) { self.settings.path = path.into() }

        /// Sets the hosts that a request may name in `Host`. An entry is `name` for any port, or `name:port`. Default:
        /// `localhost`, `127.0.0.1` and `::1`.
        ///
        /// This check keeps web pages from reaching a server on the user's computer under a name of theirs. Behind a proxy,
        /// name the hosts that the proxy passes on.
        ///
        /// `/healthz` and `/readyz` also answer to every IP address, because orchestrators ask them by address.
        fn hosts<T: AsRef<str>>(mut self, hosts: impl IntoIterator<Item = T>) {
            match Hosts::of(hosts) {
                Ok(hosts) => self.settings.hosts = hosts,
                Err(wrong) => self.settings.wrong = Some(wrong),
            }
        }

        /// Sets the web origins that may send requests. An entry is `https://name`, with `:port` or `:*` (any port) behind
        /// it, or `null`. Default: `localhost`, `127.0.0.1` and `[::1]` with `http` and `https` on any port.
        ///
        /// A request without `Origin` passes: it does not come from a web page. The browser of an allowed page gets the answers
        /// that it needs (CORS): the preflight is answered without a token, and the page may read every answer.
        fn origins<T: AsRef<str>>(mut self, origins: impl IntoIterator<Item = T>) {
            match Origins::of(origins) {
                Ok(origins) => self.settings.origins = origins,
                Err(wrong) => self.settings.wrong = Some(wrong),
            }
        }

        /// Adds a token, and refuses every request that sends none of the tokens in `Authorization: Bearer …`. Default: no
        /// token, and no check.
        fn bearer(mut self, token: impl AsRef<str>) { self.settings.tokens.add(token.as_ref()) }

        /// Sets how the sender of a request is found: by a name, or as a [`Principal`](super::Principal) with a tenant.
        /// Sessions, policy and guardians then know the sender. A request for which it returns `None` is refused with 401.
        /// Default: not set.
        ///
        /// It runs after the check of the bearer token. If it panics, the request is answered with 500.
        fn principal<P: Into<super::Principal>>(mut self, find: impl Fn(&Parts) -> Option<P> + Send + Sync + 'static) {
            self.settings.principal = Some(Arc::new(move |parts: &Parts| find(parts).map(Into::into)));
        }

        /// Serves a server card (SEP-2127) at the path of MCP with `/server-card` behind it, to everybody and without a token.
        /// Default: none.
        fn card(mut self, card: ServerCard) { self.settings.card = Some(card) }

        /// Sets the largest body of a request, in bytes. Default: 4 MiB.
        fn max_body(mut self, bytes: usize) { self.settings.body.bytes = bytes }

        /// Sets the time in which the whole body of a request has to arrive. Default: 10 seconds.
        fn body_timeout(mut self, timeout: Duration) { self.settings.body.time = timeout }

        /// Sets the largest number of requests that are answered at the same time. A further request is refused with 503.
        /// Default: 1,024. An open `GET` stream does not count.
        fn max_requests(mut self, requests: usize) { self.settings.max_requests = requests }

        /// Sets the largest number of sessions of clients before 2026-07-28, and of their open `GET` streams. A further one
        /// is refused with 503, also one that comes from another replica. Default: 10,000.
        fn max_sessions(mut self, sessions: usize) { self.settings.max_sessions = sessions }

        /// Sets how long a session of a client before 2026-07-28 may be without a message, before this process ends it. An open
        /// `GET` stream does not keep it, nor does a call that reports nothing: set more than the longest call takes.
        /// Default: 5 minutes.
        fn session_idle(mut self, longest: Duration) { self.settings.session_idle = longest }

        /// Sets the largest number of open connections. Further ones wait to be accepted. Default: 10,000.
        fn max_connections(mut self, connections: usize) { self.settings.max_connections = connections }

        /// Sets how long a stopping server waits for running calls. Default: 30 seconds.
        fn drain(mut self, longest: Duration) { self.settings.drain = longest }

        /// Sets how long a client may read nothing of what is sent to it, before it is cut off. Default: 30 seconds.
        fn write_timeout(mut self, longest: Duration) { self.settings.write_timeout = longest }

        /// Sets the interval of comments on open streams, which keep proxies from closing them. Default: 15 seconds.
        fn keep_alive(mut self, interval: Duration) { self.settings.keep_alive = interval }

        /// Sets how long a call may take before its answer becomes a stream of events, which comments keep open. Default: 1 second.
        ///
        /// An answer that comes earlier is one JSON message, unless the call speaks to its client before.
        fn stream_after(mut self, longest: Duration) { self.settings.stream_after = longest }

        /// Sets the store that all replicas of this server share. Default: the memory of this process.
        ///
        /// Clients before 2026-07-28 then need sticky routing for notifications: their `GET` stream carries what the replica says
        /// that serves the stream.
        fn store(mut self, store: impl Store) { self.shared = Some(Arc::new(store)) }

        /// Sets the keys that seal what clients bring back. Every replica needs the same keys.
        ///
        /// Default: with a [`store`](Server::store), a random key that the replicas share in the store; otherwise a random
        /// key of this process. Whoever can read the store then knows the key.
        fn keys(mut self, keys: RequestStateCodec) { self.keys = Some(keys) }
    }

    /// Adds a check to `/readyz`, which answers 503 while the check fails or takes longer than one second.
    ///
    /// The answer shows only `name`. The error is logged.
    pub fn ready<F, E>(
        mut self,
        name: impl Into<String>,
        check: impl Fn() -> F + Send + Sync + 'static,
    ) -> Server
    where
        F: Future<Output = Result<(), E>> + Send + 'static,
        E: fmt::Display + 'static,
    {
        let check = ReadyCheck::of(name.into(), check);
        self.settings.checks.push(check);
        self
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("hooked", &self.hooked)
            .field("path", &self.settings.path)
            .finish_non_exhaustive()
    }
}
