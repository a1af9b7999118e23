//! The answers to requests that do not reach the server.

use axum::{body::Body, response::IntoResponse};
use http::{
    HeaderName, HeaderValue, Method, Response, StatusCode,
    header::{ALLOW, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE},
};
use serde_json::json;

/// The seconds after which a client may try again.
const RETRY_SECONDS: HeaderValue = HeaderValue::from_static("1");

/// The challenge to a client without a token, unless another one is set.
const BEARER: HeaderValue = HeaderValue::from_static("Bearer");

/// JSON-RPC's codes of a refusal: the client's mistake, and the server's trouble.
const INVALID_REQUEST: i32 = -32600;
const SERVER_ERROR: i32 = -32000;

/// A request that was refused: the status, and a sentence for who reads it.
#[derive(Debug)]
pub struct HttpRefusal {
    status: StatusCode,
    sentence: String,
    /// What tells the client how to go on: when, with which token, or by which method.
    header: Option<(HeaderName, HeaderValue)>,
}

impl HttpRefusal {
    pub fn new(status: StatusCode, sentence: impl Into<String>) -> HttpRefusal {
        let header = match status {
            StatusCode::SERVICE_UNAVAILABLE => Some((RETRY_AFTER, RETRY_SECONDS)),
            StatusCode::UNAUTHORIZED => Some((WWW_AUTHENTICATE, BEARER)),
            _ => None,
        };
        HttpRefusal {
            status,
            sentence: sentence.into(),
            header,
        }
    }

    /// Sets the value of `WWW-Authenticate`, which a 401 and a 403 of a login have.
    pub fn challenging(mut self, challenge: HeaderValue) -> HttpRefusal {
        self.header = Some((WWW_AUTHENTICATE, challenge));
        self
    }

    /// Refuses the method of a request. `allow` lists those that the path has.
    pub fn of_method(allow: &'static str, sentence: &str) -> HttpRefusal {
        HttpRefusal {
            header: Some((ALLOW, HeaderValue::from_static(allow))),
            ..HttpRefusal::new(StatusCode::METHOD_NOT_ALLOWED, sentence)
        }
    }

    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// Makes the response: a JSON-RPC error for a POST, and text for other requests.
    pub fn response(self, method: &Method) -> Response<Body> {
        let mut response = match *method {
            Method::POST => {
                let code = match self.status.is_server_error() {
                    true => SERVER_ERROR,
                    false => INVALID_REQUEST,
                };
                let error = json!({"code": code, "message": self.sentence});
                let message = json!({"jsonrpc": "2.0", "id": null, "error": error});
                ([(CONTENT_TYPE, "application/json")], message.to_string()).into_response()
            }
            _ => (self.sentence + "\n").into_response(),
        };
        *response.status_mut() = self.status;
        response.headers_mut().extend(self.header);
        response
    }
}
