//! One HTTP request through the hooks, to the service and back.

use std::{net::SocketAddr, sync::Arc};

use ::http::{
    HeaderMap, HeaderValue, Request, Response, StatusCode, header::CONTENT_TYPE, request, response,
};
use axum::{body::Body, extract::ConnectInfo};
use serde_json::Value;

use super::{
    headers::{HeaderRules, MOST},
    layer::HeaderHooks,
};
use crate::{
    http::Principal,
    server::{HttpPoints, OuterContexts},
};
use hooks_plugin::{
    Chain, Contexts, Decision, Denial, End, ForwardedRequest, ForwardedResponse, HttpHeaders,
    HttpRequest, HttpResponse, Payload, PluginAt, PluginPoint, internal::unaskable, point,
};

impl HeaderHooks {
    /// Passes a request through the hooks and `next`.
    pub(in crate::http) async fn pass<B, F, E>(
        &self,
        request: Request<B>,
        next: impl FnOnce(Request<B>) -> F,
    ) -> Result<Response<Body>, E>
    where
        F: Future<Output = Result<Response<Body>, E>>,
    {
        let policy = self.0.as_ref().map(|points| (points, points.policy()));
        let stands = |chain: &Chain| POINTS.iter().any(|at| chain.stands_at(*at));
        let Some((points, policy)) = policy.filter(|(_, policy)| stands(&policy.chain)) else {
            return next(request).await;
        };
        let (mut parts, body) = request.into_parts();
        let chain = policy.chain.clone();
        let mut passing = match HookedRequest::begin(points.clone(), chain, &parts) {
            Ok(passing) => passing,
            Err(blocked) => return Ok(refused(points, StatusCode::FORBIDDEN, &blocked, None)),
        };
        if let Err(blocked) = passing.before(&mut parts).await {
            let path = parts.uri.path();
            return Ok(passing.refused(PluginAt::HttpPreRequest, path, &blocked));
        }
        let path = parts.uri.path().to_owned();
        let outer = OuterContexts::new(passing.contexts, points, policy);
        parts.extensions.insert(outer.clone());
        let response = next(Request::from_parts(parts, body)).await?;
        passing.contexts = outer.now();
        let (mut head, body) = response.into_parts();
        if let Err(blocked) = passing.after(&mut head).await {
            return Ok(passing.refused(PluginAt::HttpPostRequest, &path, &blocked));
        }
        #[cfg(feature = "log")]
        let _ = points.log(&path, &passing.contexts, None);
        Ok(Response::from_parts(head, body))
    }
}

/// The points at which hooks see HTTP requests and responses.
const POINTS: [PluginAt; 4] = [
    PluginAt::HttpPreRequest,
    PluginAt::HttpPreForwardingCall,
    PluginAt::HttpPostForwardingCall,
    PluginAt::HttpPostRequest,
];

/// What is kept of a request until its response.
struct HookedRequest {
    points: Arc<HttpPoints>,
    chain: Arc<Chain>,
    contexts: Contexts,
    request: HttpRequest,
}

impl HookedRequest {
    fn begin(
        points: Arc<HttpPoints>,
        chain: Arc<Chain>,
        parts: &request::Parts,
    ) -> Result<HookedRequest, Denial> {
        let mut contexts = points.contexts().map_err(|error| {
            tracing::error!(
                target: "hooks_sdk::http",
                %error, "an HTTP request is refused: it can have no id"
            );
            Denial::by_chain("plugin_error", "the server cannot handle a request now")
        })?;
        if let Some(principal) = parts.extensions.get::<Principal>() {
            contexts.global.user = Some(principal.as_str().to_owned());
            contexts.global.tenant_id = principal.tenant().map(str::to_owned);
            contexts.global = contexts.global.with_claims(principal.claims().cloned());
        }
        let client = parts.extensions.get::<ConnectInfo<SocketAddr>>();
        let mut request = HttpRequest::default();
        parts.uri.path().clone_into(&mut request.path);
        request.method = parts.method.to_string();
        request.client_host = client.map(|client| client.ip().to_string());
        request.client_port = client.map(|client| client.port());
        Ok(HookedRequest {
            points,
            chain,
            contexts,
            request,
        })
    }

    /// Runs the hooks before the service.
    async fn before(&mut self, parts: &mut request::Parts) -> Result<(), Denial> {
        let sent = parts.headers.clone();
        let headers = &mut parts.headers;
        if self.sees(PluginAt::HttpPreRequest, headers)? {
            let mut request = self.request.clone();
            request.headers = self.points.visible(headers);
            let point = point::http_pre_request;
            self.run(point, &mut request, headers, &sent).await?;
        }
        if self.sees(PluginAt::HttpPreForwardingCall, headers)? {
            let mut forwarded = ForwardedRequest::from(self.points.visible(headers));
            let point = point::http_pre_forwarding_call;
            self.run(point, &mut forwarded, headers, &sent).await?;
        }
        if self.sees(PluginAt::HttpPostRequest, headers)? {
            self.request.headers = self.points.visible(headers);
        }
        Ok(())
    }

    /// Runs the hooks after the service.
    async fn after(&mut self, head: &mut response::Parts) -> Result<(), Denial> {
        let sent = head.headers.clone();
        let headers = &mut head.headers;
        if self.sees(PluginAt::HttpPostForwardingCall, headers)? {
            let mut forwarded = ForwardedResponse::from(self.points.visible(headers));
            let point = point::http_post_forwarding_call;
            self.run(point, &mut forwarded, headers, &sent).await?;
        }
        if self.sees(PluginAt::HttpPostRequest, headers)? {
            let mut response = HttpResponse::default();
            response.request = std::mem::take(&mut self.request);
            response.response_headers = self.points.visible(headers);
            response.status_code = Some(head.status.as_u16());
            let point = point::http_post_request;
            self.run(point, &mut response, headers, &sent).await?;
        }
        Ok(())
    }

    /// Records a refusal, also in the decision log. Returns its response.
    fn refused(&mut self, at: PluginAt, path: &str, blocked: &Denial) -> Response<Body> {
        self.contexts.note(at, Decision::Denied, blocked);
        let status = match at {
            PluginAt::HttpPreRequest => StatusCode::FORBIDDEN,
            _ => StatusCode::BAD_GATEWAY,
        };
        #[cfg(feature = "log")]
        let id = self.points.log(path, &self.contexts, Some(blocked));
        #[cfg(not(feature = "log"))]
        let (id, _) = (None::<Arc<str>>, path);
        refused(&self.points, status, blocked, id.as_deref())
    }

    /// Returns whether a hook sees these headers.
    fn sees(&self, at: PluginAt, headers: &HeaderMap) -> Result<bool, Denial> {
        if !self.chain.stands_at(at) {
            return Ok(false);
        }
        if headers.len() > MOST {
            let reason = format!("the message has more than {MOST} headers");
            return Err(Denial::by_chain("payload_too_large", reason));
        }
        Ok(true)
    }

    /// Runs the hooks of one point, and applies what they changed.
    async fn run<P: PluginPoint<Change = HttpHeaders>>(
        &mut self,
        point: P,
        payload: &mut P::Payload,
        headers: &mut HeaderMap,
        sent: &HeaderMap,
    ) -> Result<(), Denial> {
        let seen = payload.headers().cloned().unwrap_or_default();
        let server = &self.points.server;
        let ran = self
            .chain
            .run_for(point, server, payload, &mut self.contexts)
            .await;
        match ran.end {
            End::Allowed => {}
            End::Blocked(blocked) => return Err(blocked),
            End::Asks(pending) => return Err(unaskable(pending.hook, "an HTTP request")),
        }
        if let Some(wanted) = payload.headers().filter(|_| ran.modified) {
            let rules = HeaderRules {
                points: &self.points,
                sent,
            };
            for dropped in rules.apply(headers, &seen, wanted)? {
                self.contexts.note_dropped(P::AT, dropped);
            }
        }
        Ok(())
    }
}

/// Returns the response in the place of a refused message.
fn refused(
    points: &HttpPoints,
    status: StatusCode,
    blocked: &Denial,
    decision_id: Option<&str>,
) -> Response<Body> {
    let mut members = points.members(blocked);
    if let Some(id) = decision_id {
        members.insert("decision_id".to_owned(), id.into());
    }
    let violation = Value::Object(members);
    let mut response = Response::new(Body::from(violation.to_string()));
    *response.status_mut() = status;
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, json);
    response
}
