//! Bodies: a request's, read within its limits, and a response's, with what belongs to it until it has ended.

use std::{
    error::Error,
    iter::successors,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use axum::{BoxError, body::Body};
use bytes::Bytes;
use futures::future::BoxFuture;
use http::{
    HeaderMap, StatusCode,
    header::{CONTENT_LENGTH, CONTENT_TYPE},
};
use http_body::{Body as HttpBody, Frame, SizeHint};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use tokio::{sync::OwnedSemaphorePermit, time::timeout};

use super::refusal::HttpRefusal;
use hooks_core::internal::debugs;

/// The limits of a request's body.
#[derive(Clone, Copy, Debug)]
pub struct BodyLimits {
    pub bytes: usize,
    pub time: Duration,
}

impl BodyLimits {
    /// Refuses a body whose announced length is too large.
    pub fn check(self, headers: &HeaderMap) -> Result<(), HttpRefusal> {
        match announced(headers) {
            Some(length) if length > self.bytes as u64 => Err(self.too_large()),
            _ => Ok(()),
        }
    }

    /// Reads the whole body.
    pub async fn read<B>(self, body: B) -> Result<Bytes, HttpRefusal>
    where
        B: HttpBody<Data = Bytes>,
        B::Error: Into<BoxError>,
    {
        let body = Limited::new(body, self.bytes).collect();
        match timeout(self.time, body).await {
            Ok(Ok(body)) => Ok(body.to_bytes()),
            Ok(Err(error)) if causes(&*error).any(|cause| cause.is::<LengthLimitError>()) => {
                Err(self.too_large())
            }
            Ok(Err(error)) => {
                tracing::debug!(target: "hooks_sdk::http", %error, "a body broke off");
                let sentence = "the body of the request broke off, or is not as long as announced";
                Err(HttpRefusal::new(StatusCode::BAD_REQUEST, sentence))
            }
            Err(_) => Err(HttpRefusal::new(
                StatusCode::REQUEST_TIMEOUT,
                format!(
                    "the body of the request did not arrive within {:?}: the operator of the server sets the time with `body_timeout`",
                    self.time
                ),
            )),
        }
    }

    fn too_large(self) -> HttpRefusal {
        HttpRefusal::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            format!(
                "the body of the request is larger than {} bytes: the operator of the server sets the limit with `max_body`",
                self.bytes
            ),
        )
    }
}

/// Returns the announced length of a body, in bytes.
pub fn announced(headers: &HeaderMap) -> Option<u64> {
    let length = headers.get(CONTENT_LENGTH)?;
    length.to_str().ok()?.parse().ok()
}

/// Returns an error and its causes.
fn causes<'e>(error: &'e (dyn Error + 'static)) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    successors(Some(error), |error| (*error).source())
}

/// Refuses a request whose body is not JSON.
pub fn is_json(headers: &HeaderMap) -> Result<(), HttpRefusal> {
    let kind = headers.get(CONTENT_TYPE).map(|kind| kind.as_bytes());
    let essence = kind.and_then(|kind| kind.split(|byte| *byte == b';').next());
    if essence.is_some_and(|kind| kind.trim_ascii().eq_ignore_ascii_case(b"application/json")) {
        return Ok(());
    }
    Err(HttpRefusal::new(
        StatusCode::UNSUPPORTED_MEDIA_TYPE,
        "the body of a POST is JSON: send `Content-Type: application/json`",
    ))
}

/// A response's body that holds a place among the running requests, and may be ended early.
pub struct Held {
    pub body: Body,
    /// The place, if it has one. It is free when the body has been dropped.
    pub place: Option<OwnedSemaphorePermit>,
    /// Ends the body when it is ready.
    pub end: Option<BoxFuture<'static, ()>>,
}

impl HttpBody for Held {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let ended = self.end.as_mut().map(|end| end.as_mut().poll(cx));
        if ended.is_some_and(|ended| ended.is_ready()) {
            self.end = None;
            self.body = Body::empty();
        }
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

debugs!(Held { place });
