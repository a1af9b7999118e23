//! The body of a response, with what belongs to the response until the body has ended.

use std::{
    fmt,
    pin::Pin,
    task::{Context, Poll},
};

use axum::body::Body;
use bytes::Bytes;
use futures::future::BoxFuture;
use http_body::{Frame, SizeHint};
use tokio::sync::OwnedSemaphorePermit;

/// A response's body that holds a place among the running requests, and may be ended early.
pub struct Held {
    pub body: Body,
    /// The place, if it has one. It is free when the body has been dropped.
    pub place: Option<OwnedSemaphorePermit>,
    /// Ends the body when it is ready.
    pub end: Option<BoxFuture<'static, ()>>,
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
