//! Replicas in one process, without sockets, where time stands still unless a test moves it.

mod mail;
mod sessions;
mod store;

use std::{
    convert::Infallible,
    sync::{Arc, Mutex},
};

use axum::body::Body;
use http::{Method, Request, Response, StatusCode};
use http_body_util::BodyExt;
use rmcp::model::InitializeRequestParams;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use tower::{Layer, ServiceExt, service_fn, util::BoxCloneSyncService};

pub(super) use self::store::Weather;
use super::{ReplicaOptions, Replicas};
use crate::http::{
    Principal,
    transport::{ReplicaId, SessionManager},
};

type Reached = (Method, String, Option<String>);

/// A replica whose inner service notes what reaches it.
pub(super) struct Replica {
    pub(super) replicas: Replicas,
    pub(super) manager: Arc<SessionManager>,
    service: BoxCloneSyncService<Request<Body>, Response<Body>, Infallible>,
    /// The method and body of each request that reached the inner service, and its `Last-Event-ID`.
    pub(super) reached: Arc<Mutex<Vec<Reached>>>,
    pub(super) ends: CancellationToken,
}

pub(super) fn replica(store: &Arc<Weather>, settings: ReplicaOptions) -> Replica {
    let ends = CancellationToken::new();
    let id = ReplicaId::random();
    let replicas = Replicas::new(id, store.clone(), settings, ends.clone());
    let manager = Arc::new(SessionManager::new(id, true));
    let reached: Arc<Mutex<Vec<_>>> = Arc::default();
    let (noted, sessions, inside) = (reached.clone(), manager.clone(), replicas.clone());
    let inner = service_fn(move |request: Request<Body>| {
        let (noted, sessions, replicas) = (noted.clone(), sessions.clone(), inside.clone());
        async move {
            let last = request.headers().get("last-event-id");
            let last = last.map(|last| last.to_str().expect("text").to_owned());
            let (parts, body) = request.into_parts();
            let body = body.collect().await.expect("a body").to_bytes();
            let body = String::from_utf8(body.to_vec()).expect("text");
            noted
                .lock()
                .unwrap()
                .push((parts.method.clone(), body.clone(), last));
            Ok::<_, Infallible>(serve(&replicas, &sessions, &parts, &body).await)
        }
    });
    Replica {
        service: BoxCloneSyncService::new(replicas.layer(manager.clone()).layer(inner)),
        replicas,
        manager,
        reached,
        ends,
    }
}

/// What rmcp's service does with the stores, in short.
async fn serve(
    replicas: &Replicas,
    sessions: &SessionManager,
    parts: &http::request::Parts,
    body: &str,
) -> Response<Body> {
    use rmcp::transport::streamable_http_server::session::{
        SessionManager as _, SessionState, SessionStore,
    };
    let session = parts
        .headers
        .get("mcp-session-id")
        .map(|id| id.to_str().expect("text"));
    match session {
        Some(session) if parts.method == Method::DELETE => {
            sessions
                .close_session(&session.into())
                .await
                .expect("closed");
        }
        Some(session) if sessions.has_session(&session.into()).await.expect("known") => {}
        Some(session) => match replicas.load(session).await {
            Ok(Some(_)) => drop(
                sessions
                    .restore_session(session.into())
                    .await
                    .expect("restored"),
            ),
            Ok(None) => return status(StatusCode::NOT_FOUND),
            Err(_) => return status(StatusCode::INTERNAL_SERVER_ERROR),
        },
        None if body.contains("initialize") => {
            let (id, transport) = sessions.create_session().await.expect("a session");
            // The worker lives as long as its transport.
            std::mem::forget(transport);
            let state = SessionState::new(params());
            replicas.store(&id, &state).await.expect("stored");
            let mut response = status(StatusCode::OK);
            let id = id.parse().expect("a header");
            response.headers_mut().insert("mcp-session-id", id);
            return response;
        }
        None => {}
    }
    status(StatusCode::OK)
}

fn status(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}

pub(super) fn params() -> InitializeRequestParams {
    let params = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {"elicitation": {}},
        "clientInfo": {"name": "client", "version": "1"},
    });
    serde_json::from_value(params).expect("parameters")
}

impl Replica {
    pub(super) async fn send(&self, request: Request<Body>) -> Response<Body> {
        let Ok(response) = self.service.clone().oneshot(request).await;
        response
    }

    /// Opens a session of a principal.
    pub(super) async fn open(&self, principal: &str) -> String {
        let body = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize"});
        let response = self
            .send(request(Method::POST, principal, None, &body))
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

    pub(super) async fn is_live(&self, session: &str) -> bool {
        use rmcp::transport::streamable_http_server::session::SessionManager as _;
        self.manager
            .has_session(&session.into())
            .await
            .expect("known")
    }

    pub(super) fn times_reached(&self) -> usize {
        self.reached.lock().unwrap().len()
    }
}

pub(super) fn request(
    method: Method,
    principal: &str,
    session: Option<&str>,
    body: &Value,
) -> Request<Body> {
    let mut request = Request::builder().method(method).uri("/mcp");
    if let Some(session) = session {
        request = request.header("mcp-session-id", session);
    }
    let request = request.extension(Principal::new(principal));
    request
        .body(Body::from(body.to_string()))
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
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("it never held");
}
