//! A response while it comes, message by message.

use std::{collections::VecDeque, time::Duration};

use http::{HeaderMap, StatusCode};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use serde_json::Value;
use tokio::time::timeout;

use super::{Reply, exchange::Connection};

/// A response while it comes. Its connection breaks when it is dropped.
#[derive(Debug)]
pub struct Answer {
    /// The id of the request.
    pub id: u64,
    /// The status of the response.
    pub status: StatusCode,
    /// The headers of the response.
    pub headers: HeaderMap,
    pub(super) patience: Duration,
    pub(super) body: Incoming,
    /// What has come of a body that is no stream of events.
    pub(super) text: Vec<u8>,
    pub(super) events: EventReader,
    pub(super) _connection: Connection,
}

impl Answer {
    /// Returns a header that is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    fn is_stream(&self) -> bool {
        self.header("content-type") == Some("text/event-stream")
    }

    /// Returns the next event with a message, or `None` at the end. The JSON of a whole body is one event.
    pub async fn event(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.events.next() {
                return Some(event);
            }
            let frame = timeout(self.patience, self.body.frame()).await;
            let Some(frame) = frame.expect("a message in time") else {
                let message = serde_json::from_slice(&std::mem::take(&mut self.text)).ok()?;
                return Some(Event { id: None, message });
            };
            let data = frame.expect("a whole body").into_data().unwrap_or_default();
            if self.is_stream() {
                self.events.push(&data);
            } else {
                self.text.extend_from_slice(&data);
            }
        }
    }

    /// Returns the text of the body up to these words.
    pub async fn raw_until(&mut self, words: &str) -> String {
        loop {
            let text = String::from_utf8_lossy(&self.text);
            if text.contains(words) {
                return text.into_owned();
            }
            let frame = timeout(self.patience, self.body.frame()).await;
            let frame = frame.expect("words in time").expect("more of the body");
            let data = frame.expect("a whole body").into_data().unwrap_or_default();
            self.text.extend_from_slice(&data);
        }
    }

    /// Returns the next message, or `None` at the end.
    pub async fn next(&mut self) -> Option<Value> {
        Some(self.event().await?.message)
    }

    /// Returns the next event with this method.
    pub async fn until_event(&mut self, method: &str) -> Event {
        loop {
            let event = self.event().await.expect("an event");
            if event.message["method"] == method {
                return event;
            }
        }
    }

    /// Returns the next message with this method.
    pub async fn until(&mut self, method: &str) -> Value {
        self.until_event(method).await.message
    }

    /// Returns the answer without waiting for the end of the response.
    pub async fn answer(&mut self) -> Value {
        loop {
            let message = self.next().await.expect("an answer");
            if message.get("method").is_none() {
                return message;
            }
        }
    }

    /// Reads to the end. Returns the answer, which is the last message; `null` if there is none.
    pub async fn last(&mut self) -> Value {
        let mut last = Value::Null;
        while let Some(message) = self.next().await {
            let is_answered = last.get("method").is_none() && last.get("id").is_some();
            assert!(!is_answered, "{message} after the answer {last}");
            last = message;
        }
        last
    }

    /// Reads to the end. Returns the result of the answer.
    pub async fn result(mut self) -> Value {
        let status = self.status;
        let mut answer = self.last().await;
        assert!(answer.get("result").is_some(), "{status}: {answer}");
        answer["result"].take()
    }

    /// Reads to the end. Returns the rest of the body, which is all of it if no message was read.
    pub async fn whole(mut self) -> Reply {
        let body = timeout(self.patience, self.body.collect()).await;
        let body = body.expect("in time").expect("a whole body").to_bytes();
        self.text.extend_from_slice(&body);
        Reply {
            status: self.status,
            headers: self.headers,
            body: String::from_utf8(self.text).expect("text"),
        }
    }
}

/// An event of a stream, with its message.
#[derive(Debug)]
pub struct Event {
    /// The id, if the server gave it one.
    pub id: Option<String>,
    /// The JSON in its data.
    pub message: Value,
}

/// Finds the events in the bytes of a stream.
#[derive(Debug, Default)]
pub struct EventReader {
    line: Vec<u8>,
    id: Option<String>,
    data: String,
    ready: VecDeque<Event>,
}

impl EventReader {
    /// Reads more bytes of the stream.
    pub fn push(&mut self, bytes: &[u8]) {
        for byte in bytes {
            match byte {
                b'\n' => self.end_line(),
                byte => self.line.push(*byte),
            }
        }
    }

    fn end_line(&mut self) {
        let line = String::from_utf8(std::mem::take(&mut self.line)).expect("text");
        if let Some(data) = line.strip_prefix("data:") {
            self.data.push_str(data.trim());
        } else if let Some(id) = line.strip_prefix("id:") {
            self.id = Some(id.trim().to_owned());
        } else if line.is_empty() {
            let (id, data) = (self.id.take(), std::mem::take(&mut self.data));
            if let Ok(message) = serde_json::from_str(&data) {
                self.ready.push_back(Event { id, message });
            }
        }
    }
}

impl Iterator for EventReader {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        self.ready.pop_front()
    }
}
