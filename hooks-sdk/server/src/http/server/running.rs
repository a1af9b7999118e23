//! A server that was started: its router, and how it stops.

use std::sync::Arc;

use axum::{
    Router,
    body::Body,
    middleware::{Next, from_fn},
    routing::{any, get},
};
use futures::future::{join, ready};
use http::Request;
use tokio::{sync::Semaphore, time::timeout};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

#[cfg(feature = "mcpl")]
use super::websocket::WEBSOCKETS;
use super::{
    Server, TransportSettings,
    health::{Health, ReadyCheck},
    keys::provided,
    pipeline::EntryChecks,
};
use crate::{http::endpoint::Endpoint, server::HookedService};
use hooks_http::{
    card::PATH,
    error::HttpError,
    probe::{ALIVE, alive},
    settings::{check_counts, check_path},
};

/// The path of the probe that asks whether the server can serve.
const READY: &str = "/readyz";

/// A server that answers requests.
pub(super) struct RunningServer {
    pub(super) router: Router,
    pub(super) pipeline: Arc<EntryChecks>,
    /// The sentence for a path at which there is nothing.
    pub(super) nothing_there: &'static str,
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
        let mut settings = self.settings;
        settings.check(&self.hooked)?;
        self.hooked.check()?;
        let stopping = CancellationToken::new();
        let has_principals = settings.principal.is_some();
        #[cfg(feature = "oauth")]
        let has_principals = has_principals || settings.oauth.is_some();
        let (is_shared, has_keys) = (self.shared.is_some(), self.keys.is_some());
        let (provided, renewal) = provided(self.shared, self.keys).await?;
        let mut hooked = self.hooked;
        if is_shared || has_keys {
            hooked = hooked.sharing(provided.clone());
            hooked.check()?;
        }
        #[cfg(feature = "oauth")]
        let login = settings.login()?;
        let card = settings.card_path().zip(settings.card.take());
        let mut checks = std::mem::take(&mut settings.checks);
        if is_shared {
            checks.insert(0, ReadyCheck::of_store(provided.store.clone()));
        }
        #[cfg(feature = "guardian-local")]
        checks.extend(hooked.its_guardian().map(ReadyCheck::of_guardian));
        let health = Arc::new(Health {
            checks,
            stopping: stopping.clone(),
            last: None.into(),
        });
        let end = CancellationToken::new();
        #[cfg(feature = "policy-engine")]
        let hooks = crate::http::HeaderHooks::of_service(&hooked);
        // Without other replicas and without principals, nobody has to know whose session is whose.
        let is_kept = is_shared || has_principals;
        let shared = is_kept.then_some(provided.store);
        #[cfg(feature = "guardian-server")]
        let guardians = std::mem::take(&mut settings.guardians);
        let settings = Arc::new(settings);
        let endpoint = Endpoint::new(hooked, shared, settings.clone(), end.clone());
        let pipeline = Arc::new(EntryChecks {
            #[cfg(feature = "oauth")]
            login,
            calls: Arc::new(Semaphore::new(settings.max_requests)),
            streams: Arc::new(Semaphore::new(settings.max_sessions)),
            settings,
            stopping,
            end,
            sockets: TaskTracker::new(),
            #[cfg(feature = "policy-engine")]
            hooks,
            endpoint,
            _renewal: renewal,
        });
        let settings = &pipeline.settings;
        // A client without a token looks for a login. If it finds none, it shows what its last request was answered.
        let nothing_there = match (has_principals, settings.tokens.is_empty()) {
            (false, false) => {
                "there is nothing at this path; this server has no OAuth login: set its token in your client, as the header `Authorization: Bearer <token>`\n"
            }
            _ => "there is nothing at this path\n",
        };
        let answer = {
            let pipeline = pipeline.clone();
            move |request: Request<Body>| async move { pipeline.answer(request).await }
        };
        // What everybody may read, under a name of this server. Orchestrators ask for the probes by an address.
        let open = |or_address: bool| {
            let checks = pipeline.clone();
            from_fn(move |request: Request<Body>, next: Next| {
                let hosts = &checks.settings.hosts;
                let checked = hosts.check(request.uri(), request.headers(), or_address);
                async move {
                    match checked {
                        Ok(()) => next.run(request).await,
                        Err(refusal) => refusal.response(request.method()),
                    }
                }
            })
        };
        let is_ready = move || async move { health.ready().await };
        let mut router = Router::new()
            .route(&settings.path, any(answer))
            .route(ALIVE, get(|| ready(alive())).layer(open(true)))
            .route(READY, get(is_ready).layer(open(true)));
        #[cfg(feature = "oauth")]
        if let Some(login) = &pipeline.login {
            let (own, checks) = (login.clone(), pipeline.clone());
            let metadata = move |request: Request<Body>| {
                ready(own.metadata(&request, checks.scopes_of_rules()))
            };
            for path in &login.paths {
                router = router.route(path, any(metadata.clone()).layer(open(false)));
            }
        }
        if let Some((path, card)) = card {
            let card = Arc::new(card);
            let card = move |request: Request<Body>| ready(card.answer(&request));
            router = router.route(&path, any(card).layer(open(false)));
        }
        #[cfg(feature = "guardian-server")]
        {
            router = super::guardian::mounted(router, guardians, &pipeline);
        }
        #[cfg(feature = "mcpl")]
        if let Some(path) = &settings.websocket_path {
            let checks = pipeline.clone();
            let socket = move |request: Request<Body>| checks.socket(request);
            router = router.route(path, any(socket));
        }
        Ok(RunningServer {
            router,
            pipeline,
            nothing_there,
        })
    }
}

impl RunningServer {
    /// Stops the server: refuses new requests, ends open `GET` streams, waits for the calls that run, and ends the rest.
    pub(super) async fn stop(&self) {
        let pipeline = &self.pipeline;
        let (calls, most) = (&pipeline.calls, pipeline.settings.max_requests);
        let running = || most - calls.available_permits();
        let streams = pipeline.settings.max_sessions - pipeline.streams.available_permits();
        tracing::info!(target: "hooks_sdk::http", calls = running(), streams, "the server stops");
        pipeline.stopping.cancel();
        pipeline.sockets.close();
        // All places are free when the last call has ended.
        let all = join(calls.acquire_many(most as u32), pipeline.sockets.wait());
        let waited = pipeline.settings.drain;
        match timeout(waited, all).await {
            Ok(_) => tracing::info!(target: "hooks_sdk::http", "every call has ended"),
            Err(_) => tracing::warn!(
                target: "hooks_sdk::http",
                calls = running(),
                websockets = pipeline.sockets.len(),
                ?waited,
                "calls that still run are broken off"
            ),
        }
        pipeline.end.cancel();
    }
}

impl TransportSettings {
    /// Returns the path of the card, if the server has one.
    fn card_path(&self) -> Option<String> {
        let path = self.path.trim_end_matches('/');
        self.card.as_ref().map(|_| format!("{path}{PATH}"))
    }

    /// Checks the settings, and sets the path of WebSockets for a server that speaks MCPL.
    fn check(&mut self, hooked: &HookedService) -> Result<(), HttpError> {
        if let Some(wrong) = self.wrong.take() {
            return Err(wrong);
        }
        self.tokens.check_setting()?;
        check_counts(&[
            ("max_requests", self.max_requests),
            ("max_sessions", self.max_sessions),
            ("max_connections", self.max_connections),
            ("max_body", self.body.bytes),
        ])?;
        if let Some(card) = &self.card {
            card.check()?;
        }
        let card = self.card_path();
        let mut taken = vec![ALIVE, READY];
        check_path(&self.path, "/mcp", &taken)?;
        taken.extend([Some(&*self.path), card.as_deref()].into_iter().flatten());
        #[cfg(feature = "guardian-server")]
        for (path, guardian) in &self.guardians {
            check_path(path, "/aos", &taken)?;
            guardian.check()?;
            taken.push(path);
        }
        #[cfg(feature = "mcpl")]
        if let Some(path) = &self.websocket_path {
            check_path(path, WEBSOCKETS, &taken)?;
        } else if hooked.speaks_mcpl() && !taken.contains(&WEBSOCKETS) {
            self.websocket_path = Some(WEBSOCKETS.to_owned());
        }
        #[cfg(not(feature = "mcpl"))]
        let _ = hooked;
        Ok(())
    }
}
