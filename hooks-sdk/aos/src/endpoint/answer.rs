//! The path of a guardian: one JSON-RPC request in the body of each POST.

use std::sync::Arc;

use axum::body::Body;
use http::{
    HeaderMap, HeaderValue, Method, Request, Response, StatusCode, header::CONTENT_TYPE,
    request::Parts,
};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::{Guardian, Transported};
use hooks_http::{
    bearer::Tokens,
    body::Held,
    body::{BodyLimits, is_json},
    hosts::{Hosts, Origins},
    refusal::HttpRefusal,
};

/// Decides whether the sender of a request may ask.
pub(crate) type Admits = dyn Fn(&Parts) -> bool + Send + Sync;

/// A guardian, and what a request passes before it.
#[expect(missing_debug_implementations, reason = "it has a function")]
pub struct Endpoint {
    /// The guardian.
    pub guardian: Guardian,
    /// The hosts that a request may name.
    pub hosts: Hosts,
    /// The origins that may send requests.
    pub origins: Origins,
    /// The bearer tokens; none of them means that no token is needed.
    pub tokens: Tokens,
    /// Decides whether the sender of a request may ask.
    pub admits: Option<Arc<Admits>>,
    /// The limits of a body.
    pub body: BodyLimits,
    /// The places of requests that are being answered.
    pub calls: Arc<Semaphore>,
    /// Ends what the guardian still answers.
    pub stopping: CancellationToken,
}

impl Endpoint {
    /// Answers a request. Every answer of the guardian, errors too, has the status 200.
    pub async fn answer(&self, request: Request<Body>) -> Response<Body> {
        let method = request.method().clone();
        match self.pass(request).await {
            Ok(response) => response,
            Err(refusal) => {
                tracing::debug!(
                    target: "hooks_sdk::aos",
                    status = %refusal.status(), "a request to the guardian was refused"
                );
                refusal.response(&method)
            }
        }
    }

    /// Checks a request for a route beside the guardian.
    pub(super) fn admits_browser(&self, request: &Request<Body>) -> Result<(), HttpRefusal> {
        self.hosts.check(request.uri(), request.headers(), false)?;
        self.tokens.check_browser(request.headers())
    }

    /// Ends the body of a response when the guardian stops, so that no open stream delays the end.
    pub(super) fn until_stopped(&self, response: Response<Body>) -> Response<Body> {
        response.map(|body| {
            Body::new(Held {
                body,
                place: None,
                end: Some(Box::pin(self.stopping.clone().cancelled_owned())),
            })
        })
    }

    async fn pass(&self, request: Request<Body>) -> Result<Response<Body>, HttpRefusal> {
        let (parts, body) = request.into_parts();
        self.hosts.check(&parts.uri, &parts.headers, false)?;
        self.origins.check(&parts.headers)?;
        if parts.method != Method::POST {
            return Err(HttpRefusal::of_method(
                "POST",
                "a guardian is asked with POST",
            ));
        }
        let busy = |sentence| HttpRefusal::new(StatusCode::SERVICE_UNAVAILABLE, sentence);
        if self.stopping.is_cancelled() {
            return Err(busy("the guardian is stopping: send the request again"));
        }
        let _place = self.calls.try_acquire().map_err(|_| {
            busy("the guardian answers as many requests as it can: send the request again; its operator sets the number with `max_requests`")
        })?;
        self.body.check(&parts.headers)?;
        // A body is read only for who may send one.
        self.tokens.check(&parts.headers)?;
        if self.admits.as_ref().is_some_and(|admits| !admits(&parts)) {
            return Err(HttpRefusal::new(
                StatusCode::UNAUTHORIZED,
                "the guardian does not know who sent the request",
            ));
        }
        is_json(&parts.headers)?;
        let body = self.body.read(body).await?;
        let transported = transported(&parts.headers);
        let answer = self.guardian.answer(&body, transported).await;
        let mut response = Response::new(Body::from(answer));
        let json = HeaderValue::from_static("application/json");
        response.headers_mut().insert(CONTENT_TYPE, json);
        Ok(response)
    }
}

/// Returns what the headers tell the guardian.
fn transported(headers: &HeaderMap) -> Transported {
    let trace_parent = headers
        .get("traceparent")
        .and_then(|value| value.to_str().ok());
    Transported::new(trace_parent.map(str::to_owned))
}
