//! The bodies: reads a request's within its limits, and holds what belongs to a response until its body has ended.

use std::{
    fmt,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use axum::{BoxError, body::Body};
use bytes::Bytes;
use futures::future::BoxFuture;
use http::{HeaderMap, StatusCode, header::CONTENT_LENGTH};
use http_body::{Frame, SizeHint};
use http_body_util::{LengthLimitError, Limited};
use tokio::{sync::OwnedSemaphorePermit, time::timeout};

use super::refusal::Refusal;
use crate::http::whole::whole;

/// The limits of a request's body.
#[derive(Clone, Copy, Debug)]
pub(super) struct BodyLimits {
    pub(super) bytes: usize,
    pub(super) time: Duration,
}

impl BodyLimits {
    /// Refuses a body whose announced length is too large.
    pub(super) fn check(self, headers: &HeaderMap) -> Result<(), Refusal> {
        let length = headers.get(CONTENT_LENGTH);
        let length = length.and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
        match length {
            Some(length) if length > self.bytes as u64 => Err(self.too_large()),
            _ => Ok(()),
        }
    }

    /// Reads the whole body.
    pub(super) async fn read<B>(self, body: B) -> Result<Bytes, Refusal>
    where
        B: http_body::Body<Data = Bytes>,
        B::Error: Into<BoxError>,
    {
        let body = whole(Limited::new(body, self.bytes));
        match timeout(self.time, body).await {
            Ok(Ok(body)) => Ok(body),
            Ok(Err(error)) if is_too_long(&*error) => Err(self.too_large()),
            Ok(Err(error)) => {
                tracing::debug!(%error, "a body broke off");
                let sentence = "the body of the request broke off, or is not as long as announced";
                Err(Refusal::new(StatusCode::BAD_REQUEST, sentence))
            }
            Err(_) => Err(Refusal::new(
                StatusCode::REQUEST_TIMEOUT,
                format!(
                    "the body of the request did not arrive within {:?}: the operator of the server sets the time with `Server::body_timeout`",
                    self.time
                ),
            )),
        }
    }

    fn too_large(self) -> Refusal {
        Refusal::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            format!(
                "the body of the request is larger than {} bytes: the operator of the server sets the limit with `Server::max_body`",
                self.bytes
            ),
        )
    }
}

fn is_too_long(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut next = Some(error);
    while let Some(error) = next {
        if error.is::<LengthLimitError>() {
            return true;
        }
        next = error.source();
    }
    false
}

/// A response's body that holds a place among the running requests, and may be ended early.
pub(super) struct Held {
    pub(super) body: Body,
    /// The place, if it has one. It is free when the body has been dropped.
    pub(super) place: Option<OwnedSemaphorePermit>,
    /// Ends the body when it is ready.
    pub(super) end: Option<BoxFuture<'static, ()>>,
}

impl http_body::Body for Held {
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

impl fmt::Debug for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Held")
            .field("place", &self.place)
            .finish_non_exhaustive()
    }
}
