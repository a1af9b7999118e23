//! The log as the program has it.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};

use tokio::sync::oneshot;

use crate::{
    DecisionEntry, LogError, LogSettings, Posture, UserChain,
    chain::ChainHead,
    file::LogFile,
    queue::Queue,
    writer::{Job, Writer, WriterState},
};
use hooks_core::internal::{debugs, setters};

/// How many lines wait for the thread. Further ones are dropped and counted, or their calls are refused.
const QUEUE: usize = 8192;
/// How many bytes of contents wait for the thread.
const QUEUED_BYTES: usize = 16 * 1024 * 1024;
/// How long a program that ends waits for the last line.
const LAST_LINE: Duration = Duration::from_secs(1);

/// The decision log of a process: one thread writes its lines into one chain.
///
/// The thread starts with the first line. Clones write into the same chain.
///
/// ```
/// use hooks_log::{DecisionLog, Posture};
///
/// let log = DecisionLog::to("decisions.jsonl", Posture::Proceed)
///     .key_file("log.keys")
///     .rotate(50 * 1024 * 1024, 10)
///     .mask("arguments.password");
/// # drop(log);
/// ```
///
/// # Limits
///
/// At most 8,192 lines and 16 MiB of contents wait for the thread. A line has at most 32 KiB of arguments and as much of an
/// answer; names have at most 200 characters.
#[derive(Clone)]
pub struct DecisionLog {
    settings: LogSettings,
    started: Arc<OnceLock<Result<Started, LogError>>>,
}

/// The running thread. The last handle that is dropped closes the chain.
struct Started {
    jobs: Arc<Queue<Job>>,
    chain: Arc<str>,
    next: AtomicU64,
    state: Arc<WriterState>,
}

impl Started {
    fn close(&self, within: Duration) -> bool {
        let (done, closed) = mpsc::sync_channel(1);
        let sent = self.jobs.send(Job::Close(done), true);
        sent && closed.recv_timeout(within).unwrap_or(false)
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        _ = self.close(LAST_LINE);
    }
}

debugs!(DecisionLog { settings });

impl From<LogSettings> for DecisionLog {
    fn from(settings: LogSettings) -> DecisionLog {
        DecisionLog {
            started: Arc::default(),
            settings,
        }
    }
}

impl DecisionLog {
    /// Creates a log that appends to a file. The file is created with the first line, its folder is not.
    pub fn to(file: impl Into<PathBuf>, posture: Posture) -> DecisionLog {
        LogSettings::new(file, posture).into()
    }

    fn set(&mut self) -> &mut LogSettings {
        self.started = Arc::default();
        &mut self.settings
    }

    setters! {
        /// Sets the file with the keys that sign. Without it, the variable `HOOKS_LOG_KEYS` has them. Without both, the chain has
        /// no signature, and whoever can write the file can write it anew.
        fn key_file(mut self, file: impl Into<PathBuf>) { self.set().key_file = Some(file.into()) }

        /// Sets at which size the file is put aside, in bytes, and how many such files are kept, at least one.
        fn rotate(mut self, max_bytes: u64, keep: usize) {
            let settings = self.set();
            (settings.max_bytes, settings.keep) = (max_bytes, keep);
        }

        /// Synchronises each line to the disk before it counts as written.
        fn fsync(mut self) { self.set().fsync = true }

        /// Also writes arguments and answers. They may hold secrets: see [`mask`](DecisionLog::mask).
        fn contents(mut self) { self.set().contents = true }

        /// Masks the value at a path of each line. A path is written as in conditions, such as `arguments.password` or
        /// `answer.content[*].email`. One that cannot be read is an error of the first line.
        fn mask(mut self, path: impl Into<String>) { self.set().masks.push(path.into()) }

        /// Sets how long a call waits for its first line. The default is 5 seconds.
        fn patience(mut self, patience: Duration) { self.set().patience = patience }
    }

    /// Returns what happens to a call whose line cannot be written.
    pub fn posture(&self) -> Posture {
        self.settings.posture
    }

    /// Returns whether lines have arguments and answers.
    pub fn has_contents(&self) -> bool {
        self.settings.contents
    }

    /// Returns the file.
    pub fn file(&self) -> &Path {
        &self.settings.file
    }

    /// Returns the chain for processes that end at once, such as `hooks fire`. It has the settings of this log, and a file
    /// of its own beside it: `decisions.user.jsonl` beside `decisions.jsonl`.
    ///
    /// # Errors
    ///
    /// A key or a mask is wrong.
    pub fn user_chain(&self) -> Result<UserChain, LogError> {
        let mut settings = self.settings.clone();
        settings.file = user_file(&settings.file);
        UserChain::new(settings)
    }

    /// Starts the thread, if it does not run. A server does it when it is built, so that a mistake in the settings is an
    /// error of its start.
    ///
    /// # Errors
    ///
    /// A key or a mask is wrong, or the operating system starts no thread. The file is opened with the first line.
    pub fn start(&self) -> Result<(), LogError> {
        self.started().map(|_| ())
    }

    fn started(&self) -> Result<&Started, LogError> {
        let started = self.started.get_or_init(|| self.run());
        started.as_ref().map_err(Clone::clone)
    }

    fn run(&self) -> Result<Started, LogError> {
        let jobs = Arc::new(Queue::new(QUEUE));
        let received = jobs.clone();
        let state = Arc::new(WriterState::default());
        let head = ChainHead::new()?;
        let chain = head.chain.clone();
        let failed = |error| LogError::Start(Arc::new(error));
        let writer = Writer {
            keys: self.settings.keys()?,
            masks: self.settings.masks()?,
            file: LogFile::new(&self.settings),
            settings: self.settings.clone(),
            head,
            state: state.clone(),
            told: 0,
            failing: false,
            acknowledged: Vec::new(),
            waiting_since: None,
        };
        if writer.keys.signer().is_none() {
            tracing::warn!(
                target: "hooks_sdk::log",
                file = %self.settings.file.display(),
                "the decision log has no key: whoever can write the file can write it anew"
            );
        }
        thread::Builder::new()
            .name("hooks-log".to_owned())
            .spawn(move || writer.run(&received))
            .map_err(failed)?;
        Ok(Started {
            jobs,
            chain,
            next: AtomicU64::new(0),
            state,
        })
    }

    /// Returns a new id of a decision: the name of the chain and a number.
    pub fn decision_id(&self) -> Arc<str> {
        match self.started() {
            Ok(started) => {
                let number = started.next.fetch_add(1, Ordering::Relaxed);
                format!("{}-{number:x}", started.chain).into()
            }
            Err(_) => "not-started".into(),
        }
    }

    /// Adds a line, and does not wait. A line that has no room in the queue is dropped and counted.
    pub fn add(&self, entry: DecisionEntry) {
        // A log that cannot start has said so.
        _ = self.send(entry, None);
    }

    /// Adds a line. The returned future waits until the line is in the file, at most as long as the
    /// [`patience`](DecisionLog::patience) of the log.
    ///
    /// # Errors
    ///
    /// The line is not in the file.
    pub fn acknowledged(
        &self,
        entry: DecisionEntry,
    ) -> impl Future<Output = Result<(), LogError>> + Send + use<> {
        let (done, written) = oneshot::channel();
        let sent = self.send(entry, Some(done));
        let patience = self.settings.patience;
        async move {
            sent?;
            let late = || LogError::Behind {
                wrong: "the line was not written in time",
            };
            match tokio::time::timeout(patience, written).await {
                Ok(Ok(written)) => written,
                Ok(Err(_)) | Err(_) => Err(late()),
            }
        }
    }

    fn send(
        &self,
        mut entry: DecisionEntry,
        done: Option<oneshot::Sender<Result<(), LogError>>>,
    ) -> Result<(), LogError> {
        let started = self.started()?;
        let state = &started.state;
        // A queue of lines with long names would have no bound.
        entry.shorten();
        let weight = entry.weight();
        let full = LogError::Behind {
            wrong: "its queue is full",
        };
        if state.queued.fetch_add(weight, Ordering::Relaxed) + weight > QUEUED_BYTES && weight > 0 {
            state.queued.fetch_sub(weight, Ordering::Relaxed);
            state.drop_one();
            return Err(full);
        }
        let is_urgent = done.is_some();
        let job = Job::Write(Box::new(entry), done);
        if started.jobs.send(job, is_urgent) {
            return Ok(());
        }
        state.queued.fetch_sub(weight, Ordering::Relaxed);
        state.drop_one();
        Err(full)
    }

    /// Returns how many lines are not in the log, since the start.
    pub fn dropped(&self) -> u64 {
        let started = self.started.get().and_then(|started| started.as_ref().ok());
        started.map_or(0, |started| started.state.dropped.load(Ordering::Relaxed))
    }

    /// Writes the last line of the chain, which is signed, and waits for it. Later lines are dropped. Returns whether the
    /// line was written in time. Dropping the last handle does the same, within one second.
    pub fn close(&self, within: Duration) -> bool {
        let started = self.started.get().and_then(|started| started.as_ref().ok());
        started.is_none_or(|started| started.close(within))
    }
}

fn user_file(file: &Path) -> PathBuf {
    let mut extension = OsString::from("user");
    if let Some(own) = file.extension() {
        extension.push(".");
        extension.push(own);
    }
    file.with_extension(extension)
}
