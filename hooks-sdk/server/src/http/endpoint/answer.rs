//! The answer to a request: JSON if it comes soon and nothing comes before it, and else a stream of events.

use std::{
    convert::Infallible,
    future::poll_fn,
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll},
};

use axum::body::Body;
use bytes::Bytes;
use futures::{Stream, future::BoxFuture};
use http::{
    HeaderName, HeaderValue, Response, StatusCode,
    header::{CACHE_CONTROL, CONTENT_TYPE},
};
use rmcp::model::{ErrorCode, RequestId};
use tokio::{
    runtime::Handle,
    time::{Instant, Interval, MissedTickBehavior, interval_at, sleep},
};

use super::response::json;
use crate::{
    http::TransportSettings,
    server::carried::{Event, EventKind, EventReader, Exchange, Session},
};

/// How many milliseconds a client waits before it asks for a broken stream again.
const RETRY: u32 = 3000;

/// Asks nginx not to hold events back.
const UNBUFFERED: HeaderName = HeaderName::from_static("x-accel-buffering");

/// A request of a client that keeps no session.
pub(super) struct AloneRequest {
    pub(super) id: RequestId,
    /// Whether its `_meta` lacks what its revision asks for.
    pub(super) lacks_meta: bool,
}

/// The work on a request. In a session it goes on when its client goes away. Without a session it is cancelled then: its client
/// has no other way.
pub(super) struct RunningRequest {
    work: Option<BoxFuture<'static, ()>>,
    session: Arc<Session>,
    /// Set for a request without a session.
    id: Option<RequestId>,
}

impl Drop for RunningRequest {
    fn drop(&mut self) {
        if let Some(id) = &self.id {
            self.session.cancel(id);
        }
        if let Some(work) = self.work.take()
            && let Ok(runtime) = Handle::try_current()
        {
            runtime.spawn(work);
        }
    }
}

/// Runs a request until its answer, or until its first message, or until it has taken long. `primes` is whether a stream begins
/// with an event without data.
pub(super) async fn answered(
    exchange: Exchange,
    session: Arc<Session>,
    alone: Option<AloneRequest>,
    primes: bool,
    settings: &TransportSettings,
) -> Response<Body> {
    let Exchange { mut reader, work } = exchange;
    let lacks_meta = alone.as_ref().map(|alone| alone.lacks_meta);
    let mut running = RunningRequest {
        work: Some(work),
        session,
        id: alone.map(|alone| alone.id),
    };
    let mut late = pin!(sleep(settings.stream_after));
    let first = poll_fn(|cx| {
        if let Some(work) = &mut running.work
            && work.as_mut().poll(cx).is_ready()
        {
            running.work = None;
        }
        match reader.poll_next(cx) {
            Poll::Ready(event) => Poll::Ready(Some(event)),
            Poll::Pending => late.as_mut().poll(cx).map(|()| None),
        }
    });
    let first = match first.await {
        Some(Some((_, event))) if let EventKind::Answer(code) = event.kind => {
            // Nothing is left to cancel.
            running.id = None;
            return json(status(lacks_meta, code), event.text);
        }
        Some(None) => {
            running.id = None;
            return ended();
        }
        first => first.flatten(),
    };
    if let Some(work) = running.work.take() {
        tokio::spawn(work);
    }
    let session = running.session.clone();
    let running = running.id.is_some().then_some(running);
    if running.is_none() {
        session.keeps(reader.position().0);
    }
    EventBody::response(&session, reader, running, first, primes, settings)
}

/// In a session, and in a stream, the status tells nothing of an error.
fn status(lacks_meta: Option<bool>, code: Option<ErrorCode>) -> StatusCode {
    let (Some(lacks_meta), Some(code)) = (lacks_meta, code) else {
        return StatusCode::OK;
    };
    match code {
        ErrorCode::UNSUPPORTED_PROTOCOL_VERSION
        | ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY
        | ErrorCode::HEADER_MISMATCH => StatusCode::BAD_REQUEST,
        ErrorCode::INVALID_PARAMS if lacks_meta => StatusCode::BAD_REQUEST,
        ErrorCode::METHOD_NOT_FOUND => StatusCode::NOT_FOUND,
        _ => StatusCode::OK,
    }
}

/// The body of a stream of events.
pub(super) struct EventBody {
    reader: EventReader,
    /// Without a session, the request is cancelled when nobody reads its stream any more.
    _running: Option<RunningRequest>,
    /// What the ids of the events begin with. Without a session they have none.
    names: Option<String>,
    /// The number of the event before the first one, until it is sent. With it, a client can go on before there is an event.
    begins: Option<u64>,
    first: Option<(u64, Event)>,
    comments: Interval,
}

impl EventBody {
    /// Returns the response with a stream of a session, or of a request without one, which `running` has.
    pub(super) fn response(
        session: &Session,
        reader: EventReader,
        running: Option<RunningRequest>,
        first: Option<(u64, Event)>,
        primes: bool,
        settings: &TransportSettings,
    ) -> Response<Body> {
        let (stream, last) = reader.position();
        let (every, now) = (settings.keep_alive, Instant::now());
        let mut comments = interval_at(now + every, every);
        comments.set_missed_tick_behavior(MissedTickBehavior::Delay);
        // The client has read what is before the first event.
        let before = first.as_ref().map_or(last, |(number, _)| number - 1);
        events(Body::from_stream(EventBody {
            reader,
            names: running.is_none().then(|| named(session, stream)),
            _running: running,
            begins: primes.then_some(before),
            first,
            comments,
        }))
    }

    fn text(&self, number: u64, event: &Event) -> Bytes {
        let id = self.names.as_ref();
        let id = id.map_or_else(String::new, |stream| format!("id: {stream}-{number}\n"));
        let parts = [id.as_bytes(), b"data: ", &event.text, b"\n\n"];
        parts.concat().into()
    }
}

impl Stream for EventBody {
    type Item = Result<Bytes, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let (Some(last), Some(stream)) = (self.begins.take(), &self.names) {
            let begins = format!("id: {stream}-{last}\nretry: {RETRY}\ndata: \n\n");
            return Poll::Ready(Some(Ok(begins.into())));
        }
        let next = match self.first.take() {
            Some(first) => Poll::Ready(Some(first)),
            None => self.reader.poll_next(cx),
        };
        match next {
            Poll::Ready(Some((number, event))) => {
                self.comments.reset();
                Poll::Ready(Some(Ok(self.text(number, &event))))
            }
            Poll::Ready(None) => {
                // The answer is sent.
                if let Some(running) = &mut self._running {
                    running.id = None;
                }
                Poll::Ready(None)
            }
            Poll::Pending => {
                let tick = self.comments.poll_tick(cx);
                tick.map(|_| Some(Ok(Bytes::from_static(b":\n\n"))))
            }
        }
    }
}

fn events(body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(UNBUFFERED, HeaderValue::from_static("no"));
    response
}

/// Returns a stream that has ended.
pub(super) fn ended() -> Response<Body> {
    events(Body::empty())
}

/// Returns what the ids of a stream's events begin with. Another process that goes on with the session gives other ids.
fn named(session: &Session, stream: u64) -> String {
    format!("{:x}-{stream}", session.number())
}

/// Returns the stream behind an event. An id that this process has not given tells nothing: its client gets what nobody has read.
/// Returns `None` if the stream is not kept.
pub(super) fn resumed(session: &Session, last: &HeaderValue) -> Option<EventReader> {
    let named = || {
        let (process, event) = last.to_str().ok()?.split_once('-')?;
        let (stream, after) = event.split_once('-')?;
        let is_own = process == format!("{:x}", session.number());
        is_own.then_some((stream.parse().ok()?, after.parse().ok()?))
    };
    match named() {
        Some((stream, after)) => session.resume(stream, after),
        None => Some(session.listen()),
    }
}
