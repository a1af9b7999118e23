//! The answers of the endpoint that are no messages of the server.

use axum::{body::Body, response::IntoResponse};
use bytes::Bytes;
use http::{
    HeaderValue, Response, StatusCode,
    header::{ALLOW, CONTENT_TYPE},
};
use rmcp::{
    ErrorData,
    model::{JsonRpcError, RequestId},
};

/// The response to a request that is refused.
pub(in crate::http) type Refused = Box<Response<Body>>;

/// Returns a response of JSON.
pub(super) fn json(status: StatusCode, json: impl Into<Bytes>) -> Response<Body> {
    let kind = HeaderValue::from_static("application/json");
    (status, [(CONTENT_TYPE, kind)], Body::from(json.into())).into_response()
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

pub(super) fn bad_request(sentence: impl IntoResponse) -> Refused {
    Box::new((StatusCode::BAD_REQUEST, sentence).into_response())
}

pub(super) fn session_is_required() -> Refused {
    bad_request("Bad Request: Session ID is required")
}

pub(in crate::http) fn unknown_session() -> Refused {
    Box::new((StatusCode::NOT_FOUND, "Not Found: Session not found").into_response())
}

pub(super) fn method_not_allowed(allowed: &'static str) -> Response<Body> {
    let status = StatusCode::METHOD_NOT_ALLOWED;
    (status, [(ALLOW, allowed)], "Method Not Allowed").into_response()
}
