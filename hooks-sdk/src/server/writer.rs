//! Writing to a stream: whole lines in turn, what waits for its turn counted, and no peer waited for that reads nothing.

use std::{
    collections::VecDeque,
    io,
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures::future::{Either, select};
use tokio::{
    io::{AsyncWrite, AsyncWriteExt},
    sync::Notify,
    time::timeout,
};
use tokio_util::sync::CancellationToken;

/// How much may wait for a peer that does not read before nothing more is read from it, in bytes (128 MiB).
const MAX_WAITING: usize = 128 * 1024 * 1024;

/// What a waiting message takes beside its text, in bytes, roughly.
const OVERHEAD: usize = 1024;

/// How long a peer that has let so much wait may read nothing more.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long a peer may read nothing of what waits for it when one side has ended.
pub(super) const LAST_WORDS: Duration = Duration::from_millis(1500);

/// The write buffer that is kept between messages, in bytes; a larger one is given back.
const KEPT_CAPACITY: usize = 1024 * 1024;

/// How much waits to be written.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    bytes: AtomicUsize,
    less: Notify,
}

impl Waiting {
    /// The line waits until it is dropped.
    pub(super) fn line(self: &Arc<Waiting>, text: Vec<u8>) -> WaitingLine {
        self.bytes
            .fetch_add(text.len() + OVERHEAD, Ordering::Relaxed);
        let among = self.clone();
        WaitingLine { text, among }
    }

    /// Ready when no more waits than may; whether that came about.
    pub(super) async fn is_short(&self) -> bool {
        loop {
            let less = self.less.notified();
            if self.bytes.load(Ordering::Relaxed) <= MAX_WAITING {
                return true;
            }
            if timeout(PATIENCE, less).await.is_err() {
                return false;
            }
        }
    }

    /// Ready when nothing waits.
    pub(super) async fn none(&self) {
        loop {
            let less = self.less.notified();
            if self.bytes.load(Ordering::Relaxed) == 0 {
                return;
            }
            less.await;
        }
    }
}

/// A message that waits to be written.
#[derive(Debug)]
pub(super) struct WaitingLine {
    text: Vec<u8>,
    among: Arc<Waiting>,
}

impl Drop for WaitingLine {
    fn drop(&mut self) {
        let bytes = self.text.len() + OVERHEAD;
        let before = self.among.bytes.fetch_sub(bytes, Ordering::Relaxed);
        if before > MAX_WAITING || before == bytes {
            self.among.less.notify_waiters();
        }
    }
}

/// The writing half; a message begun is finished before the next one, whoever stopped waiting for it.
#[derive(Debug)]
pub(super) struct Writer<W> {
    to: Option<W>,
    unwritten: VecDeque<u8>,
    ended: CancellationToken,
}

impl<W: AsyncWrite + Unpin> Writer<W> {
    /// A writer to `to`, for a connection of which `ended` tells that one side has ended.
    pub(super) fn new(to: W, ended: CancellationToken) -> Writer<W> {
        Writer {
            to: Some(to),
            unwritten: VecDeque::new(),
            ended,
        }
    }

    pub(super) async fn write(&mut self, line: &WaitingLine) -> io::Result<()> {
        self.unwritten.extend(&line.text);
        self.unwritten.push_back(b'\n');
        let written = self.write_all().await;
        if written.is_err() {
            // Nobody reads any more; what later messages would add must not pile up.
            self.to = None;
            self.unwritten = VecDeque::new();
        }
        written
    }

    /// Ends the message that was begun, and the stream.
    pub(super) async fn close(&mut self) -> io::Result<()> {
        if !self.unwritten.is_empty() {
            self.write_all().await?;
        }
        match self.to.take() {
            Some(mut to) => in_time(&self.ended, to.shutdown()).await,
            None => Ok(()),
        }
    }

    async fn write_all(&mut self) -> io::Result<()> {
        let Some(to) = &mut self.to else {
            return Err(io::Error::new(
                io::ErrorKind::NotConnected,
                "the transport is closed",
            ));
        };
        while !self.unwritten.is_empty() {
            let written = in_time(&self.ended, to.write_buf(&mut self.unwritten)).await?;
            if written == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
        }
        if self.unwritten.capacity() > KEPT_CAPACITY {
            self.unwritten = VecDeque::new();
        }
        in_time(&self.ended, to.flush()).await
    }
}

/// What the writing comes to, for which the other has its time to read once one side has ended.
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
