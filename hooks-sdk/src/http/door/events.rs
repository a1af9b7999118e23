//! Lifts marked members out of a stream of server-sent events, event by event.

use std::{
    collections::VecDeque,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::Bytes;
use http_body::{Body as HttpBody, Frame};
use http_body_util::BodyExt;
use tokio::time::timeout;

use super::event::{Held, LONGEST};

/// How long the head of an answer waits for its first message (5 ms), so that most answers are one write and not two.
const TOGETHER: Duration = Duration::from_millis(5);

/// A stream of events with their marked members lifted. Every other byte passes as it came.
pub(super) struct Events<B: HttpBody> {
    /// In a box, because a body may have to stay at its place. `None` after its end, when nobody may poll it.
    body: Option<Pin<Box<B>>>,
    held: Held,
    /// The frames that came while the head waited.
    first: VecDeque<Result<Frame<Bytes>, B::Error>>,
}

impl<B: HttpBody<Data = Bytes>> Events<B> {
    pub(super) fn new(body: B) -> Events<B> {
        Events {
            body: Some(Box::pin(body)),
            held: Held::new(LONGEST),
            first: VecDeque::new(),
        }
    }

    /// Waits for the first event with a message, at most [`TOGETHER`].
    pub(super) async fn begun(mut self) -> Events<B>
    where
        B::Error: Unpin,
    {
        let mut first = VecDeque::new();
        let begin = async {
            while let Some(frame) = self.frame().await {
                let is_empty = frame.as_ref().is_ok_and(is_empty);
                first.push_back(frame);
                if !is_empty {
                    break;
                }
            }
        };
        // What has come by then is kept.
        _ = timeout(TOGETHER, begin).await;
        self.first = first;
        self
    }
}

impl<B: HttpBody<Data = Bytes>> HttpBody for Events<B>
where
    B::Error: Unpin,
{
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let Events { body, held, first } = self.get_mut();
        if let Some(first) = first.pop_front() {
            return Poll::Ready(Some(first));
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
fn is_empty(frame: &Frame<Bytes>) -> bool {
    frame
        .data_ref()
        .is_some_and(|data| data.starts_with(b"data: \n") || data.starts_with(b"data:\n"))
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use http_body_util::StreamBody;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_head_waits_for_a_message_but_not_for_long() {
        let stream = |messages: Vec<(u64, &'static str)>| {
            let frames = futures::stream::unfold(messages.into_iter(), |mut rest| async {
                let (after, text) = rest.next()?;
                tokio::time::sleep(Duration::from_millis(after)).await;
                Some((Ok::<_, Infallible>(Frame::data(Bytes::from(text))), rest))
            });
            Events::new(StreamBody::new(frames))
        };
        const EMPTY: &str = "data: \nid: 0\n\n";
        const MESSAGE: &str = "data: {}\n\n";
        for (messages, held) in [
            (vec![(0, EMPTY), (1, MESSAGE), (0, MESSAGE)], 2),
            (vec![(1, MESSAGE), (0, MESSAGE)], 1),
            (vec![(1, EMPTY), (1_000, MESSAGE)], 1),
            (vec![(1_000, MESSAGE)], 0),
            (vec![(0, EMPTY)], 1),
            (vec![], 0),
        ] {
            let expected: String = messages.iter().map(|(_, text)| *text).collect();
            let begun = stream(messages).begun().await;
            assert_eq!(begun.first.len(), held);
            let whole = begun.collect().await.expect("no error").to_bytes();
            assert_eq!(whole, expected);
        }
    }
}
