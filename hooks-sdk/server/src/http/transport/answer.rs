//! The answers of the service behind the transport: marked members are lifted, everything else passes as it came.

use axum::body::Body;
use bytes::Bytes;
use http::{
    HeaderMap, HeaderValue, Response, StatusCode,
    header::{CONTENT_LENGTH, CONTENT_TYPE},
};
use http_body::Body as HttpBody;
use http_body_util::BodyExt;

use super::{events::LiftedEvents, lift::Exit};
use crate::server::carried::Replacement;
use hooks_http::body::whole;

/// Any error of a body.
pub(super) type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Returns a response with its messages as they leave. The head of an answer `to_post` waits shortly for its first event.
pub(super) async fn leave<R>(response: Response<R>, exit: Exit, to_post: bool) -> Response<Body>
where
    R: HttpBody<Data = Bytes> + Send + 'static,
    R::Error: Into<BoxError>,
{
    let (mut head, body) = response.into_parts();
    let body = match media_type(&head.headers) {
        Some(kind) if kind.eq_ignore_ascii_case("text/event-stream") => {
            let events = LiftedEvents::new(body.map_err(Into::<BoxError>::into), exit);
            match to_post {
                true => events.begun().await,
                false => Body::new(events),
            }
        }
        Some(kind) if kind.eq_ignore_ascii_case("application/json") => {
            let body = match whole(body.map_err(Into::<BoxError>::into)).await {
                Ok(body) => body,
                Err(error) => {
                    tracing::error!(
                        target: "hooks_sdk::http",
                        %error, "the body of an answer ended early"
                    );
                    return empty(StatusCode::INTERNAL_SERVER_ERROR);
                }
            };
            let body = match exit.passes(&body) {
                Replacement::AsItIs => body,
                Replacement::As(changed) => Bytes::from(changed),
                Replacement::Nothing => return empty(StatusCode::INTERNAL_SERVER_ERROR),
            };
            if let Some(length) = head.headers.get_mut(CONTENT_LENGTH) {
                *length = HeaderValue::from(body.len());
            }
            Body::from(body)
        }
        _ => Body::new(body),
    };
    Response::from_parts(head, body)
}

/// Returns the media type of a message, without its parameters.
pub(super) fn media_type(headers: &HeaderMap) -> Option<&str> {
    let kind = headers.get(CONTENT_TYPE)?.to_str().ok()?;
    Some(kind.split_once(';').map_or(kind, |(kind, _)| kind).trim())
}

/// Returns a response without a body.
pub(in crate::http) fn empty(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}

/// Returns a response of plain text.
pub(super) fn text(status: StatusCode, text: String) -> Response<Body> {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    let kind = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}

/// Returns a JSON-RPC error for a message that cannot be read.
pub(super) fn malformed(error: Vec<u8>) -> Response<Body> {
    json(StatusCode::BAD_REQUEST, error)
}

/// Returns a response of JSON.
pub(in crate::http) fn json(status: StatusCode, json: Vec<u8>) -> Response<Body> {
    let mut response = Response::new(Body::from(json));
    *response.status_mut() = status;
    let kind = HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}
