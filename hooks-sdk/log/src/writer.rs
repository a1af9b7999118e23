//! The thread that writes a log, so that no file stops the threads of a server.

use std::{
    collections::VecDeque,
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
        mpsc::SyncSender,
    },
    time::{Duration, Instant},
};

use serde_json::json;
use tokio::sync::oneshot;

use crate::{
    DecisionEntry, LogError, LogKeys, LogKind, LogSettings,
    chain::{ChainHead, LineMarks, UNSIGNED},
    file::{LogFile, NextLine},
    queue::Queue,
};

/// How long lines stay without a signature.
const TICK: Duration = Duration::from_secs(1);

/// How a call learns that its line is written.
pub(crate) type Acknowledgement = oneshot::Sender<Result<(), LogError>>;

/// What the thread is asked to do.
pub(crate) enum Job {
    /// Writes a line.
    Write(Box<DecisionEntry>, Option<Acknowledgement>),
    /// Writes the last line of the chain, tells whether it is written, and ends.
    Close(SyncSender<bool>),
}

/// What the thread and the callers share.
#[derive(Debug, Default)]
pub(crate) struct WriterState {
    /// Lines that are not in the log, since the start.
    pub(crate) dropped: AtomicU64,
    /// The bytes of contents in the queue.
    pub(crate) queued: AtomicUsize,
}

/// The thread's own state.
pub(crate) struct Writer {
    pub(crate) settings: LogSettings,
    pub(crate) head: ChainHead,
    pub(crate) keys: LogKeys,
    pub(crate) masks: Vec<hooks_text::condition::Path>,
    pub(crate) file: LogFile,
    pub(crate) state: Arc<WriterState>,
    /// How many dropped lines the log tells of.
    pub(crate) told: u64,
    /// Whether the last line could not be written.
    pub(crate) failing: bool,
    /// Calls that are not told yet that their lines are written.
    pub(crate) acknowledged: Vec<(Acknowledgement, Result<(), LogError>)>,
    /// When the first line without a signature was written.
    pub(crate) waiting_since: Option<Instant>,
}

impl Writer {
    /// Writes until the log is closed. The last handle that is dropped closes it.
    pub(crate) fn run(mut self, jobs: &Queue<Job>) {
        let mut taken = VecDeque::new();
        loop {
            if taken.is_empty() {
                // Told together, the calls wake the server's thread once.
                self.acknowledge();
                jobs.receive(&mut taken, self.waiting_since.map(|_| TICK));
            }
            let job = taken.pop_front();
            match job {
                Some(Job::Write(entry, acknowledge)) => self.entry(*entry, acknowledge),
                Some(Job::Close(done)) => {
                    self.acknowledge();
                    let written = self.head.seq == 0 || self.own(LogKind::End).is_ok();
                    jobs.close();
                    _ = done.send(written);
                    return;
                }
                None => {}
            }
            if self
                .waiting_since
                .is_some_and(|since| since.elapsed() >= TICK)
            {
                _ = self.own(LogKind::Checkpoint);
            }
        }
    }

    fn acknowledge(&mut self) {
        for (acknowledge, written) in self.acknowledged.drain(..) {
            // A call that does not wait any more does not need it.
            _ = acknowledge.send(written);
        }
    }

    fn entry(&mut self, entry: DecisionEntry, acknowledge: Option<Acknowledgement>) {
        self.state
            .queued
            .fetch_sub(entry.weight(), Ordering::Relaxed);
        let written = self.write(&entry);
        match &written {
            Ok(()) => self.recovered(),
            Err(error) => self.failed(error),
        }
        if let Some(acknowledge) = acknowledge {
            self.acknowledged.push((acknowledge, written));
        }
    }

    fn recovered(&mut self) {
        if self.failing {
            self.failing = false;
            let dropped = self.state.dropped.load(Ordering::Relaxed);
            tracing::warn!(
                target: "hooks_sdk::log",
                dropped, "the decision log is written again; lines were dropped since the start"
            );
        }
    }

    fn failed(&mut self, error: &LogError) {
        self.state.drop_one();
        if !self.failing {
            self.failing = true;
            tracing::error!(
                target: "hooks_sdk::log",
                %error, posture = self.settings.posture.as_str(), "a line is not in the decision log"
            );
        }
    }

    /// Writes a line, behind the first line of the chain or of the file.
    fn write(&mut self, entry: &DecisionEntry) -> Result<(), LogError> {
        let mut next = self.file.ready()?;
        if self.head.seq == 0 {
            self.line(&self.start(), next, true)?;
            next = self.file.ready()?;
        } else if next.new_file {
            self.line(&DecisionEntry::new(LogKind::Rotate, ""), next, true)?;
            next = self.file.ready()?;
        }
        let signed = self.head.unsigned + 1 >= UNSIGNED;
        self.line(entry, next, signed)
    }

    /// Writes a line of the log's own, which is signed.
    fn own(&mut self, kind: LogKind) -> Result<(), LogError> {
        let mut next = self.file.ready()?;
        if next.new_file {
            self.line(&DecisionEntry::new(LogKind::Rotate, ""), next, true)?;
            // The first line of a file is signed, so no checkpoint has to follow it.
            if kind != LogKind::End {
                return Ok(());
            }
            next = self.file.ready()?;
        }
        self.line(&DecisionEntry::new(kind, ""), next, true)
    }

    fn start(&self) -> DecisionEntry {
        let mut entry = DecisionEntry::new(LogKind::Start, "");
        let program = std::env::current_exe().ok();
        let program = program.as_deref().and_then(std::path::Path::file_name);
        let program = program.unwrap_or_default().to_string_lossy();
        entry.more.insert("program".to_owned(), json!(program));
        entry
            .more
            .insert("pid".to_owned(), json!(std::process::id()));
        let version = env!("CARGO_PKG_VERSION");
        entry.more.insert("version".to_owned(), json!(version));
        entry
    }

    fn line(
        &mut self,
        entry: &DecisionEntry,
        next: NextLine,
        signed: bool,
    ) -> Result<(), LogError> {
        let dropped = self.state.dropped.load(Ordering::Relaxed);
        let marks = LineMarks {
            dropped: dropped - self.told,
            torn: next.torn,
            signed,
        };
        let line = self.head.line(entry, marks, &self.masks, &self.keys);
        self.file.write(&line)?;
        let signed = signed && !self.keys.is_empty();
        self.told = dropped;
        self.head.written(&line, signed);
        self.waiting_since = match signed || self.keys.is_empty() {
            true => None,
            false => self.waiting_since.or_else(|| Some(Instant::now())),
        };
        Ok(())
    }
}

impl WriterState {
    /// Counts a line that is not in the log.
    pub(crate) fn drop_one(&self) {
        self.dropped.fetch_add(1, Ordering::Relaxed);
        #[cfg(feature = "metrics")]
        metrics::counter!("hooks.log.dropped").increment(1);
    }
}
