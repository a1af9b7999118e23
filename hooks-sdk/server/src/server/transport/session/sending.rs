//! What leaves in a session: each message goes to the stream of the request that it belongs to, or else to the stream of the session.

use std::{
    collections::{HashMap, VecDeque},
    io,
    sync::Arc,
};

use futures::future::{Either, ready};
use rmcp::{
    model::{
        GetExtensions, GetMeta, JsonRpcMessage, NumberOrString, ProgressToken, RequestId,
        ServerJsonRpcMessage, ServerNotification,
    },
    service::OriginatingRequestId,
};

use super::{
    Session,
    events::{Event, EventKind, EventReader, EventStream},
};
use crate::server::{
    lock,
    transport::{message::answers, outbox::Leaving},
};

/// How many streams of a session are kept for clients that read on.
const MAX_STREAMS: usize = 16;

/// The streams of a session.
#[derive(Default)]
pub(super) struct Streams {
    pub(super) by_request: HashMap<RequestId, Arc<EventStream>>,
    by_token: HashMap<ProgressToken, RequestId>,
    /// Those that a client may read on.
    kept: VecDeque<Arc<EventStream>>,
    newest: u64,
}

impl Session {
    /// Lets a client read on the stream of this request, if its connection breaks. The oldest stream is forgotten.
    pub(crate) fn keeps(&self, number: u64) {
        let mut streams = lock(&self.streams);
        let mut running = streams.by_request.values();
        let stream = running.find(|stream| stream.number == number).cloned();
        streams.kept.extend(stream);
        if streams.kept.len() > MAX_STREAMS {
            let ended = streams.kept.iter().position(|stream| stream.has_ended());
            streams.kept.remove(ended.unwrap_or_default());
        }
    }

    /// Opens the stream of what belongs to no request.
    pub(crate) fn listen(&self) -> EventReader {
        self.common.read()
    }

    /// Returns a stream behind the event `after`, or `None` if it is not kept.
    pub(crate) fn resume(&self, stream: u64, after: u64) -> Option<EventReader> {
        if stream == 0 {
            return Some(self.common.read_after(after));
        }
        let streams = lock(&self.streams);
        let mut kept = streams.kept.iter();
        let stream = kept.find(|kept| kept.number == stream)?;
        Some(stream.read_after(after))
    }

    /// Sends a message. What this function itself does happens in the order of its calls.
    pub(super) fn send(
        self: &Arc<Session>,
        mut item: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + use<> {
        let Some(stream) = self.stream_of(&item) else {
            return Either::Left(ready(match self.lasts {
                true => Ok(()),
                false => Err(io::Error::new(
                    io::ErrorKind::NotConnected,
                    "there is no stream back to the client any more",
                )),
            }));
        };
        let kind = match &item {
            JsonRpcMessage::Response(_) => EventKind::Answer(None),
            JsonRpcMessage::Error(error) => EventKind::Answer(Some(error.error.code)),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => EventKind::Message,
        };
        self.is_used();
        self.name(&mut item);
        let Some(leaving) = self.connection.leaves(self.order.as_ref(), &mut item) else {
            return Either::Left(ready(Ok(())));
        };
        let Leaving {
            on_sent,
            sending,
            text,
        } = leaving;
        let text = match text {
            Ok(text) => text,
            Err(error) => {
                stream.end();
                return Either::Left(ready(Err(error.into())));
            }
        };
        let push = move |stream: &EventStream, text: Vec<u8>| {
            on_sent.begins();
            stream.push(Event {
                text: text.into(),
                kind,
            });
            on_sent.ended();
        };
        // Without a decision it is queued at once, so that the order is that of the calls.
        let waiting = match sending {
            Some(sending) => Some((sending, text, push)),
            None => {
                push(&stream, text);
                None
            }
        };
        Either::Right(async move {
            if let Some((sending, text, push)) = waiting {
                match sending.decide(&text).await {
                    Some(text) => push(&stream, text),
                    None if kind == EventKind::Message => return Ok(()),
                    None => {
                        stream.end();
                        return Ok(());
                    }
                }
            }
            stream.room().await;
            Ok(())
        })
    }

    /// Returns the stream by which a message leaves. No stream is left for the answer to a cancelled request.
    fn stream_of(&self, item: &ServerJsonRpcMessage) -> Option<Arc<EventStream>> {
        let mut streams = lock(&self.streams);
        if let Some(id) = answers(item) {
            return streams.forget(id);
        }
        let of_call = match item {
            JsonRpcMessage::Request(request) => {
                let origin = request.request.extensions().get::<OriginatingRequestId>();
                match origin {
                    Some(OriginatingRequestId(call)) => streams.by_request.get(call),
                    // The author's server says not which call asks. The only one that runs is it.
                    None if streams.by_request.len() == 1 => streams.by_request.values().next(),
                    None => None,
                }
            }
            JsonRpcMessage::Notification(told) => match &told.notification {
                ServerNotification::ProgressNotification(progress) => {
                    let call = streams.by_token.get(&progress.params.progress_token);
                    call.and_then(|call| streams.by_request.get(call))
                }
                _ => None,
            },
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => None,
        };
        // Without a session there is one stream.
        match of_call {
            None if self.lasts => Some(self.common.clone()),
            None => streams.by_request.values().next().cloned(),
            of_call => of_call.cloned(),
        }
    }

    /// Gives a request of the server, or its cancellation, the id that the client knows.
    fn name(&self, message: &mut ServerJsonRpcMessage) {
        match message {
            JsonRpcMessage::Request(request) => {
                let token = request.request.get_meta().get_progress_token();
                let has_token = token.is_some();
                let name = lock(&self.names).name(request.id.clone(), token);
                if has_token {
                    let token = ProgressToken(NumberOrString::String(name.clone()));
                    request.request.get_meta_mut().set_progress_token(token);
                }
                request.id = NumberOrString::String(name);
            }
            JsonRpcMessage::Notification(told) => {
                if let ServerNotification::CancelledNotification(cancelled) = &mut told.notification
                    && let Some(id) = &mut cancelled.params.request_id
                    && let Some(name) = lock(&self.names).given_up(id)
                {
                    *id = NumberOrString::String(name);
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
    }
}

impl Streams {
    pub(super) fn open(
        &mut self,
        id: &RequestId,
        token: Option<ProgressToken>,
    ) -> Arc<EventStream> {
        self.newest += 1;
        let stream = EventStream::new(self.newest);
        self.by_request.insert(id.clone(), stream.clone());
        if let Some(token) = token {
            self.by_token.insert(token, id.clone());
        }
        stream
    }

    pub(super) fn forget(&mut self, id: &RequestId) -> Option<Arc<EventStream>> {
        let stream = self.by_request.remove(id);
        if !self.by_token.is_empty() {
            self.by_token.retain(|_, call| call != id);
        }
        stream
    }
}
