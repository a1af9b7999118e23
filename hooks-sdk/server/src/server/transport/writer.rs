//! Writes whole lines in order, counts what is queued, and gives up on a peer that stops reading.

use std::{
    collections::VecDeque,
    io,
    pin::pin,
    sync::{Arc, Mutex},
    time::Duration,
};

use futures::future::{Either, select};
#[cfg(all(feature = "http", feature = "mcpl"))]
use tokio::sync::mpsc;
use tokio::{
    io::{AsyncWrite, AsyncWriteExt},
    sync::Notify,
    time::{Instant, timeout_at},
};
use tokio_util::sync::CancellationToken;

use crate::server::{lock, wait_until};

/// How much may be queued while the peer reads, in bytes (4 MiB). Then reading pauses.
const MAX_FOR_READER: usize = 4 * 1024 * 1024;

/// How much may be queued for a peer that does not read, in bytes (128 MiB). Then nothing more is read from it.
const MAX_WAITING: usize = 128 * 1024 * 1024;

/// The estimated size of a queued message beside its text, in bytes.
const OVERHEAD: usize = 1024;

/// How long a peer may read nothing before the transport treats it as a peer that writes first and reads later.
const PAUSE: Duration = Duration::from_millis(100);

/// How long a peer may read nothing when the queue is full. Then the transport gives up the peer.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long a peer may read nothing of the queued messages after one side has ended. Then they are dropped.
pub(crate) const LAST_WORDS: Duration = Duration::from_millis(1500);

/// Counts the bytes that are queued for writing.
#[derive(Debug)]
pub(crate) struct QueuedBytes {
    queue: Mutex<Queue>,
    less: Notify,
}

#[derive(Clone, Copy, Debug)]
struct Queue {
    bytes: usize,
    /// The last time that the peer read a message, or that the queue reached a limit.
    since: Instant,
}

impl Default for QueuedBytes {
    fn default() -> QueuedBytes {
        let since = Instant::now();
        QueuedBytes {
            queue: Mutex::new(Queue { bytes: 0, since }),
            less: Notify::new(),
        }
    }
}

impl QueuedBytes {
    /// Queues a message and adds its line end. The message counts until the caller drops it.
    pub(crate) fn line(self: &Arc<QueuedBytes>, mut text: Vec<u8>) -> WaitingLine {
        text.push(b'\n');
        let mut queue = lock(&self.queue);
        let before = queue.bytes;
        queue.bytes += text.len() + OVERHEAD;
        let reaches = |limit| before <= limit && queue.bytes > limit;
        if reaches(MAX_FOR_READER) || reaches(MAX_WAITING) {
            queue.since = Instant::now();
        }
        drop(queue);
        let among = self.clone();
        WaitingLine { text, among }
    }

    /// Waits until the queue is below its limit, which is lower for a peer that reads.
    ///
    /// Returns `false` if that takes too long.
    pub(crate) async fn is_short(&self) -> bool {
        loop {
            let less = self.less.notified();
            let queue = *lock(&self.queue);
            if queue.bytes <= MAX_FOR_READER {
                return true;
            }
            let full = queue.bytes > MAX_WAITING;
            let patience = if full { PATIENCE } else { PAUSE };
            if timeout_at(queue.since + patience, less).await.is_err() {
                return !full;
            }
        }
    }

    /// Waits until the queue is empty.
    pub(crate) async fn none(&self) {
        wait_until(&self.less, || lock(&self.queue).bytes == 0).await;
    }
}

/// A queued message.
#[derive(Debug)]
pub(crate) struct WaitingLine {
    /// The message with its line end.
    pub(super) text: Vec<u8>,
    among: Arc<QueuedBytes>,
}

impl Drop for WaitingLine {
    fn drop(&mut self) {
        let mut queue = lock(&self.among.queue);
        let was_long = queue.bytes > MAX_FOR_READER;
        queue.bytes -= self.text.len() + OVERHEAD;
        if was_long {
            queue.since = Instant::now();
        }
        let notifies = was_long || queue.bytes == 0;
        drop(queue);
        if notifies {
            self.among.less.notify_waiters();
        }
    }
}

/// The writing half. It finishes each message before it begins the next one, even if the caller stopped waiting.
pub(crate) struct MessageWriter {
    to: Option<Target>,
    unwritten: VecDeque<WaitingLine>,
    /// How many bytes of the first queued message are written.
    written: usize,
    ended: CancellationToken,
}

/// Where messages go.
pub(crate) enum Target {
    Stream(Box<dyn AsyncWrite + Send + Unpin>),
    /// Takes whole messages, without line ends.
    #[cfg(all(feature = "http", feature = "mcpl"))]
    Messages(mpsc::Sender<Vec<u8>>),
}

impl MessageWriter {
    /// Creates a writer to `to`. `ended` is cancelled when one side of the connection has ended.
    pub(crate) fn new(to: Target, ended: CancellationToken) -> MessageWriter {
        MessageWriter {
            to: Some(to),
            unwritten: VecDeque::new(),
            written: 0,
            ended,
        }
    }

    pub(crate) async fn write(&mut self, line: WaitingLine) -> io::Result<()> {
        self.unwritten.push_back(line);
        let written = self.write_all().await;
        if written.is_err() {
            // Nobody reads any more, so later messages must not pile up.
            self.to = None;
            self.unwritten.clear();
        }
        written
    }

    /// Finishes the message that was begun, and closes the stream.
    pub(crate) async fn close(&mut self) -> io::Result<()> {
        if !self.unwritten.is_empty() {
            self.write_all().await?;
        }
        match self.to.take() {
            Some(Target::Stream(mut to)) => in_time(&self.ended, to.shutdown()).await,
            #[cfg(all(feature = "http", feature = "mcpl"))]
            Some(Target::Messages(_)) => Ok(()),
            None => Ok(()),
        }
    }

    async fn write_all(&mut self) -> io::Result<()> {
        let to = match &mut self.to {
            Some(Target::Stream(to)) => to,
            #[cfg(all(feature = "http", feature = "mcpl"))]
            Some(Target::Messages(to)) => {
                while let Some(line) = self.unwritten.front() {
                    let place = async { to.reserve().await.map_err(|_| closed()) };
                    let place = in_time(&self.ended, place).await?;
                    let text = line.text.strip_suffix(b"\n").unwrap_or(&line.text);
                    place.send(text.to_vec());
                    self.unwritten.pop_front();
                }
                return Ok(());
            }
            None => return Err(closed()),
        };
        // The last message waits until it is flushed.
        let mut last = None;
        while let Some(line) = self.unwritten.front() {
            let rest = &line.text[self.written..];
            let written = in_time(&self.ended, to.write(rest)).await?;
            if written == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            self.written += written;
            if self.written == line.text.len() {
                last = self.unwritten.pop_front();
                self.written = 0;
            }
        }
        let flushed = in_time(&self.ended, to.flush()).await;
        drop(last);
        flushed
    }
}

fn closed() -> io::Error {
    io::Error::new(io::ErrorKind::NotConnected, "the transport is closed")
}

/// Runs `writing`. After one side has ended, the peer has [`LAST_WORDS`] to read; then this returns an error.
async fn in_time<T>(
    ended: &CancellationToken,
    writing: impl Future<Output = io::Result<T>>,
) -> io::Result<T> {
    let unread = async {
        ended.cancelled().await;
        tokio::time::sleep(LAST_WORDS).await;
    };
    match select(pin!(writing), pin!(unread)).await {
        Either::Left((written, _)) => written,
        Either::Right(_) => Err(io::ErrorKind::TimedOut.into()),
    }
}
