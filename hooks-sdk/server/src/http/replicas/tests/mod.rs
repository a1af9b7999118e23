//! Replicas in one process, without sockets, where time stands still unless a test moves it.

mod mail;
mod sessions;
mod store;

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use axum::body::Body;
use bytes::Bytes;
use http::{Method, Request, Response, StatusCode};
use http_body_util::BodyExt;
use rmcp::{ErrorData, RoleServer, ServerHandler, service::RequestContext};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

pub(super) use self::store::Weather;
use crate::{
    http::{Principal, TransportSettings, endpoint::Endpoint},
    server::WithHooks,
};

/// A replica whose server counts the pings that reach it.
pub(super) struct Replica {
    endpoint: Endpoint,
    reached: Arc<AtomicUsize>,
    pub(super) ends: CancellationToken,
}

struct Pinged(Arc<AtomicUsize>);

impl ServerHandler for Pinged {
    async fn ping(&self, _: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}

pub(super) fn replica(store: &Arc<Weather>) -> Replica {
    let ends = CancellationToken::new();
    let reached: Arc<AtomicUsize> = Arc::default();
    let hooked = Pinged(reached.clone()).with_hooks().expect("no hooks");
    let mut settings = TransportSettings::default();
    settings.session_idle = Duration::from_secs(10 * 24 * 3600);
    let shared = Some(store.clone() as _);
    let endpoint = Endpoint::new(hooked.service, shared, Arc::new(settings), ends.clone());
    Replica {
        endpoint,
        reached,
        ends,
    }
}

impl Replica {
    pub(super) async fn send(&self, request: Request<Bytes>) -> Response<Body> {
        self.endpoint.answer(request).await
    }

    /// Opens a session of a principal.
    pub(super) async fn open(&self, principal: &str) -> String {
        let response = self
            .send(request(Method::POST, principal, None, &initialize()))
            .await;
        let id = response.headers().get("mcp-session-id").expect("a session");
        id.to_str().expect("text").to_owned()
    }

    /// Sends a ping in a session.
    pub(super) async fn ping(&self, principal: &str, session: &str) -> StatusCode {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
        self.post(principal, session, &body).await.status()
    }

    pub(super) async fn post(
        &self,
        principal: &str,
        session: &str,
        body: &Value,
    ) -> Response<Body> {
        self.send(request(Method::POST, principal, Some(session), body))
            .await
    }

    pub(super) async fn delete(&self, principal: &str, session: &str) -> StatusCode {
        let request = request(Method::DELETE, principal, Some(session), &Value::Null);
        self.send(request).await.status()
    }

    pub(super) fn is_live(&self, session: &str) -> bool {
        self.endpoint.sessions.is_live(session)
    }

    pub(super) fn sessions(&self) -> usize {
        self.endpoint.sessions.count()
    }

    pub(super) fn times_reached(&self) -> usize {
        self.reached.load(Ordering::Relaxed)
    }
}

pub(super) fn initialize() -> Value {
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {"elicitation": {}},
        "clientInfo": {"name": "client", "version": "1"},
    }})
}

pub(super) fn request(
    method: Method,
    principal: &str,
    session: Option<&str>,
    body: &Value,
) -> Request<Bytes> {
    let mut request = Request::builder()
        .method(method)
        .uri("/mcp")
        .header("content-type", "application/json");
    if let Some(session) = session {
        request = request.header("mcp-session-id", session);
    }
    let request = request.extension(Principal::new(principal));
    request
        .body(Bytes::from(body.to_string()))
        .expect("a request")
}

pub(super) async fn text(response: Response<Body>) -> String {
    let body = response.into_body().collect().await.expect("a body");
    String::from_utf8(body.to_bytes().to_vec()).expect("text")
}

/// Waits until the condition holds. Time moves on as soon as nothing else can.
pub(super) async fn until(mut holds: impl AsyncFnMut() -> bool) {
    for _ in 0..10_000 {
        if holds().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("it never held");
}
