//! What every log promises, as one check for the authors of logs.

use std::{sync::Arc, time::Duration};

use futures::future::{FutureExt, join_all};
use tokio::time::{Instant, timeout};

use super::contract::{LONG, SHORT, bytes, drawn_key, together};
use hooks_core::store::{
    Bytes, Key, LARGEST_VALUE, LONGEST_STREAM, Log, LogEntry, LogPosition, StoreError,
};

/// The longest time that a waiter may sleep after an entry came.
const PROMPT: Duration = Duration::from_secs(5);

/// The number of appenders that append at once, the number of entries of each, and the number of readers.
const APPENDERS: usize = 16;
const EACH: usize = 8;
const READERS: usize = 4;

/// Checks that a log keeps every promise of [`Log`]'s documentation except that of its capacity.
///
/// The check takes a few seconds, because it waits for streams to expire, and it needs tokio's real clock. It draws its
/// streams, so that it can run again on one database; it leaves streams behind that expire within ten minutes.
///
/// # Panics
///
/// The log breaks a promise: the message names it. Or the log returns an error.
pub async fn log_contract(log: impl Log) {
    let check = LogCheck { log: Arc::new(log) };
    check.order().await;
    check.length().await;
    check.values().await;
    check.times().await;
    check.appenders().await;
    check.waits().await;
}

#[derive(Clone)]
struct LogCheck {
    log: Arc<dyn Log>,
}

impl LogCheck {
    async fn append(&self, stream: &Key, value: &[u8], ttl: Duration) -> LogPosition {
        let appended = self.log.append(stream, bytes(value), ttl).await;
        appended.unwrap_or_else(|error| panic!("`append` failed: {error}"))
    }

    async fn read(&self, stream: &Key, after: LogPosition, most: usize) -> Vec<LogEntry> {
        let read = self.log.read(stream, after, most).await;
        read.unwrap_or_else(|error| panic!("`read` failed: {error}"))
    }

    async fn newest(&self, stream: &Key) -> LogPosition {
        let newest = self.log.newest(stream).await;
        newest.unwrap_or_else(|error| panic!("`newest` failed: {error}"))
    }

    async fn order(&self) {
        let (stream, other) = (drawn_key(), drawn_key());
        assert_eq!(
            (
                self.newest(&stream).await,
                self.read(&stream, LogPosition::START, 10).await
            ),
            (LogPosition::START, vec![]),
            "a stream without entries has no newest entry and reads as empty"
        );
        let mut entries = Vec::new();
        for number in 0..10_u8 {
            let position = self.append(&stream, &[number], LONG).await;
            self.append(&other, b"other", LONG).await;
            entries.push(LogEntry {
                position,
                bytes: bytes(&[number]),
            });
        }
        let ascend = entries
            .windows(2)
            .all(|pair| pair[0].position < pair[1].position);
        assert!(
            ascend && entries[0].position > LogPosition::START,
            "the positions of a stream ascend and begin after `START`, but they are {entries:?}"
        );
        assert_eq!(
            self.read(&stream, LogPosition::START, 100).await,
            entries,
            "`read` returns the entries of its stream in order"
        );
        assert_eq!(
            self.read(&stream, entries[3].position, 4).await,
            entries[4..8],
            "`read` returns the oldest entries after a position, at most as many as asked for"
        );
        let none = self.read(&stream, LogPosition::START, 0).await;
        assert_eq!(none, [], "`read` returns no entry if none is asked for");
        let newest = self.newest(&stream).await;
        assert_eq!(
            newest, entries[9].position,
            "`newest` returns the position of the last entry"
        );
        let after = self.read(&stream, newest, 100).await;
        assert_eq!(after, [], "there is no entry after the newest one");
        let after = self.read(&stream, LogPosition(u64::MAX), 100).await;
        assert_eq!(after, [], "there is no entry after the last position");
    }

    async fn length(&self) {
        let stream = &drawn_key();
        let more = 10_usize;
        for number in 0..LONGEST_STREAM + more {
            self.append(stream, &number.to_be_bytes(), LONG).await;
        }
        let read = self.read(stream, LogPosition::START, usize::MAX).await;
        let kept: Vec<Bytes> = read.into_iter().map(|entry| entry.bytes).collect();
        let newest: Vec<Bytes> = (more..LONGEST_STREAM + more)
            .map(|number| bytes(&number.to_be_bytes()))
            .collect();
        assert!(
            kept == newest,
            "a stream keeps its newest {LONGEST_STREAM} entries, but it kept {}, from {:?} on",
            kept.len(),
            kept.first()
        );
    }

    async fn values(&self) {
        let stream = drawn_key();
        let all: Vec<u8> = (0..=255).cycle().take(LARGEST_VALUE + 1).collect();
        for len in [0, 1, 22, 23, 70_000, LARGEST_VALUE] {
            let position = self.append(&stream, &all[..len], LONG).await;
            let read = self.read(&stream, LogPosition(position.0 - 1), 1).await;
            assert!(
                read.first()
                    .is_some_and(|entry| entry.bytes.as_slice() == &all[..len]),
                "an entry comes back as it was appended, but one of {len} bytes did not"
            );
        }
        let large = self.log.append(&stream, bytes(&all), LONG).await;
        assert!(
            matches!(large, Err(StoreError::TooLarge(len)) if len == all.len()),
            "an entry of more than {LARGEST_VALUE} bytes is refused with `TooLarge`, but the log returned {large:?}"
        );
    }

    async fn times(&self) {
        let (ends, renewed) = (drawn_key(), drawn_key());
        let old = self.append(&ends, b"old", SHORT).await;
        self.append(&renewed, b"first", SHORT).await;
        self.append(&renewed, b"second", LONG).await;
        tokio::time::sleep(SHORT + SHORT / 2).await;
        assert_eq!(
            (
                self.newest(&ends).await,
                self.read(&ends, LogPosition::START, 10).await
            ),
            (LogPosition::START, vec![]),
            "a stream expires when it had no new entry for its time to live"
        );
        let kept = self.read(&renewed, LogPosition::START, 10).await.len();
        assert_eq!(
            kept, 2,
            "an entry gives its whole stream the time to live anew"
        );
        let new = self.append(&ends, b"new", LONG).await;
        assert!(
            new > old,
            "a stream never has a position twice, not even after it has expired, but {new:?} came after {old:?}"
        );
        let read = self.read(&ends, LogPosition::START, 10).await;
        assert_eq!(
            read,
            [LogEntry {
                position: new,
                bytes: bytes(b"new")
            }],
            "the entries of an expired stream do not come back"
        );
    }

    /// Appenders and readers at once: each reader sees every entry, all in one order.
    async fn appenders(&self) {
        let stream = drawn_key();
        let tasks = (0..APPENDERS + READERS).map(|task| {
            let (check, stream) = (self.clone(), stream.clone());
            async move {
                if task >= APPENDERS {
                    return Some(check.follow(&stream, APPENDERS * EACH).await);
                }
                for number in 0..EACH {
                    let name = [task.to_be_bytes(), number.to_be_bytes()].concat();
                    check.append(&stream, &name, LONG).await;
                }
                None
            }
        });
        let followed = together(tasks).await;
        let all = self.read(&stream, LogPosition::START, usize::MAX).await;
        for entries in followed.into_iter().flatten() {
            assert!(
                entries == all,
                "every reader sees every entry, in one order, but one that read while others appended saw {} of {}, \
                 or another order: an entry must not come after one of a greater position was read",
                entries.len(),
                all.len()
            );
        }
    }

    /// Reads until there are `most` entries, or none comes for a while.
    async fn follow(&self, stream: &Key, most: usize) -> Vec<LogEntry> {
        let mut entries: Vec<LogEntry> = Vec::new();
        let until = Instant::now() + PROMPT * 4;
        while entries.len() < most && Instant::now() < until {
            let after = entries
                .last()
                .map_or(LogPosition::START, |entry| entry.position);
            if timeout(PROMPT, self.wait(stream, after)).await.is_err() {
                break;
            }
            entries.extend(self.read(stream, after, 3).await);
        }
        entries
    }

    async fn wait(&self, stream: &Key, after: LogPosition) {
        let waited = self.log.changed(stream, after).await;
        waited.unwrap_or_else(|error| panic!("`changed` failed: {error}"));
    }

    async fn waits(&self) {
        let stream = &drawn_key();
        let first = self.append(stream, b"first", LONG).await;
        let present = timeout(PROMPT, self.wait(stream, LogPosition::START)).await;
        assert!(
            present.is_ok(),
            "`changed` returns at once where there is an entry, but it waited"
        );
        let waits = (0..16).map(|_| self.wait_beyond(stream, first));
        let mut waits = join_all(waits).boxed();
        // What a wait does to begin takes less, and if not, the test only shows less.
        let early = timeout(Duration::from_millis(200), &mut waits).await;
        assert!(early.is_err(), "there is no entry before one is appended");
        self.append(stream, b"second", LONG).await;
        let woken = timeout(PROMPT, waits).await;
        assert!(
            woken.is_ok(),
            "`changed` returns soon after an entry came, but not all of 16 waits did within {PROMPT:?}"
        );
    }

    async fn wait_beyond(&self, stream: &Key, after: LogPosition) {
        while self.newest(stream).await <= after {
            self.wait(stream, after).await;
        }
    }
}
