//! How a guardian is served: on an address, on a listener, or as routes.

use std::{fmt::Display, sync::Arc, time::Duration};

use axum::{
    Router,
    body::Body,
    extract::State,
    middleware::{self, Next},
    routing::{any, get},
    serve::Listener,
};
use http::{HeaderValue, Request, Response, StatusCode, header::WWW_AUTHENTICATE};
use tokio::{sync::Semaphore, time::timeout};
use tokio_util::sync::CancellationToken;

use super::{Endpoint, GuardianServer};
use crate::Guardian;
use hooks_http::{
    accept::{Serving, routed},
    body::BodyLimits,
    error::HttpError,
    listen::until_told,
    probe::{ALIVE, alive},
};

/// How long a stopping guardian waits for the requests that it answers. Hooks have shorter deadlines.
const DRAIN: Duration = Duration::from_secs(30);

/// How long a client may read nothing of its answer, before it is cut off.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);

impl Guardian {
    /// Serves the guardian over HTTP, with the default settings of [`GuardianServer`].
    ///
    /// # Errors
    ///
    /// Those of [`GuardianServer::serve`].
    pub async fn serve(self, address: impl Display) -> Result<(), HttpError> {
        GuardianServer::new(self).serve(address).await
    }
}

impl GuardianServer {
    /// Serves on the address until the process receives SIGTERM or Ctrl-C. A second signal ends the guardian at once.
    ///
    /// Then new requests are refused, and requests that are being answered have 30 seconds.
    ///
    /// # Errors
    ///
    /// A setting or a hook has a mistake, or the address is not free. Nothing listens then.
    pub async fn serve(self, address: impl Display) -> Result<(), HttpError> {
        self.serve_and_tell(address, |url| {
            tracing::info!(target: "hooks_sdk::aos", url, "the guardian listens");
        })
        .await
    }

    /// Serves as [`serve`](GuardianServer::serve) does. When the guardian listens, calls `tell` with its URL.
    ///
    /// # Errors
    ///
    /// Those of [`serve`](GuardianServer::serve).
    pub async fn serve_and_tell(
        self,
        address: impl Display,
        tell: impl FnOnce(&str),
    ) -> Result<(), HttpError> {
        let path = self.path.clone();
        let running = self.start()?;
        let serve = |listener, told| running.serve(listener, told);
        until_told(&address.to_string(), &path, tell, serve).await
    }

    /// Serves the connections of `listener` until `shutdown` ends, then stops as [`serve`](GuardianServer::serve) does.
    ///
    /// # Errors
    ///
    /// A setting or a hook has a mistake.
    pub async fn serve_on<L>(
        self,
        listener: L,
        shutdown: impl Future<Output = ()>,
    ) -> Result<(), HttpError>
    where
        L: Listener<Addr: 'static>,
    {
        self.start()?.serve(listener, shutdown).await;
        Ok(())
    }

    /// Makes the routes, for who has an axum server. The limits of connections and headers are then those of that server.
    ///
    /// # Errors
    ///
    /// A setting or a hook has a mistake.
    pub fn router(self) -> Result<Router, HttpError> {
        Ok(self.start()?.router)
    }

    fn start(self) -> Result<RunningGuardian, HttpError> {
        self.check()?;
        let endpoint = Arc::new(Endpoint {
            guardian: self.guardian,
            hosts: self.hosts?,
            origins: self.origins?,
            tokens: self.tokens,
            admits: None,
            body: BodyLimits {
                bytes: self.max_body,
                time: self.body_timeout,
            },
            calls: Arc::new(Semaphore::new(self.max_requests)),
            stopping: CancellationToken::new(),
        });
        let probe = |State(endpoint): State<Arc<Endpoint>>, request: Request<Body>| async move {
            match endpoint.hosts.check(request.uri(), request.headers(), true) {
                Ok(()) => alive(),
                Err(refusal) => refusal.response(request.method()),
            }
        };
        let named = |State(endpoint): State<Arc<Endpoint>>, request: Request<Body>, next: Next| async move {
            match endpoint.admits_browser(&request) {
                Ok(()) => endpoint.until_stopped(next.run(request).await),
                Err(refusal) => asking_for_a_password(refusal.response(request.method())),
            }
        };
        let beside = self
            .beside
            .layer(middleware::from_fn_with_state(endpoint.clone(), named));
        let router = Router::new()
            .route(&self.path, any(asked))
            .route(ALIVE, get(probe))
            .with_state(endpoint.clone())
            .merge(beside);
        Ok(RunningGuardian {
            router,
            endpoint,
            max_requests: self.max_requests as u32,
            max_connections: self.max_connections,
        })
    }
}

/// Lets a browser ask its user for the token.
fn asking_for_a_password(mut response: Response<Body>) -> Response<Body> {
    if response.status() == StatusCode::UNAUTHORIZED {
        let basic = HeaderValue::from_static(r#"Basic realm="guardian", charset="UTF-8""#);
        response.headers_mut().insert(WWW_AUTHENTICATE, basic);
    }
    response
}

async fn asked(
    State(endpoint): State<Arc<Endpoint>>,
    request: Request<Body>,
) -> axum::response::Response {
    endpoint.answer(request).await
}

/// A guardian that answers requests.
struct RunningGuardian {
    router: Router,
    endpoint: Arc<Endpoint>,
    max_requests: u32,
    max_connections: usize,
}

impl RunningGuardian {
    async fn serve<L>(self, listener: L, shutdown: impl Future<Output = ()>)
    where
        L: Listener<Addr: 'static>,
    {
        let router = self.router;
        let serving = Serving {
            answer: move |request| routed(router.clone(), request),
            max_connections: self.max_connections,
            write_timeout: WRITE_TIMEOUT,
        };
        let stopped = async {
            shutdown.await;
            self.endpoint.stopping.cancel();
            // All places are free when the last request has been answered.
            let ended = self.endpoint.calls.acquire_many(self.max_requests);
            if timeout(DRAIN, ended).await.is_err() {
                tracing::warn!(
                    target: "hooks_sdk::aos",
                    waited = ?DRAIN, "requests that are still being answered are broken off"
                );
            }
        };
        serving.serve(listener, stopped).await;
    }
}
