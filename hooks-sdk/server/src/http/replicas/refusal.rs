//! The answers of the replicas themselves. None tells what the store said.

use axum::body::Body;
use http::{HeaderValue, Response, StatusCode, header::RETRY_AFTER};
use serde_json::json;

use crate::http::endpoint::{empty, json as json_response};

/// The session is unknown, has ended, or is another principal's.
pub(super) fn unknown_session() -> Response<Body> {
    json_rpc_error(StatusCode::NOT_FOUND, -32001, "Session not found")
}

/// The store does not answer, and this replica cannot go on without it.
pub(super) fn unavailable() -> Response<Body> {
    let text = "The server is unavailable for a moment; send the request again";
    let mut response = json_rpc_error(StatusCode::SERVICE_UNAVAILABLE, -32000, text);
    let headers = response.headers_mut();
    headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
    response
}

pub(super) fn accepted() -> Response<Body> {
    empty(StatusCode::ACCEPTED)
}

fn json_rpc_error(status: StatusCode, code: i32, message: &str) -> Response<Body> {
    let error = json!({"jsonrpc": "2.0", "id": null, "error": {"code": code, "message": message}});
    json_response(status, error.to_string())
}
