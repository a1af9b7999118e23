//! What is sent on one stream of HTTP, from the server to the client: in its order, with bounds, and kept for a while, so that
//! a client whose connection broke can read on.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard},
    task::{Context, Poll, Waker},
};

use bytes::Bytes;
use rmcp::model::ErrorCode;
use tokio::sync::Notify;

use super::is_dropped;
use crate::server::{lock, wait_until};

/// How many messages may wait for a client that reads. A further one is queued when there is room.
const MAX_WAITING: u64 = 64;

/// How many bytes may wait for a client that reads (1 MiB). One message always may.
const MAX_WAITING_BYTES: usize = 1024 * 1024;

/// How many messages are kept: those that were sent, and those that nobody reads. The oldest are dropped first.
const MAX_KEPT: usize = 64;

/// How many bytes these messages may have together (1 MiB). One message is always kept.
const MAX_KEPT_BYTES: usize = 1024 * 1024;

/// One message that is sent.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    /// The message as JSON.
    pub(crate) text: Bytes,
    pub(crate) kind: EventKind,
}

/// What a message is for the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventKind {
    /// A request or a notification of the server.
    Message,
    /// The answer for which the stream was opened. It may be an error.
    Answer(Option<ErrorCode>),
}

/// The messages of one stream.
#[derive(Debug)]
pub(crate) struct EventStream {
    /// The number of the stream in its session.
    pub(super) number: u64,
    events: Mutex<Events>,
    room: Notify,
}

#[derive(Debug)]
struct Events {
    kept: VecDeque<Event>,
    /// The number of the first message that is kept. Numbers begin with 1.
    first: u64,
    /// The number of the first message that the reader has not taken.
    unread: u64,
    bytes: usize,
    unread_bytes: usize,
    ended: bool,
    /// The reader that gets the messages.
    reader: Option<u64>,
    /// The number of the newest reader.
    newest: u64,
    wakers: Vec<Waker>,
}

impl EventStream {
    pub(super) fn new(number: u64) -> Arc<EventStream> {
        Arc::new(EventStream {
            number,
            events: Mutex::new(Events {
                kept: VecDeque::new(),
                first: 1,
                unread: 1,
                bytes: 0,
                unread_bytes: 0,
                ended: false,
                reader: None,
                newest: 0,
                wakers: Vec::new(),
            }),
            room: Notify::new(),
        })
    }

    /// Queues a message. An answer ends the stream. Call [`room`](EventStream::room) after it.
    pub(super) fn push(&self, event: Event) {
        let mut events = lock(&self.events);
        if events.ended {
            return;
        }
        events.ended = event.kind != EventKind::Message;
        events.bytes += event.text.len();
        events.unread_bytes += event.text.len();
        events.kept.push_back(event);
        events.drop_oldest();
        wake(events);
    }

    /// Waits until the reader has taken enough. Does not wait where nobody reads: the oldest messages are dropped there.
    pub(super) async fn room(&self) {
        wait_until(&self.room, || lock(&self.events).has_room()).await;
    }

    /// Ends the stream behind the messages that it has.
    pub(super) fn end(&self) {
        let mut events = lock(&self.events);
        events.ended = true;
        wake(events);
        self.room.notify_waiters();
    }

    /// Returns whether nothing more comes.
    pub(super) fn has_ended(&self) -> bool {
        lock(&self.events).ended
    }

    /// Reads the stream behind the message with the number `after`. The reader before it, whose connection is broken, gets
    /// nothing more.
    pub(super) fn read_after(self: &Arc<EventStream>, after: u64) -> EventReader {
        let mut events = lock(&self.events);
        events.newest += 1;
        events.reader = Some(events.newest);
        events.unread = events.first.max(after.saturating_add(1)).min(events.next());
        events.count_unread();
        let reader = EventReader {
            number: events.newest,
            is_reading: true,
            stream: self.clone(),
        };
        wake(events);
        reader
    }

    /// Reads the messages that nobody has read. As long as another reader gets them, this one waits.
    pub(super) fn read(self: &Arc<EventStream>) -> EventReader {
        let mut events = lock(&self.events);
        events.newest += 1;
        let is_reading = events.reader.is_none();
        if is_reading {
            events.reader = Some(events.newest);
        }
        EventReader {
            number: events.newest,
            is_reading,
            stream: self.clone(),
        }
    }
}

impl Events {
    /// Returns the number of the next message that is queued.
    fn next(&self) -> u64 {
        self.first + self.kept.len() as u64
    }

    fn has_room(&self) -> bool {
        let waiting = self.next() - self.unread;
        self.ended
            || self.reader.is_none()
            || waiting <= 1
            || waiting <= MAX_WAITING && self.unread_bytes <= MAX_WAITING_BYTES
    }

    /// Lets the next change wake a reader. Of its polls, only the last one counts.
    fn wait<T>(&mut self, cx: &Context<'_>) -> Poll<T> {
        self.wakers.retain(|waker| !waker.will_wake(cx.waker()));
        self.wakers.push(cx.waker().clone());
        Poll::Pending
    }

    fn count_unread(&mut self) {
        let read = (self.unread - self.first) as usize;
        let unread = self.kept.iter().skip(read);
        self.unread_bytes = unread.map(|event| event.text.len()).sum();
    }

    /// Drops the oldest messages beyond the bounds. Where somebody reads, those that were not read stay.
    fn drop_oldest(&mut self) {
        while self.kept.len() > 1
            && (self.kept.len() > MAX_KEPT || self.bytes > MAX_KEPT_BYTES)
            && (self.first < self.unread || self.reader.is_none())
        {
            let Some(oldest) = self.kept.pop_front() else {
                return;
            };
            self.bytes -= oldest.text.len();
            self.first += 1;
            if self.unread < self.first {
                self.unread = self.first;
                self.unread_bytes -= oldest.text.len();
                is_dropped("message", "their client has no open stream");
            }
        }
    }
}

/// Wakes the readers, behind a change of what they read.
fn wake(mut events: MutexGuard<'_, Events>) {
    let wakers = std::mem::take(&mut events.wakers);
    drop(events);
    wakers.into_iter().for_each(Waker::wake);
}

/// Reads the messages of a stream.
#[derive(Debug)]
pub(crate) struct EventReader {
    number: u64,
    is_reading: bool,
    stream: Arc<EventStream>,
}

impl EventReader {
    /// Returns the number of the stream, and of the last message before the next one.
    pub(crate) fn position(&self) -> (u64, u64) {
        (self.stream.number, lock(&self.stream.events).unread - 1)
    }

    /// Returns the next message with its number, or `None` at the end of the stream.
    pub(crate) fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<(u64, Event)>> {
        let mut events = lock(&self.stream.events);
        match events.reader {
            Some(reader) if reader == self.number => {}
            // Another connection of the client has taken the stream over.
            Some(_) if self.is_reading => return Poll::Ready(None),
            None if !events.ended => {
                events.reader = Some(self.number);
                self.is_reading = true;
            }
            _ if events.ended => return Poll::Ready(None),
            _ => return events.wait(cx),
        }
        let number = events.unread;
        match events.kept.get((number - events.first) as usize).cloned() {
            Some(event) => {
                events.unread += 1;
                events.unread_bytes -= event.text.len();
                events.drop_oldest();
                drop(events);
                self.stream.room.notify_waiters();
                Poll::Ready(Some((number, event)))
            }
            None if events.ended => Poll::Ready(None),
            None => events.wait(cx),
        }
    }
}

impl Drop for EventReader {
    fn drop(&mut self) {
        let mut events = lock(&self.stream.events);
        if events.reader == Some(self.number) {
            events.reader = None;
        }
        wake(events);
        self.stream.room.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use futures::future::{FutureExt, poll_fn};

    use super::*;

    fn message(text: &str) -> Event {
        Event {
            text: Bytes::copy_from_slice(text.as_bytes()),
            kind: EventKind::Message,
        }
    }

    fn next(reader: &mut EventReader) -> Option<Option<(u64, Bytes)>> {
        let next = poll_fn(|cx| reader.poll_next(cx)).now_or_never();
        next.map(|next| next.map(|(number, event)| (number, event.text)))
    }

    #[test]
    fn one_reader_gets_each_message_and_the_next_goes_on() {
        let stream = EventStream::new(0);
        stream.push(message("a"));
        let (mut first, mut second) = (stream.read(), stream.read());
        assert_eq!(next(&mut first), Some(Some((1, "a".into()))));
        stream.push(message("b"));
        for _ in 0..3 {
            assert_eq!(next(&mut second), None, "it waits for the first");
        }
        assert!(lock(&stream.events).wakers.len() <= 1, "one waker a reader");
        drop(first);
        assert_eq!(next(&mut second), Some(Some((2, "b".into()))));
        let mut resumed = stream.read_after(1);
        assert_eq!(next(&mut second), Some(None), "its connection is broken");
        assert_eq!(next(&mut resumed), Some(Some((2, "b".into()))));
        stream.end();
        assert_eq!(next(&mut resumed), Some(None));
        assert_eq!(next(&mut stream.read_after(99)), Some(None));
    }

    #[test]
    fn what_nobody_reads_is_bounded() {
        let stream = EventStream::new(0);
        (0..1000).for_each(|_| stream.push(message("x")));
        assert_eq!(lock(&stream.events).kept.len(), MAX_KEPT);
        assert!(stream.room().now_or_never().is_some());
        let large = "x".repeat(MAX_KEPT_BYTES + 1);
        stream.push(message(&large));
        let mut reader = stream.read();
        assert_eq!(next(&mut reader), Some(Some((1001, large.into()))));
    }

    #[test]
    fn a_writer_waits_for_a_reader_and_nothing_is_lost() {
        let stream = EventStream::new(0);
        let mut reader = stream.read();
        (0..100).for_each(|_| stream.push(message("x")));
        assert!(stream.room().now_or_never().is_none());
        assert!((1..=100).all(|number| next(&mut reader) == Some(Some((number, "x".into())))));
        assert!(stream.room().now_or_never().is_some());
        assert_eq!(next(&mut reader), None);
        stream.push(message("y"));
        drop(reader);
        let mut other = stream.read();
        assert_eq!(next(&mut other), Some(Some((101, "y".into()))));
    }
}
