//! The policy that is in force: that of the file, read again when the file changes.

use std::{
    fs::Metadata,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, SystemTime},
};

use hooks_sdk::core::Timestamp;
use tokio::{sync::watch, time::sleep};

use crate::ruleset::{Ruleset, RulesetErrors};

/// How often the guardian looks whether the file has changed. A file that has changed is read at the next look, if it has
/// not changed again: somebody may still be writing it.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// The policy in force, and what is known of its file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct InForce {
    /// The policy.
    pub policy: Arc<Ruleset>,
    /// Since when it is in force.
    pub since: Timestamp,
    /// What is wrong with the file as it is now. The policy is then the last one that was right.
    pub problem: Option<String>,
}

/// A policy that follows its file.
#[derive(Clone, Debug)]
pub struct Live {
    file: Option<PathBuf>,
    /// The stamp that the file had before it was read for the first time.
    opened: Option<Stamp>,
    now: watch::Sender<InForce>,
}

impl Live {
    /// Reads the file for the first time. Without a file, every step is allowed.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with the file: a guardian does not start with a policy that it cannot read.
    pub fn open(file: Option<PathBuf>) -> Result<Live, RulesetErrors> {
        let known = file.as_ref().and_then(|file| std::fs::metadata(file).ok());
        let policy = match &file {
            Some(file) => Ruleset::load(file)?,
            None => {
                tracing::warn!("no policy: every step is allowed");
                Ruleset::open()
            }
        };
        let now = InForce {
            policy: Arc::new(policy),
            since: Timestamp::now(),
            problem: None,
        };
        Ok(Live {
            file,
            opened: known.map(|known| Stamp::of(&known)),
            now: watch::Sender::new(now),
        })
    }

    /// Returns the policy in force.
    pub fn policy(&self) -> Arc<Ruleset> {
        self.now.borrow().policy.clone()
    }

    /// Returns the policy in force, and hears of each change.
    pub fn changes(&self) -> watch::Receiver<InForce> {
        self.now.subscribe()
    }

    /// Returns the file.
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// Follows the file. It does not return if there is one.
    ///
    /// It asks for the file's stamp four times a second: that works on every file system, and with files that are replaced
    /// by links.
    pub async fn follow(self) {
        let Some(file) = &self.file else { return };
        let mut read = self.opened;
        let mut seen = read;
        loop {
            sleep(LOOK_EVERY).await;
            let known = tokio::fs::metadata(file).await.ok();
            let now = known.map(|known| Stamp::of(&known));
            if now != read && now == seen {
                read = now;
                self.read(file).await;
            }
            seen = now;
        }
    }

    async fn read(&self, file: &Path) {
        let path = file.to_owned();
        let loaded = tokio::task::spawn_blocking(move || Ruleset::load(&path)).await;
        let name = file.display();
        match loaded {
            Ok(Ok(policy)) => {
                tracing::info!(file = %name, rules = policy.count(), "the new policy is in force");
                self.now.send_replace(InForce {
                    policy: Arc::new(policy),
                    since: Timestamp::now(),
                    problem: None,
                });
            }
            Ok(Err(errors)) => {
                tracing::error!(file = %name, "the policy before it stays in force:\n{errors}");
                let problem = Some(errors.to_string());
                self.now.send_modify(|now| now.problem = problem);
            }
            Err(error) => tracing::error!(file = %name, %error, "the policy cannot be read"),
        }
    }
}

/// By what a change of the file is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    changed: Option<SystemTime>,
    length: u64,
    number: u64,
}

impl Stamp {
    fn of(known: &Metadata) -> Stamp {
        #[cfg(unix)]
        let number = std::os::unix::fs::MetadataExt::ino(known);
        #[cfg(not(unix))]
        let number = 0;
        Stamp {
            changed: known.modified().ok(),
            length: known.len(),
            number,
        }
    }
}
