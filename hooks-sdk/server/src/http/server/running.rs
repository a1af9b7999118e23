//! A server that was started: its router, and how it stops.

use std::{sync::Arc, time::Duration};

use axum::{
    Router,
    body::Body,
    extract::State,
    routing::{any, get},
};
use futures::future::join;
use http::Request;
use tokio::{sync::Semaphore, time::timeout};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{
    Server, TransportSettings,
    health::{Health, ReadyCheck},
    keys::provided,
    layers::{self, BuiltLayers},
    pipeline::EntryChecks,
};
use crate::http::endpoint::EndpointSettings;
use hooks_http::{
    body::BodyLimits,
    error::HttpError,
    probe::{ALIVE, alive},
    settings::{check_counts, check_path, check_tokens},
};

/// The path of the probe that asks whether the server can serve.
pub(super) const READY: &str = "/readyz";

/// A server that answers requests.
pub(super) struct RunningServer {
    pub(super) router: Router,
    pub(super) path: Arc<str>,
    pub(super) pipeline: Arc<EntryChecks>,
    /// The sentence for a path at which there is nothing.
    pub(super) nothing_there: &'static str,
    /// rmcp's token: it ends every session and stream.
    end: CancellationToken,
    /// The open WebSockets.
    open: TaskTracker,
    max_requests: u32,
    drain: Duration,
    pub(super) max_connections: usize,
    pub(super) write_timeout: Duration,
}

impl Server {
    /// Makes the routes, for who has an axum server. The limits of connections and headers are then those of that server.
    ///
    /// # Errors
    ///
    /// The settings do not fit the server, or the store does not answer.
    pub async fn router(self) -> Result<Router, HttpError> {
        Ok(self.start().await?.router)
    }

    /// Like [`router`](Server::router), for a server that stops: from the end of `shutdown`, `/readyz` answers 503, new
    /// requests are refused and open `GET` streams end. After the calls that run, or at the latest after
    /// [`drain`](Server::drain), every stream ends.
    ///
    /// # Errors
    ///
    /// Those of [`router`](Server::router).
    pub async fn router_until(
        self,
        shutdown: impl Future<Output = ()> + Send + 'static,
    ) -> Result<Router, HttpError> {
        let running = self.start().await?;
        let router = running.router.clone();
        tokio::spawn(async move {
            shutdown.await;
            running.stop().await;
        });
        Ok(router)
    }

    /// Starts the server, without an address to listen on.
    pub(super) async fn start(self) -> Result<RunningServer, HttpError> {
        self.settings.check()?;
        self.hooked.check()?;
        let stopping = CancellationToken::new();
        let mut settings = self.settings;
        #[cfg(feature = "oauth")]
        let has_principals = settings.principal.is_some() || settings.oauth.is_some();
        #[cfg(not(feature = "oauth"))]
        let has_principals = settings.principal.is_some();
        let (is_shared, has_keys) = (self.shared.is_some(), self.keys.is_some());
        let (provided, renewal) = provided(self.shared, self.keys).await?;
        let mut hooked = self.hooked;
        if is_shared || has_keys {
            hooked = hooked.sharing(provided.clone());
            hooked.check()?;
        }
        #[cfg(feature = "oauth")]
        let login = settings.login(&hooked)?;
        let card = settings.card_path().zip(settings.card.take());
        let mut checks = std::mem::take(&mut settings.checks);
        if is_shared {
            checks.insert(0, ReadyCheck::of_store(provided.store.clone()));
        }
        #[cfg(feature = "aos")]
        checks.extend(hooked.its_guardian().map(ReadyCheck::of_guardian));
        let health = Arc::new(Health::new(checks, stopping.clone()));
        #[cfg(feature = "mcpl")]
        let websocket_path = settings.websocket_path(&hooked)?;
        let (hosts, origins) = (settings.hosts?, settings.origins?);
        let end = CancellationToken::new();
        let open = TaskTracker::new();
        #[cfg(feature = "mcpl")]
        let websocket = websocket_path.map(|path| {
            let sockets = super::websocket::WebSockets {
                hooked: hooked.clone(),
                max_message: settings.max_body,
                handshake_time: settings.body_timeout,
                keep_alive: settings.keep_alive,
                write_timeout: settings.write_timeout,
                drain: settings.drain,
                end: end.clone(),
                open: open.clone(),
            };
            (path, sockets)
        });
        // Without other replicas and without principals, nobody has to know whose session is whose.
        let store = (is_shared || has_principals).then_some(provided.store);
        let has_replicas = store.is_some();
        let BuiltLayers { inner, sessions } = layers::build(
            hooked,
            store,
            EndpointSettings {
                keep_alive: settings.keep_alive,
                stream_after: settings.stream_after,
                session_idle: settings.session_idle,
                end: end.clone(),
            },
        );
        let pipeline = Arc::new(EntryChecks {
            hosts,
            origins,
            tokens: settings.tokens,
            principal: settings.principal,
            #[cfg(feature = "oauth")]
            login,
            body: BodyLimits {
                bytes: settings.max_body,
                time: settings.body_timeout,
            },
            calls: Arc::new(Semaphore::new(settings.max_requests)),
            streams: Arc::new(Semaphore::new(settings.max_sessions)),
            sessions,
            max_sessions: settings.max_sessions,
            has_replicas,
            stopping,
            write_timeout: settings.write_timeout,
            inner,
            _renewal: renewal,
        });
        // A client without a token looks for a login. If it finds none, it shows what its last request was answered.
        let nothing_there = match (has_principals, pipeline.tokens.is_empty()) {
            (false, false) => {
                "there is nothing at this path; this server has no OAuth login: set its token in your client, as the header `Authorization: Bearer <token>`\n"
            }
            _ => "there is nothing at this path\n",
        };
        let answer = |State(pipeline): State<Arc<EntryChecks>>, request: Request<Body>| async move {
            pipeline.answer(request).await
        };
        let probe = {
            let pipeline = pipeline.clone();
            move |request: Request<Body>| {
                let (pipeline, health) = (pipeline.clone(), health.clone());
                async move {
                    if let Err(refusal) = pipeline.admits_probe(&request) {
                        return refusal.response(request.method());
                    }
                    match request.uri().path() {
                        ALIVE => alive(),
                        _ => health.ready().await,
                    }
                }
            }
        };
        let router = Router::new()
            .route(&settings.path, any(answer))
            .route(ALIVE, get(probe.clone()))
            .route(READY, get(probe));
        #[cfg(feature = "oauth")]
        let router = super::login::mounted(router, &pipeline);
        let router = match card {
            Some((path, card)) => super::card::mounted(router, &path, &card, &pipeline),
            None => router,
        };
        #[cfg(feature = "guardian")]
        let router = super::guardian::mounted(router, settings.guardians, &pipeline);
        #[cfg(feature = "mcpl")]
        let router = match websocket {
            Some((path, sockets)) => super::websocket::mounted(router, &path, sockets, &pipeline),
            None => router,
        };
        let router = router.with_state(pipeline.clone());
        Ok(RunningServer {
            router,
            path: settings.path.into(),
            pipeline,
            nothing_there,
            end,
            open,
            max_requests: settings.max_requests as u32,
            drain: settings.drain,
            max_connections: settings.max_connections,
            write_timeout: settings.write_timeout,
        })
    }
}

impl RunningServer {
    /// Stops the server: refuses new requests, ends open `GET` streams, waits for the calls that run, and ends the rest.
    pub(super) async fn stop(&self) {
        let calls = &self.pipeline.calls;
        let running = || self.max_requests as usize - calls.available_permits();
        let streams = self.pipeline.open_streams();
        tracing::info!(target: "hooks_sdk::http", calls = running(), streams, "the server stops");
        self.pipeline.stopping.cancel();
        self.open.close();
        // All places are free when the last call has ended.
        let all = join(calls.acquire_many(self.max_requests), self.open.wait());
        let ended = timeout(self.drain, all).await;
        match ended {
            Ok(_) => tracing::info!(target: "hooks_sdk::http", "every call has ended"),
            Err(_) => {
                let (calls, waited) = (running(), self.drain);
                let websockets = self.open.len();
                tracing::warn!(
                    target: "hooks_sdk::http",
                    calls,
                    websockets,
                    ?waited,
                    "calls that still run are broken off"
                );
            }
        }
        self.end.cancel();
    }
}

impl TransportSettings {
    /// Checks what is wrong whatever the server is.
    fn check(&self) -> Result<(), HttpError> {
        check_path(&self.path, "/mcp", &[ALIVE, READY])?;
        check_tokens(&self.tokens)?;
        check_counts(&[
            ("max_requests", self.max_requests),
            ("max_sessions", self.max_sessions),
            ("max_connections", self.max_connections),
            ("max_body", self.max_body),
        ])?;
        if let Some(card) = &self.card {
            card.check()?;
        }
        #[cfg(feature = "guardian")]
        self.check_guardians()?;
        Ok(())
    }
}
