//! The answers of the endpoint that are no messages of the server.

use axum::body::Body;
use bytes::Bytes;
use http::{
    HeaderValue, Response, StatusCode,
    header::{ALLOW, CONTENT_TYPE},
};
use rmcp::{
    ErrorData,
    model::{JsonRpcError, RequestId},
};

use super::headers::Refused;

/// Returns a response without a body.
pub(in crate::http) fn empty(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}

/// Returns a response of plain text.
pub(super) fn text(status: StatusCode, text: impl Into<Body>) -> Response<Body> {
    typed(status, "text/plain; charset=utf-8", text.into())
}

/// Returns a response of JSON.
pub(super) fn json(status: StatusCode, json: impl Into<Bytes>) -> Response<Body> {
    typed(status, "application/json", Body::from(json.into()))
}

fn typed(status: StatusCode, kind: &'static str, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let kind = HeaderValue::from_static(kind);
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}

/// Returns an error of JSON-RPC.
pub(super) fn error(status: StatusCode, id: RequestId, error: ErrorData) -> Response<Body> {
    *json_error(status, Some(id), error)
}

/// Returns an error of JSON-RPC, in place of what was asked.
pub(super) fn json_error(status: StatusCode, id: Option<RequestId>, error: ErrorData) -> Refused {
    let error = serde_json::to_vec(&JsonRpcError::new(id, error));
    Box::new(json(status, error.unwrap_or_default()))
}

pub(super) fn internal(error: ErrorData) -> Refused {
    tracing::error!(target: "hooks_sdk::http", %error, "a request cannot be served");
    json_error(StatusCode::INTERNAL_SERVER_ERROR, None, error)
}

pub(super) fn bad_request(sentence: String) -> Refused {
    Box::new(text(StatusCode::BAD_REQUEST, sentence))
}

pub(super) fn session_is_required() -> Refused {
    bad_request("Bad Request: Session ID is required".to_owned())
}

pub(in crate::http) fn unknown_session() -> Refused {
    Box::new(text(StatusCode::NOT_FOUND, "Not Found: Session not found"))
}

pub(super) fn not_acceptable(sentence: &'static str) -> Refused {
    Box::new(text(StatusCode::NOT_ACCEPTABLE, sentence))
}

pub(super) fn unreadable_body() -> Response<Body> {
    text(
        StatusCode::BAD_REQUEST,
        "the body could not be read to its end",
    )
}

pub(super) fn method_not_allowed(allowed: &'static str) -> Response<Body> {
    let mut response = text(StatusCode::METHOD_NOT_ALLOWED, "Method Not Allowed");
    let allowed = HeaderValue::from_static(allowed);
    response.headers_mut().insert(ALLOW, allowed);
    response
}
