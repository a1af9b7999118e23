//! One HTTP request through the hooks, to the service and back.

use std::{net::SocketAddr, sync::Arc};

use ::http::{HeaderMap, Request, Response, StatusCode, header::CONTENT_TYPE, request, response};
use axum::{body::Body, extract::ConnectInfo, response::IntoResponse};
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
        let mut passing = HookedRequest::begin(points.clone(), chain, &parts);
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
    fn begin(points: Arc<HttpPoints>, chain: Arc<Chain>, parts: &request::Parts) -> HookedRequest {
        let mut contexts = points.contexts();
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
        HookedRequest {
            points,
            chain,
            contexts,
            request,
        }
    }

    /// Runs the hooks before the service.
    async fn before(&mut self, parts: &mut request::Parts) -> Result<(), Denial> {
        let sent = parts.headers.clone();
        let headers = &mut parts.headers;
        let seen = |this: &mut HookedRequest, headers| {
            let mut request = this.request.clone();
            request.headers = headers;
            request
        };
        self.run(point::http_pre_request, seen, headers, &sent)
            .await?;
        let seen = |_: &mut HookedRequest, headers| ForwardedRequest::from(headers);
        self.run(point::http_pre_forwarding_call, seen, headers, &sent)
            .await?;
        if self.sees(PluginAt::HttpPostRequest, headers)? {
            self.request.headers = self.points.visible(headers);
        }
        Ok(())
    }

    /// Runs the hooks after the service.
    async fn after(&mut self, head: &mut response::Parts) -> Result<(), Denial> {
        let sent = head.headers.clone();
        let headers = &mut head.headers;
        let seen = |_: &mut HookedRequest, headers| ForwardedResponse::from(headers);
        self.run(point::http_post_forwarding_call, seen, headers, &sent)
            .await?;
        let status = head.status;
        let seen = |this: &mut HookedRequest, headers| {
            let mut response = HttpResponse::default();
            response.request = std::mem::take(&mut this.request);
            response.response_headers = headers;
            response.status_code = Some(status.as_u16());
            response
        };
        self.run(point::http_post_request, seen, headers, &sent)
            .await
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
        let mut members = self.points.members(blocked);
        if let Some(id) = id.as_deref() {
            members.insert("decision_id".to_owned(), id.into());
        }
        let violation = Value::Object(members).to_string();
        (status, [(CONTENT_TYPE, "application/json")], violation).into_response()
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

    /// Runs the hooks of one point, if there are any, and applies what they changed. `seen` makes what they see of the headers.
    async fn run<P: PluginPoint<Change = HttpHeaders>>(
        &mut self,
        point: P,
        seen: impl FnOnce(&mut HookedRequest, HttpHeaders) -> P::Payload,
        headers: &mut HeaderMap,
        sent: &HeaderMap,
    ) -> Result<(), Denial> {
        if !self.sees(P::AT, headers)? {
            return Ok(());
        }
        let visible = self.points.visible(headers);
        let mut payload = seen(self, visible);
        let seen = payload.headers().cloned().unwrap_or_default();
        let server = &self.points.server;
        let ran = self
            .chain
            .run_for(point, server, &mut payload, &mut self.contexts)
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
