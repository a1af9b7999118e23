//! How a server is served: on an address, or on a listener.

use std::fmt::Display;

use axum::serve::Listener;
use http::{Request, StatusCode};
use hyper::body::Incoming;

use super::{Server, running::RunningServer};
use hooks_http::{
    accept::{Serving, routed},
    error::HttpError,
    listen::until_told,
};

impl Server {
    /// Serves on the address until the process receives SIGTERM or Ctrl-C. A second signal ends the server at once.
    ///
    /// Then `/readyz` answers 503, new requests are refused, open `GET` streams end, and running calls have the time of
    /// [`drain`](Server::drain).
    ///
    /// # Errors
    ///
    /// The settings do not fit the server, the store does not answer, or the address is not free. Nothing listens then.
    pub async fn serve(self, address: impl Display) -> Result<(), HttpError> {
        self.serve_and_tell(
            address,
            |address| tracing::info!(target: "hooks_sdk::http", address, "the server listens"),
        )
        .await
    }

    /// Serves as [`serve`](Server::serve) does. When the server listens, tells the URL.
    #[doc(hidden)]
    pub async fn serve_and_tell(
        self,
        address: impl Display,
        tell: impl FnOnce(&str),
    ) -> Result<(), HttpError> {
        let running = self.start().await?;
        let path = running.pipeline.settings.path.clone();
        let serve = |listener, told| running.serve(listener, told);
        until_told(&address.to_string(), &path, tell, serve).await
    }

    /// Serves the connections of `listener` until `shutdown` ends, then stops as [`serve`](Server::serve) does.
    ///
    /// # Errors
    ///
    /// The settings do not fit the server, or the store does not answer.
    pub async fn serve_on<L>(
        self,
        listener: L,
        shutdown: impl Future<Output = ()>,
    ) -> Result<(), HttpError>
    where
        L: Listener<Addr: 'static>,
    {
        self.start().await?.serve(listener, shutdown).await;
        Ok(())
    }
}

impl RunningServer {
    async fn serve<L>(self, listener: L, shutdown: impl Future<Output = ()>)
    where
        L: Listener<Addr: 'static>,
    {
        let pipeline = self.pipeline.clone();
        let sentence = self.nothing_there;
        let nothing_there = move || std::future::ready((StatusCode::NOT_FOUND, sentence));
        // Not in the routes of an author's own server, which has a fallback itself.
        let router = self.router.clone().fallback(nothing_there);
        let answer = move |request: Request<Incoming>| {
            // The router takes its time to find a route.
            let router = (request.uri().path() != pipeline.settings.path).then(|| router.clone());
            let pipeline = pipeline.clone();
            async move {
                match router {
                    None => pipeline.answer(request).await,
                    Some(router) => routed(router, request).await,
                }
            }
        };
        let serving = Serving {
            answer,
            max_connections: self.pipeline.settings.max_connections,
            write_timeout: self.pipeline.settings.write_timeout,
        };
        let stopped = async {
            shutdown.await;
            self.stop().await;
        };
        serving.serve(listener, stopped).await;
    }
}
