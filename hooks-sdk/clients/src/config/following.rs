//! Entries that follow their program: what an installation records, so that a later start can mend them.

use std::{
    fs,
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

use serde::{Deserialize, Serialize};

use super::{super::history::now, error::ConfigError, lock::Lock, plan::Plan, record::Record};

/// The program that entries follow, as it was when they were last written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Following {
    /// The program's path.
    pub program: PathBuf,
    /// The arguments of the entries.
    pub arguments: Vec<String>,
    /// When the entries were last mended, in milliseconds since 1970; `None` if they never were.
    #[serde(default)]
    pub mended_at: Option<i64>,
    /// `None` until the entries are written.
    #[serde(default)]
    stamp: Option<Stamp>,
}

/// The length of a file, and the time of its last change in milliseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Stamp {
    length: u64,
    modified: u128,
}

impl Stamp {
    fn of(program: &Path) -> Option<Stamp> {
        let metadata = fs::metadata(program).ok()?;
        let since = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        Some(Stamp {
            length: metadata.len(),
            modified: since.as_millis(),
        })
    }
}

impl Following {
    /// Returns whether the entries were written by this very program. This reads only the file's metadata.
    pub fn is_current(&self, program: &Path) -> bool {
        self.program == program && self.stamp.is_some() && self.stamp == Stamp::of(program)
    }
}

impl Plan {
    /// Records that the entries follow `program`, with these arguments. [`settle`](Plan::settle) completes the record.
    #[must_use]
    pub fn following(mut self, program: &Path, arguments: &[String]) -> Plan {
        self.following = Some(Following {
            program: program.to_owned(),
            arguments: arguments.to_vec(),
            mended_at: None,
            stamp: None,
        });
        self
    }

    /// Records, after [`apply`](Plan::apply), that the entries are those of the program as it is now. If the process ends
    /// before, the next start compares the entries again. `mended` is true if the files were changed to mend them.
    ///
    /// # Errors
    ///
    /// The record cannot be read or written.
    pub fn settle(&self, data: &Path, mended: bool) -> Result<(), ConfigError> {
        let Some(record) = Record::find(data, &self.key)? else {
            return Ok(());
        };
        let _lock = Lock::take(&record.at, &record.at)?;
        let Some(mut record) = Record::load(&record.at)? else {
            return Ok(());
        };
        let Some(following) = &mut record.following else {
            return Ok(());
        };
        following.stamp = Stamp::of(&following.program);
        if mended {
            following.mended_at = Some(now());
        }
        record.save(&[])
    }
}

impl Record {
    /// Returns the program that the entries follow; `None` if the user did not ask for it.
    pub fn following(&self) -> Option<&Following> {
        self.following.as_ref()
    }

    /// Returns the time of the first installation, in milliseconds since 1970; 0 if an earlier version made it.
    pub fn installed_at(&self) -> i64 {
        self.installed_at
    }

    /// Returns whether the installation wrote the MCP server, too.
    pub fn has_server(&self) -> bool {
        self.files.iter().any(|file| file.server.is_some())
    }

    /// Takes from the record of the installation before what outlives a new one.
    pub(super) fn after(
        mut self,
        previous: Option<&Record>,
        following: Option<Following>,
    ) -> Record {
        let before = previous.map_or(0, |previous| previous.installed_at);
        self.installed_at = if before == 0 { now() } else { before };
        let mended_at = previous
            .and_then(|previous| previous.following.as_ref())
            .and_then(|following| following.mended_at);
        self.following = following.map(|following| Following {
            mended_at,
            ..following
        });
        self
    }
}
