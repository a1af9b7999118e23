//! The chain of a user, to which short processes append under a lock.

use std::{
    fs::{OpenOptions, TryLockError},
    io,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use crate::{
    DecisionEntry, LogError, LogKeys, LogKind, LogSettings, Posture,
    chain::{ChainHead, LineMarks, hash},
    file::{LogFile, open_own, with},
    verify::read_line,
};

/// How long a process waits for the lock: under `deny` nearly as long as clients wait for a hook, under `proceed` hardly.
const DENY: Duration = Duration::from_millis(1_000);
const PROCEED: Duration = Duration::from_millis(50);
const PAUSE: Duration = Duration::from_millis(2);

/// The chain of a user, for processes that end at once, such as `hooks fire`.
///
/// Each process takes the lock `FILE.lock`, reads the last line, and appends its lines. Each last line is signed. A process
/// waits for the lock for 1 s with [`Posture::Deny`], and for 50 ms with [`Posture::Proceed`].
///
/// ```
/// use hooks_log::{LogDecision, LogEnd, DecisionEntry, Posture, LogSettings, UserChain};
///
/// # let folder = std::env::temp_dir().join(format!("hooks-log-user-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder).unwrap();
/// let chain = UserChain::new(LogSettings::new(folder.join("gates.jsonl"), Posture::Deny))?;
/// let id = UserChain::decision_id()?;
/// let (decision, ended) = (LogDecision::Allowed, LogEnd::Answered);
/// chain.append([DecisionEntry::decided(id, "agent_tool_pre_invoke", "Bash", decision, ended)])?;
/// # std::fs::remove_dir_all(&folder).unwrap();
/// # Ok::<(), hooks_log::LogError>(())
/// ```
#[derive(Clone, Debug)]
pub struct UserChain {
    settings: LogSettings,
    keys: LogKeys,
    masks: Vec<hooks_text::condition::Path>,
}

impl UserChain {
    /// Reads the keys and the masks.
    ///
    /// # Errors
    ///
    /// A key or a mask is wrong.
    pub fn new(settings: LogSettings) -> Result<UserChain, LogError> {
        Ok(UserChain {
            keys: settings.keys()?,
            masks: settings.masks()?,
            settings,
        })
    }

    /// Returns a new, random id of a decision.
    ///
    /// # Errors
    ///
    /// The operating system returned no random bytes.
    pub fn decision_id() -> Result<Arc<str>, LogError> {
        ChainHead::new().map(|head| head.chain)
    }

    /// Returns what happens to a step whose lines cannot be written.
    pub fn posture(&self) -> Posture {
        self.settings.posture
    }

    /// Returns whether lines have arguments and answers.
    pub fn has_contents(&self) -> bool {
        self.settings.contents
    }

    /// Appends lines. They are in the file when the method returns.
    ///
    /// # Errors
    ///
    /// Another process holds the lock for too long, the file cannot be written, or the file is no chain of a user.
    pub fn append(&self, entries: impl IntoIterator<Item = DecisionEntry>) -> Result<(), LogError> {
        let lock = with(&self.settings.file, ".lock");
        let failed = |error: io::Error| LogError::File {
            file: lock.clone(),
            error: Arc::new(error),
        };
        let held =
            open_own(OpenOptions::new().write(true).truncate(false), &lock).map_err(failed)?;
        let patience = match self.settings.posture {
            Posture::Deny => DENY,
            Posture::Proceed => PROCEED,
        };
        let begun = Instant::now();
        loop {
            match held.try_lock() {
                Ok(()) => break,
                Err(TryLockError::Error(error)) => return Err(failed(error)),
                Err(TryLockError::WouldBlock) if begun.elapsed() >= patience => {
                    return Err(LogError::Locked {
                        lock,
                        waited: patience,
                    });
                }
                Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
            }
        }
        // Closing the file releases the lock.
        self.append_locked(entries.into_iter().collect())
    }

    fn append_locked(&self, entries: Vec<DecisionEntry>) -> Result<(), LogError> {
        let mut file = LogFile::new(&self.settings);
        let last = LogFile::last_line(&self.settings.file);
        let (mut head, mut first) = match last.map_err(|error| file.error(error))? {
            None => (ChainHead::new()?, Some(LogKind::Start)),
            Some(last) => (self.head_of(&last)?, None),
        };
        file.ready()?;
        if first.is_none() && file.is_full() {
            file.rotate()?;
            first = Some(LogKind::Rotate);
        }
        let count = entries.len();
        let first = first.map(|kind| DecisionEntry::new(kind, ""));
        let lines = first.into_iter().chain(entries);
        let all = lines.collect::<Vec<_>>();
        let own = all.len() - count;
        let torn = file.ready()?.torn;
        for (at, mut entry) in all.into_iter().enumerate() {
            entry.shorten();
            let marks = LineMarks {
                dropped: 0,
                torn: torn && at == 0,
                signed: at < own || at + 1 == own + count,
            };
            let line = head.line(&entry, marks, &self.masks, &self.keys);
            file.write(&line)?;
            head.written(&line, marks.signed);
        }
        Ok(())
    }

    /// Returns the end of a chain from its last line.
    fn head_of(&self, last: &[u8]) -> Result<ChainHead, LogError> {
        let read = read_line(last).filter(|read| read.kind != "end");
        let Some(read) = read else {
            let wrong = "its last line is no line of a chain; move the file away";
            return Err(LogError::File {
                file: self.settings.file.clone(),
                error: Arc::new(io::Error::new(io::ErrorKind::InvalidData, wrong)),
            });
        };
        Ok(ChainHead {
            chain: read.chain.as_ref().into(),
            seq: read.seq + 1,
            prev: hash(last),
            unsigned: 0,
        })
    }
}
