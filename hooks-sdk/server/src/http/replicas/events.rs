//! rmcp's store of events, over the log.

use std::sync::atomic::Ordering;

use rmcp::{
    model::JsonRpcMessage,
    transport::streamable_http_server::session::{
        EventStore, EventStoreError, EventStream, ServerSseMessage,
    },
};

use super::{
    Replicas,
    entry::StreamEntry,
    event_id::{COMMON, EventPlace, NOT_RESUMABLE},
    writer::UNWRITTEN,
};
use crate::{http::transport::Exit, server::carried::Replacement};
use hooks_core::store::Key;

#[async_trait::async_trait]
impl EventStore for Replicas {
    /// Never waits and never fails: the event goes out at once, and is written behind it.
    async fn store_event(
        &self,
        stream: &str,
        event: &ServerSseMessage,
    ) -> Result<String, EventStoreError> {
        let number = self.0.last_event.fetch_add(1, Ordering::Relaxed) + 1;
        let session = stream.strip_suffix(COMMON);
        if session.is_none() && !self.0.settings.resumable {
            return Ok(NOT_RESUMABLE.to_owned());
        }
        let is_written = event.message.as_deref().is_none_or(|message| {
            let Ok(json) = serde_json::to_vec(message) else {
                UNWRITTEN.add();
                return false;
            };
            if let (Some(session), Some(message)) = (session, &event.message) {
                self.0.listeners.offer(session, number, message);
            }
            let is_answer = matches!(
                message,
                JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_)
            );
            // Another replica sends what this one writes, and it lifts no member that it did not mark itself.
            let json = match Exit::default().passes(&json) {
                Replacement::As(changed) => changed,
                Replacement::AsItIs | Replacement::Nothing => json,
            };
            let entry = StreamEntry::Event {
                origin: self.0.origin,
                number,
                last: is_answer && session.is_none(),
                json: &json,
            };
            self.0.writer.push(stream_key(stream), entry.bytes())
        });
        // A listener gives the events of a session's own stream their ids.
        if session.is_some() || !is_written {
            return Ok(NOT_RESUMABLE.to_owned());
        }
        let stream = stream.to_owned();
        Ok(EventPlace::Request { stream, number }.text())
    }

    /// Continues a stream. The layer has opened and checked the id before.
    async fn replay_events_after(&self, id: &str) -> Result<EventStream, EventStoreError> {
        match EventPlace::of(id) {
            Some(EventPlace::Request { stream, number }) => {
                Ok(Box::pin(self.replay(&stream, number)))
            }
            Some(place @ EventPlace::Common { .. }) => Ok(Box::pin(self.listen_from(place))),
            None => Ok(Box::pin(futures::stream::empty())),
        }
    }
}

/// Returns the key of a stream in the log.
pub(super) fn stream_key(stream: &str) -> Key {
    Key::new(&[b"hooks-sdk/http/events/", stream.as_bytes()].concat())
}
