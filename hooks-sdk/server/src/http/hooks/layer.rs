//! The layer, and the service that it makes.

use std::{
    mem,
    sync::Arc,
    task::{Context, Poll},
};

use ::http::{Request, Response};
use axum::{BoxError, body::Body};
use bytes::Bytes;
use futures::{TryFutureExt, future::BoxFuture};
use tower::{Layer, Service};

use crate::server::{Hooked, HookedService, HttpPoints};
use hooks_plugin::Chain;

/// Runs the plugin hooks of HTTP around a service: a `tower::Layer`.
///
/// [`Server`](crate::http::Server) has this layer in its place already. Use it if you mount rmcp's service in a router
/// of your own:
///
/// ```no_run,standalone_crate
/// use std::sync::Arc;
/// use hooks_sdk::{http::HeaderHooks, prelude::*, rmcp::ServerHandler};
/// use rmcp::transport::streamable_http_server::{
///     StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
/// };
/// use tower::Layer;
/// # struct Notes;
/// # impl ServerHandler for Notes {}
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let hooked = Notes.with_hooks()?;
/// let hooks = HeaderHooks::of(&hooked);
/// let service = StreamableHttpService::new(
///     move || Ok(hooked.clone()),
///     Arc::new(LocalSessionManager::default()),
///     StreamableHttpServerConfig::default(),
/// );
/// let router: axum::Router = axum::Router::new().route_service("/mcp", hooks.layer(service));
/// # Ok(())
/// # }
/// ```
///
/// Put it behind your own authentication: a header that a hook sets is not checked again. Hooks read the user and the
/// tenant from the [`Principal`](crate::http::Principal) in the extensions of the request.
///
/// # Order
///
/// 1. `http_pre_request`, then `http_pre_forwarding_call`,
/// 2. the service, with the hooks of the call in it,
/// 3. `http_post_forwarding_call`, then `http_post_request`, before the first byte of the body.
///
/// The hooks of one HTTP request share one `GlobalContext`, those of the call in it included. An answer that streams
/// begins before its call has ended, so hooks at step 3 then do not see what the hooks of the call write.
///
/// # Refusals
///
/// A refused request is answered with 403, and a refused response with 502. The body is the violation as JSON, with
/// `code`, `reason`, `description` and `details`. Hooks cannot ask the user here: a question is a refusal with the code
/// `elicitation_unsupported`. The hooks of step 3 do not see a refused request.
///
/// # Headers
///
/// A changed payload replaces the headers that the hook saw. These rules apply to the message itself:
///
/// | headers | hooks see it | change | add | remove |
/// |---|---|---|---|---|
/// | `authorization`, `cookie`, `proxy-authorization`, `set-cookie`, `x-api-key` | if exposed | with `override_protected` | yes | no |
/// | `proxy-authenticate`, `www-authenticate` | yes | with `override_protected` | yes | no |
/// | `accept`, `content-encoding`, `content-type`, `host`, `last-event-id`, `origin`, `mcp-…` | yes | with `override_protected` | with `override_protected` | no |
/// | `connection` and what it names, `content-length`, `expect`, `http2-settings`, `keep-alive`, `proxy-connection`, `te`, `trailer`, `transfer-encoding`, `upgrade` | yes | no | no | no |
/// | every other | yes | yes | yes | yes |
///
/// "Change" is about a header that the message had when it arrived at this layer. A change that these rules do not
/// allow, and a name or value that HTTP does not allow, is dropped and reported; the rest of the change applies. A
/// message with more than 1,000 headers, and a changed one with more than 256 KiB of headers, is refused with
/// `payload_too_large`.
#[derive(Clone, Debug)]
pub struct HeaderHooks(pub(in crate::http) Option<Arc<HttpPoints>>);

impl HeaderHooks {
    /// Runs the hooks of `hooked`, with the settings of its policy. If the policy reads a file, each request uses the
    /// file as it is then. Later settings of `hooked` have no effect on this layer.
    pub fn of<H>(hooked: &Hooked<H>) -> HeaderHooks {
        HeaderHooks::of_service(&hooked.service)
    }

    pub(in crate::http) fn of_service(hooked: &HookedService) -> HeaderHooks {
        HeaderHooks(hooked.http_points().map(Arc::new))
    }

    /// Runs the hooks of a chain. They belong to no server, so a hook that is a method fails.
    pub fn of_chain(chain: Chain) -> HeaderHooks {
        HeaderHooks(Some(Arc::new(HttpPoints::of_chain(chain))))
    }

    /// Lets hooks see a header that holds a secret, as [`Policy::expose_header`](crate::server::Policy::expose_header) does.
    #[must_use]
    pub fn expose_header(self, name: &str) -> HeaderHooks {
        self.set(|points| points.expose(name))
    }

    /// Lets hooks change a protected header that the message has already, as
    /// [`Policy::override_protected`](crate::server::Policy::override_protected) does.
    #[must_use]
    pub fn override_protected(self, name: &str) -> HeaderHooks {
        self.set(|points| points.override_protected(name))
    }

    fn set(mut self, change: impl FnOnce(&mut HttpPoints)) -> HeaderHooks {
        self.0.as_mut().map(Arc::make_mut).map(change);
        self
    }
}

impl<S> Layer<S> for HeaderHooks {
    type Service = HeaderHookService<S>;

    fn layer(&self, inner: S) -> HeaderHookService<S> {
        let hooks = self.clone();
        HeaderHookService { inner, hooks }
    }
}

/// A service with the plugin hooks of HTTP around it. [`HeaderHooks`] makes it.
#[derive(Clone, Debug)]
pub struct HeaderHookService<S> {
    inner: S,
    hooks: HeaderHooks,
}

impl<S, B, R> Service<Request<B>> for HeaderHookService<S>
where
    S: Service<Request<B>, Response = Response<R>> + Clone + Send + 'static,
    S::Future: Send + 'static,
    S::Error: Send,
    B: Send + 'static,
    R: http_body::Body<Data = Bytes> + Send + 'static,
    R::Error: Into<BoxError>,
{
    type Response = Response<Body>;
    type Error = S::Error;
    type Future = BoxFuture<'static, Result<Response<Body>, S::Error>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        // The clone is not ready yet; the service that is ready answers.
        let next = self.inner.clone();
        let mut ready = mem::replace(&mut self.inner, next);
        let hooks = self.hooks.clone();
        Box::pin(async move {
            let next = |request| ready.call(request).map_ok(|answer| answer.map(Body::new));
            hooks.pass(request, next).await
        })
    }
}
