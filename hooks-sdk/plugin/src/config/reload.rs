//! A configuration file that is read again when it changes.

#[cfg(test)]
mod tests;

use std::{
    fmt, fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, RwLock, TryLockError},
    time::{Duration, SystemTime},
};

use tokio::{sync::watch, time::Instant};

use super::{
    super::{Chain, Kind, ListHook, PluginHook},
    Configuration, ConfigurationErrors,
    source::read,
};
use hooks_core::internal::{lock, read_lock, write_lock};

/// How often the file is looked at, at most.
const INTERVAL: Duration = Duration::from_secs(1);

/// How long a file must have rested before it is read: somebody may still be writing it.
const REST: Duration = Duration::from_secs(1);

type Settle = dyn Fn(Chain) -> Chain + Send + Sync;

/// The policy of a program with a configuration file, which is read again when it changes.
///
/// [`active`](Reloading::active) looks at the file's time of change, at most once a second. So no thread waits for the
/// file, and it works on every file system and with files that are replaced by links. A file that was written in the
/// last second is read at a later look, so that no half of a file is read.
///
/// A file with a mistake changes nothing: the policy before it stays, the log has the mistakes, and
/// [`problem`](Reloading::problem) returns them. An entry whose `kind` and `config` stay the same keeps its instance, so
/// that a rate limit does not start again. Counters of hooks stay too. A request should keep the [`ActivePolicy`] with
/// which it began.
pub struct Reloading {
    file: PathBuf,
    kinds: Vec<Kind>,
    hooks: Vec<PluginHook>,
    settle: Box<Settle>,
    active: RwLock<Arc<ActivePolicy>>,
    watched: Mutex<Watched>,
    lists: watch::Sender<u64>,
}

/// A policy as one version of the configuration file made it.
#[derive(Debug)]
#[non_exhaustive]
pub struct ActivePolicy {
    /// The hooks of the program and of the file.
    pub chain: Arc<Chain>,
    /// The file.
    pub configuration: Configuration,
    /// Counts the versions, from 1.
    pub version: u64,
}

impl ActivePolicy {
    /// Returns the list hooks of the file.
    pub fn lists(&self) -> &[ListHook] {
        self.configuration.lists()
    }
}

/// What is known of the file.
struct Watched {
    looked: Instant,
    /// What the file was when it was read the last time, with or without mistakes.
    read: Option<Stamp>,
    problem: Option<Arc<ConfigurationErrors>>,
}

/// By what a change of the file is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    changed: Option<SystemTime>,
    length: u64,
    number: u64,
}

/// What a new version of the file changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reloaded {
    /// Whether anything changed.
    pub changed: bool,
    /// Whether clients see another list of tools, prompts or resources.
    pub lists: bool,
}

impl Reloading {
    /// Reads the file for the first time. `kinds` and `hooks` are those of [`Configuration::read`], and `settle` is that
    /// of [`Configuration::chain`].
    ///
    /// # Errors
    ///
    /// Everything that is wrong with the file: a program does not start with a policy that it cannot read.
    pub fn open(
        file: impl Into<PathBuf>,
        kinds: Vec<Kind>,
        hooks: Vec<PluginHook>,
        settle: impl Fn(Chain) -> Chain + Send + Sync + 'static,
    ) -> Result<Reloading, ConfigurationErrors> {
        let file = file.into();
        // The stamp is older than the text, so that a change between the two is seen at the next look.
        let stamp = Stamp::of(&file);
        let configuration = Configuration::read(&file, &kinds, &hooks)?;
        report(&configuration);
        let chain = configuration.chain(hooks.iter().cloned(), &settle);
        let active = ActivePolicy {
            chain: Arc::new(chain),
            configuration,
            version: 1,
        };
        Ok(Reloading {
            file,
            kinds,
            hooks,
            settle: Box::new(settle),
            active: RwLock::new(Arc::new(active)),
            watched: Mutex::new(Watched {
                looked: Instant::now(),
                read: stamp,
                problem: None,
            }),
            lists: watch::Sender::new(1),
        })
    }

    /// Returns the policy. If the file changed, reads it first; the last look at it must be a second ago.
    pub fn active(&self) -> Arc<ActivePolicy> {
        self.look();
        self.now()
    }

    /// Looks at the file, unless that was done in the last second. Returns what changed.
    pub fn look(&self) -> Reloaded {
        let mut watched = match self.watched.try_lock() {
            Ok(watched) => watched,
            Err(TryLockError::Poisoned(broken)) => broken.into_inner(),
            // Another call looks just now.
            Err(TryLockError::WouldBlock) => return Reloaded::default(),
        };
        if watched.looked.elapsed() < INTERVAL {
            return Reloaded::default();
        }
        watched.looked = Instant::now();
        let stamp = Stamp::of(&self.file);
        if stamp == watched.read || !stamp.is_none_or(|stamp| stamp.rests(SystemTime::now())) {
            return Reloaded::default();
        }
        self.again(&mut watched, stamp).unwrap_or_default()
    }

    /// Reads the file now, whether it changed or not, for example at a signal.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with the file. The policy before it stays.
    pub fn reload(&self) -> Result<Reloaded, ConfigurationErrors> {
        let mut watched = lock(&self.watched);
        let stamp = Stamp::of(&self.file);
        self.again(&mut watched, stamp)
    }

    /// Returns what is wrong with the file, if the policy is an older one for that reason.
    pub fn problem(&self) -> Option<Arc<ConfigurationErrors>> {
        let watched = lock(&self.watched);
        watched.problem.clone()
    }

    /// Returns a receiver that sees each change of a list, so that a server can tell its clients.
    pub fn list_changes(&self) -> watch::Receiver<u64> {
        self.lists.subscribe()
    }

    /// Returns the file.
    pub fn file(&self) -> &Path {
        &self.file
    }

    fn now(&self) -> Arc<ActivePolicy> {
        let active = read_lock(&self.active);
        active.clone()
    }

    fn again(
        &self,
        watched: &mut Watched,
        stamp: Option<Stamp>,
    ) -> Result<Reloaded, ConfigurationErrors> {
        watched.read = stamp;
        let before = self.now();
        let configuration = read(&self.file).and_then(|text| {
            Configuration::made(
                &self.file,
                &text,
                &self.kinds,
                &self.hooks,
                Some(&before.configuration),
            )
        });
        let configuration = match configuration {
            Ok(configuration) => configuration,
            Err(wrong) => {
                for mistake in wrong.iter() {
                    tracing::error!(
                        target: "hooks_sdk::plugin",
                        file = %self.file.display(),
                        line = mistake.origin.map_or(0, |origin| origin.line),
                        help = %mistake.help,
                        "the policy stays as it was: {}",
                        mistake.message
                    );
                }
                watched.problem = Some(Arc::new(wrong.clone()));
                return Err(wrong);
            }
        };
        watched.problem = None;
        if configuration.text == before.configuration.text {
            return Ok(Reloaded::default());
        }
        report(&configuration);
        let lists = !configuration.hidden().eq(before.configuration.hidden());
        let chain = configuration.chain(self.hooks.iter().cloned(), &*self.settle);
        let active = ActivePolicy {
            chain: Arc::new(chain.after(&before.chain)),
            configuration,
            version: before.version + 1,
        };
        let version = active.version;
        *write_lock(&self.active) = Arc::new(active);
        tracing::info!(
            target: "hooks_sdk::plugin",
            file = %self.file.display(), version, "the policy was read again"
        );
        if lists {
            self.lists.send_replace(version);
        }
        Ok(Reloaded {
            changed: true,
            lists,
        })
    }
}

fn report(configuration: &Configuration) {
    for note in configuration.notes() {
        tracing::warn!(target: "hooks_sdk::plugin", "{note}");
    }
}

impl Stamp {
    /// Returns `None` if there is no file.
    fn of(file: &Path) -> Option<Stamp> {
        let about = fs::metadata(file).ok()?;
        #[cfg(unix)]
        let number = std::os::unix::fs::MetadataExt::ino(&about);
        #[cfg(not(unix))]
        let number = 0;
        Some(Stamp {
            changed: about.modified().ok(),
            length: about.len(),
            number,
        })
    }

    /// Returns whether the file was not written just now. A time in the future does not count.
    fn rests(&self, now: SystemTime) -> bool {
        let Some(changed) = self.changed else {
            return true;
        };
        now.duration_since(changed).map_or(true, |age| age >= REST)
    }
}

impl fmt::Debug for Reloading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reloading")
            .field("file", &self.file)
            .field("active", &self.now())
            .finish_non_exhaustive()
    }
}
