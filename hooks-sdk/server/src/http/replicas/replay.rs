//! Resumes the stream of one request from the log.

use futures::{Stream, stream::poll_fn};
use rmcp::transport::streamable_http_server::session::ServerSseMessage;
use tokio::{
    sync::mpsc::{Sender, channel},
    time::timeout,
};

use super::{
    EVENT_TTL, Replicas, entry::StreamEntry, event_id::EventPlace, events::stream_key,
    message::message,
};
use hooks_core::store::LogPosition;

/// The number of events that wait for a client that reads slowly.
const AHEAD: usize = 16;

impl Replicas {
    /// Returns the events of a stream after the one with this number. The stream stays open until its answer was sent,
    /// or until it had no event for [`EVENT_TTL`].
    pub(super) fn replay(
        &self,
        stream: &str,
        after: u64,
    ) -> impl Stream<Item = ServerSseMessage> + Send + Sync + use<> {
        let (to, mut events) = channel(AHEAD);
        let (replicas, stream) = (self.clone(), stream.to_owned());
        tokio::spawn(async move {
            let (ends, gone) = (replicas.0.ends.clone(), to.clone());
            let work = replicas.replay_to(stream, after, to);
            tokio::select! {
                () = work => {}
                () = ends.cancelled() => {}
                () = gone.closed() => {}
            }
        });
        poll_fn(move |cx| events.poll_recv(cx))
    }

    async fn replay_to(&self, stream: String, mut sent: u64, to: Sender<ServerSseMessage>) {
        let key = stream_key(&stream);
        let mut at = LogPosition::START;
        while let Ok(batch) = timeout(EVENT_TTL, self.batch(&key, at)).await {
            for entry in batch {
                at = entry.position;
                let Some(StreamEntry::Event {
                    number, last, json, ..
                }) = StreamEntry::of(&entry.bytes)
                else {
                    continue;
                };
                if number > sent {
                    sent = number;
                    let stream = stream.clone();
                    let id = EventPlace::Request { stream, number }.text();
                    if let Some(message) = message(json)
                        && to.send(ServerSseMessage::new(id, message)).await.is_err()
                    {
                        return;
                    }
                }
                if last {
                    return;
                }
            }
        }
    }
}
