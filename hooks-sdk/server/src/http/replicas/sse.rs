//! Seals the ids of the events in the body of a response, while it streams.

use std::{
    pin::Pin,
    task::{Context, Poll, ready},
};

use axum::{Error, body::Body};
use bytes::{BufMut, Bytes, BytesMut};
use http_body::{Frame, SizeHint};

use super::event_id::EventSeal;

/// The longest line with an id, in bytes. A longer one is removed.
const LONGEST_ID: usize = 1024;

const FIELD: &[u8] = b"id:";

/// A body whose lines `id: …` have sealed ids. Without a seal, they are removed.
pub(super) struct SealedEvents {
    body: Body,
    seal: Option<EventSeal>,
    line: SseLine,
}

/// Where in a line the body stands.
enum SseLine {
    /// The beginning, which may become a line with an id.
    Begins(Vec<u8>),
    /// A line that stays as it is.
    Passes,
    /// A line that is too long for an id.
    Removed,
}

impl SealedEvents {
    pub(super) fn new(body: Body, seal: Option<EventSeal>) -> SealedEvents {
        let line = SseLine::Begins(Vec::new());
        SealedEvents { body, seal, line }
    }

    fn rewrite(&mut self, mut data: &[u8], out: &mut BytesMut) {
        while !data.is_empty() {
            let end = data.iter().position(|byte| *byte == b'\n');
            let (part, rest) = data.split_at(end.map_or(data.len(), |end| end + 1));
            data = rest;
            match &mut self.line {
                SseLine::Passes => out.put_slice(part),
                SseLine::Removed => {}
                SseLine::Begins(line) => {
                    line.extend_from_slice(part);
                    let is_id = line.starts_with(FIELD);
                    if !is_id && !FIELD.starts_with(line) {
                        out.put_slice(line);
                        self.line = SseLine::Passes;
                    } else if is_id && line.len() > LONGEST_ID {
                        self.line = SseLine::Removed;
                    } else if is_id && end.is_some() {
                        let id = std::str::from_utf8(&line[FIELD.len()..]).unwrap_or_default();
                        let seal = self.seal.as_ref();
                        if let Some(sealed) = seal.and_then(|seal| seal.seal(id.trim())) {
                            out.put_slice(b"id: ");
                            out.put_slice(sealed.as_bytes());
                            out.put_slice(b"\n");
                        }
                    }
                }
            }
            if end.is_some() {
                self.line = SseLine::Begins(Vec::new());
            }
        }
    }
}

impl http_body::Body for SealedEvents {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        loop {
            let frame = match ready!(Pin::new(&mut self.body).poll_frame(cx)) {
                Some(Ok(frame)) => frame,
                other => return Poll::Ready(other),
            };
            let data = match frame.into_data() {
                Ok(data) => data,
                Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
            };
            let mut out = BytesMut::with_capacity(data.len() + 256);
            self.rewrite(&data, &mut out);
            if !out.is_empty() {
                return Poll::Ready(Some(Ok(Frame::data(out.freeze()))));
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::default()
    }
}

#[cfg(test)]
mod tests {
    use std::{convert::Infallible, sync::Arc};

    use futures::stream;
    use http_body_util::BodyExt;
    use rmcp::model::RequestStateCodec;

    use super::*;

    async fn sealed(body: &str, size: usize, seal: Option<EventSeal>) -> String {
        let chunks: Vec<_> = body
            .as_bytes()
            .chunks(size)
            .map(Bytes::copy_from_slice)
            .collect();
        let chunks = stream::iter(chunks.into_iter().map(Ok::<_, Infallible>));
        let body = SealedEvents::new(Body::from_stream(chunks), seal);
        let body = body.collect().await.expect("a body").to_bytes();
        String::from_utf8(body.to_vec()).expect("text")
    }

    #[tokio::test]
    async fn ids_are_sealed_or_removed_wherever_the_body_is_cut() {
        let keys = Arc::new(RequestStateCodec::try_new([1; 32]).expect("a key"));
        let seal = EventSeal::new(keys, Some("s"), None);
        let id = |id: &str| format!("data: {{\"id: \":1}}\nid: {id}\nretry: 3\n\n: ping\n\ni\n");
        let body = id("4f-1.12") + &id("-") + &id(&"x".repeat(2000)) + &id("0");
        let without = "data: {\"id: \":1}\nretry: 3\n\n: ping\n\ni\n";
        for size in [1, 2, 3, 7, 64, body.len()] {
            assert_eq!(sealed(&body, size, None).await, without.repeat(4));
            let some = sealed(&body, size, Some(seal.clone())).await;
            let mut ids = some.lines().filter_map(|line| line.strip_prefix("id: "));
            let own = ids.next().expect("an id");
            assert_eq!(seal.open(own).as_deref(), Some("4f-1.12"));
            assert_eq!(ids.next(), None);
            assert_eq!(some.replace(&format!("id: {own}\n"), ""), without.repeat(4));
        }
    }
}
