//! `/healthz`: whether the process runs.

use axum::{body::Body, response::IntoResponse};
use http::{
    Response, StatusCode,
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
    let headers = [
        (CONTENT_TYPE, "application/json"),
        (CACHE_CONTROL, "no-store"),
    ];
    (status, headers, body.to_string()).into_response()
}
