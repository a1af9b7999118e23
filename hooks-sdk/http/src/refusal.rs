//! The answers to requests that do not reach the server.

use axum::{body::Body, response::IntoResponse};
use http::{
    HeaderValue, Method, Response, StatusCode,
    header::{ALLOW, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE},
};
use serde_json::json;

/// The seconds after which a client may try again.
const RETRY_SECONDS: HeaderValue = HeaderValue::from_static("1");

/// JSON-RPC's codes of a refusal: the client's mistake, and the server's trouble.
const INVALID_REQUEST: i32 = -32600;
const SERVER_ERROR: i32 = -32000;

/// A request that was refused: the status, and a sentence for who reads it.
#[derive(Debug)]
pub struct HttpRefusal {
    status: StatusCode,
    sentence: String,
    /// The methods that the path has, for the answer to another one.
    allow: Option<HeaderValue>,
    /// The answer to a client without a sufficient token.
    challenge: HeaderValue,
}

impl HttpRefusal {
    pub fn new(status: StatusCode, sentence: impl Into<String>) -> HttpRefusal {
        HttpRefusal {
            status,
            sentence: sentence.into(),
            allow: None,
            challenge: HeaderValue::from_static("Bearer"),
        }
    }

    /// Sets the value of `WWW-Authenticate`, which a 401 and a 403 of a login have.
    pub fn challenging(mut self, challenge: HeaderValue) -> HttpRefusal {
        self.challenge = challenge;
        self
    }

    /// Refuses the method of a request. `allow` lists those that the path has.
    pub fn of_method(allow: &'static str, sentence: &str) -> HttpRefusal {
        HttpRefusal {
            allow: Some(HeaderValue::from_static(allow)),
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
        let headers = response.headers_mut();
        match self.status {
            StatusCode::SERVICE_UNAVAILABLE => headers.insert(RETRY_AFTER, RETRY_SECONDS),
            StatusCode::UNAUTHORIZED => headers.insert(WWW_AUTHENTICATE, self.challenge),
            // Another host or origin is refused without a challenge.
            StatusCode::FORBIDDEN if self.challenge != "Bearer" => {
                headers.insert(WWW_AUTHENTICATE, self.challenge)
            }
            _ => self.allow.and_then(|allow| headers.insert(ALLOW, allow)),
        };
        response
    }
}
