//! `/healthz`: whether the process runs.

use axum::body::Body;
use http::{
    HeaderValue, Response, StatusCode,
    header::{CACHE_CONTROL, CONTENT_TYPE},
};
use serde_json::{Value, json};

/// The path of the probe.
pub const ALIVE: &str = "/healthz";

/// Answers `/healthz`.
pub fn alive() -> Response<Body> {
    answer(StatusCode::OK, &json!({"status": "alive"}))
}

/// Answers a probe.
pub fn answer(status: StatusCode, body: &Value) -> Response<Body> {
    let mut response = Response::new(Body::from(body.to_string()));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
