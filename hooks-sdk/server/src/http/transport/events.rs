//! Lifts marked members out of a stream of server-sent events, event by event.

use std::{
    mem,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use axum::body::Body;
use bytes::Bytes;
use http_body::{Body as HttpBody, Frame};
use http_body_util::BodyExt;
use memchr::memmem;
use tokio::time::timeout;

use super::{
    answer::BoxError,
    event::{LONGEST, PartialEvent},
    lift::Exit,
};

/// How long the head of an answer waits for its first message (100 ms), so that most answers are one write and not two.
/// No client can do anything with the head alone.
const HEAD: Duration = Duration::from_millis(100);

/// How long an answer waits for the end of its stream (5 ms), so that its length is known.
const END: Duration = Duration::from_millis(5);

/// A stream of events with their marked members lifted. Every other byte passes as it came.
pub(super) struct LiftedEvents<B: HttpBody> {
    /// In a box, because a body may have to stay at its place. `None` after its end, when nobody may poll it.
    body: Option<Pin<Box<B>>>,
    held: PartialEvent,
    /// The events that came while the head waited, and what came behind them.
    first: Bytes,
    next: Option<Result<Frame<Bytes>, B::Error>>,
}

impl<B: HttpBody<Data = Bytes>> LiftedEvents<B> {
    pub(super) fn new(body: B, exit: Exit) -> LiftedEvents<B> {
        LiftedEvents {
            body: Some(Box::pin(body)),
            held: PartialEvent::new(LONGEST, exit),
            first: Bytes::new(),
            next: None,
        }
    }

    /// Waits for the first event with a message. Nothing follows an answer but the end of the stream, so if the answer comes
    /// first, this waits for the end as well, and the body has a known length.
    pub(super) async fn begun(mut self) -> Body
    where
        B: Send + 'static,
        B::Error: Into<BoxError> + Unpin + Send,
    {
        let (mut first, mut next) = (Bytes::new(), None);
        let message = async {
            // What has come when the time is over is kept.
            while let Some(frame) = self.frame().await {
                let Some(event) = data(&frame) else {
                    next = Some(frame);
                    return false;
                };
                first = joined(&first, event.clone());
                if !is_empty(&event) {
                    return is_answer(&event);
                }
            }
            false
        };
        let is_answer = timeout(HEAD, message).await.unwrap_or(false);
        if is_answer && let Ok(Some(frame)) = timeout(END, self.frame()).await {
            next = Some(frame);
        }
        if self.body.is_none() && next.is_none() {
            return Body::from(first);
        }
        (self.first, self.next) = (first, next);
        Body::new(self)
    }
}

fn data<E>(frame: &Result<Frame<Bytes>, E>) -> Option<Bytes> {
    frame.as_ref().ok()?.data_ref().cloned()
}

fn joined(first: &Bytes, next: Bytes) -> Bytes {
    match first.is_empty() {
        true => next,
        false => [&first[..], &next].concat().into(),
    }
}

impl<B: HttpBody<Data = Bytes>> HttpBody for LiftedEvents<B>
where
    B::Error: Unpin,
{
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let LiftedEvents {
            body,
            held,
            first,
            next,
        } = self.get_mut();
        if !first.is_empty() {
            return Poll::Ready(Some(Ok(Frame::data(mem::take(first)))));
        }
        if let Some(next) = next.take() {
            return Poll::Ready(Some(next));
        }
        loop {
            let Some(open) = body else {
                return Poll::Ready(None);
            };
            let frame = match ready!(open.as_mut().poll_frame(cx)) {
                None => {
                    *body = None;
                    let rest = held.rest();
                    return Poll::Ready((!rest.is_empty()).then(|| Ok(Frame::data(rest))));
                }
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                Some(Ok(frame)) => frame,
            };
            let data = match frame.into_data() {
                Ok(data) => held.pass(data),
                // Trailers end a body, and no client reads an event that is not whole.
                Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
            };
            if !data.is_empty() {
                return Poll::Ready(Some(Ok(Frame::data(data))));
            }
        }
    }
}

/// Returns whether an event only tells its id, so that the client can come back for the message.
fn is_empty(event: &[u8]) -> bool {
    event.starts_with(b"data: \n") || event.starts_with(b"data:\n")
}

/// Returns whether the message of an event is no request and no notification.
fn is_answer(event: &[u8]) -> bool {
    memmem::find(event, br#""method""#).is_none()
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use http_body_util::StreamBody;
    use tokio::time::Instant;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_head_waits_for_a_message_but_not_for_long() {
        let stream = |messages: Vec<(u64, &'static str)>| {
            let frames = futures::stream::unfold(messages.into_iter(), |mut rest| async {
                let (after, text) = rest.next()?;
                tokio::time::sleep(Duration::from_millis(after)).await;
                Some((Ok::<_, Infallible>(Frame::data(Bytes::from(text))), rest))
            });
            LiftedEvents::new(StreamBody::new(frames), Exit::default())
        };
        const EMPTY: &str = "data: \nid: 0\n\n";
        const PROGRESS: &str = "data: {\"method\":\"notifications/progress\"}\n\n";
        const ANSWER: &str = "data: {\"result\":{}}\n\n";
        for (messages, waited, is_whole) in [
            (vec![(0, EMPTY), (90, ANSWER)], 90, true),
            (vec![(90, ANSWER), (4, ANSWER)], 94, false),
            (vec![(90, ANSWER)], 90, true),
            (vec![(1, ANSWER), (1_000, EMPTY)], 6, false),
            (vec![(1, EMPTY), (1_000, ANSWER)], 100, false),
            (vec![(1_000, ANSWER)], 100, false),
            (vec![(1, EMPTY), (1, PROGRESS), (0, ANSWER)], 2, false),
            (vec![(0, EMPTY)], 0, true),
            (vec![], 0, true),
        ] {
            let expected: String = messages.iter().map(|(_, text)| *text).collect();
            let began = Instant::now();
            let begun = stream(messages).begun().await;
            assert_eq!(began.elapsed().as_millis(), waited);
            let length = begun.size_hint().exact();
            assert_eq!(length, is_whole.then_some(expected.len() as u64));
            let whole = begun.collect().await.expect("no error").to_bytes();
            assert_eq!(whole, expected);
        }
    }
}
