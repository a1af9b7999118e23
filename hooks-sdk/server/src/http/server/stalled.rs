//! Cuts off an HTTP/2 client that reads nothing of one of its streams.
//!
//! The timeout of the connection does not see it, because the other streams of the connection go on.

use std::{pin::pin, time::Duration};

use axum::body::Body;
use futures::{
    future::{Either, select},
    stream,
};
use http_body_util::{BodyExt, StreamBody};
use tokio::{sync::mpsc, time::timeout};

use hooks_http::body::Held;

/// Passes the frames on. When the client takes none for `longest`, the body is dropped, and with it the call.
pub(super) fn watched(mut body: Held, longest: Duration) -> Body {
    let (sender, mut receiver) = mpsc::channel(1);
    tokio::spawn(async move {
        loop {
            let (frame, gone) = (pin!(body.frame()), pin!(sender.closed()));
            let frame = match select(frame, gone).await {
                Either::Left((Some(frame), _)) => frame,
                _ => return,
            };
            if timeout(longest, sender.send(frame)).await.is_err() {
                tracing::debug!(
                    target: "hooks_sdk::http",
                    "a client that reads nothing was cut off"
                );
                return;
            }
        }
    });
    let frames = stream::poll_fn(move |cx| receiver.poll_recv(cx));
    Body::new(StreamBody::new(frames))
}
