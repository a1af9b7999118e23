//! `audit`: a line of JSON for each request, reserved before the request and written when it has ended.

mod line;
mod place;
mod thread;

use std::{fmt, io, path::PathBuf, sync::Arc};

use serde::Deserialize;

use self::{
    place::{Place, Slot},
    thread::gone,
};
use hooks_core::{OnFailure, Timestamp};

pub use self::line::{AuditRecord, Ended};

/// The most bytes of a line, and of one with contents.
const LINE: usize = 4 * 1024;
const LINE_WITH_CONTENTS: usize = 64 * 1024;

/// Writes what the hooks of each request did: a sink of the chain's record.
///
/// ```
/// use hooks_sdk::core::OnFailure;
/// use hooks_sdk::plugin::ready::Audit;
///
/// # let folder = std::env::temp_dir().join("hooks-sdk-audit-doc");
/// # std::fs::create_dir_all(&folder).unwrap();
/// let audit = Audit::to(folder.join("audit.jsonl")).on_failure(OnFailure::Fail);
/// let line = audit.reserve()?;
/// # drop(line);
/// # std::fs::remove_dir_all(&folder).unwrap();
/// # Ok::<(), hooks_sdk::plugin::ready::AuditError>(())
/// ```
///
/// A server reserves the line of a request before the request goes on: the bytes are then in the file. So a full disk, a
/// missing folder or a file without permission is seen before the tool runs, and with `on_failure = fail`, the default,
/// the request is refused. A line that is never written, because the process died, says `"ended":"unknown"`.
///
/// When the file has reached `max_bytes` (10 MiB), it becomes `audit.jsonl.1`, and the older ones move on; `keep` (5) of
/// them are kept. Several processes may write one file. On Unix only its owner can read it: a file that others can read
/// is taken from them, and a symbolic link is refused. A server writes on a thread of its own, and no file stops its other
/// work. Lines hold no arguments, no
/// results, no reasons and no query of a URI, unless `contents` says so; then a line is at most 64 KiB long, else 4 KiB, and what does not fit is left out
/// and counted. Lines are not synchronised to the disk one by one.
#[derive(Clone, Debug, Deserialize)]
#[serde(from = "Settings")]
pub struct Audit {
    place: Arc<Place>,
    contents: bool,
    on_failure: OnFailure,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    file: PathBuf,
    #[serde(default = "ten_mebibytes")]
    max_bytes: u64,
    #[serde(default = "five")]
    keep: usize,
    #[serde(default)]
    contents: bool,
}

const fn ten_mebibytes() -> u64 {
    10 * 1024 * 1024
}

const fn five() -> usize {
    5
}

impl From<Settings> for Audit {
    fn from(settings: Settings) -> Audit {
        let Settings {
            file,
            max_bytes,
            keep,
            contents,
        } = settings;
        Audit {
            place: Arc::new(Place::new(file, max_bytes, keep)),
            contents,
            on_failure: OnFailure::Fail,
        }
    }
}

impl Audit {
    /// The word for the sink. A configuration file has no `audit`: the program sets it.
    pub const KIND: &'static str = "audit";

    /// Creates a sink that appends to a file. The file is created with the first line, its folder is not.
    pub fn to(file: impl Into<PathBuf>) -> Audit {
        Audit::from(Settings {
            file: file.into(),
            max_bytes: ten_mebibytes(),
            keep: five(),
            contents: false,
        })
    }

    /// Sets at which size a file is put aside, and how many such files are kept, at least one.
    #[must_use]
    pub fn rotate(mut self, max_bytes: u64, keep: usize) -> Audit {
        self.place = Arc::new(Place::new(self.place.file().to_owned(), max_bytes, keep));
        self
    }

    /// Also writes arguments, results and reasons. They may hold secrets.
    #[must_use]
    pub fn contents(mut self) -> Audit {
        self.contents = true;
        self
    }

    /// Sets what happens to a request whose line cannot be reserved: it is refused (`Fail`, the default), or it goes on
    /// and the log says so.
    #[must_use]
    pub fn on_failure(mut self, on_failure: OnFailure) -> Audit {
        self.on_failure = on_failure;
        self
    }

    /// Returns what happens to a request whose line cannot be reserved.
    pub fn posture(&self) -> OnFailure {
        self.on_failure
    }

    /// Returns whether lines hold arguments and results.
    pub fn has_contents(&self) -> bool {
        self.contents
    }

    /// Reserves the line of a request in the file. The call blocks as writing to a file does; a server reserves on a
    /// thread of its own.
    ///
    /// # Errors
    ///
    /// The line cannot be written now.
    pub fn reserve(&self) -> Result<Reserved, AuditError> {
        let slot = self.slot(&self.place);
        self.reserved(slot)
    }

    /// Reserves the line of a request, on the audit's own thread.
    ///
    /// # Errors
    ///
    /// As [`reserve`](Audit::reserve).
    #[doc(hidden)]
    pub async fn reserve_apart(&self) -> Result<Reserved, AuditError> {
        let own = self.clone();
        let waiting = self.place.thread.run(move || own.slot(&own.place));
        let slot = match waiting {
            Ok(waiting) => waiting.await.unwrap_or_else(|_| Err(gone())),
            Err(error) => Err(error),
        };
        self.reserved(slot)
    }

    fn slot(&self, place: &Place) -> io::Result<Slot> {
        let length = if self.contents {
            LINE_WITH_CONTENTS
        } else {
            LINE
        };
        let unknown = format!(r#"{{"at":"{}","ended":"unknown"}}"#, Timestamp::now());
        place.reserve(unknown.as_bytes(), length)
    }

    fn reserved(&self, slot: io::Result<Slot>) -> Result<Reserved, AuditError> {
        let slot = slot.map_err(|error| self.place.error(error))?;
        Ok(Reserved {
            place: self.place.clone(),
            slot,
            contents: self.contents,
        })
    }
}

/// A line of the audit that waits for the end of its request.
#[derive(Debug)]
pub struct Reserved {
    place: Arc<Place>,
    slot: Slot,
    contents: bool,
}

impl Reserved {
    /// Writes the line in its place.
    ///
    /// # Errors
    ///
    /// The file cannot be written any more. The line then says `"ended":"unknown"`.
    pub fn write(self, record: &AuditRecord<'_>) -> Result<(), AuditError> {
        let line = self.line(record);
        let written = self.place.write(&self.slot, &line);
        written.map_err(|error| self.place.error(error))
    }

    fn line(&self, record: &AuditRecord<'_>) -> Vec<u8> {
        record.line(self.contents, self.slot.length() - 1)
    }

    /// Writes the line in its place, on the audit's own thread. A failure is logged. Whoever awaits the returned future
    /// waits until the line is written.
    #[doc(hidden)]
    pub fn write_apart(self, record: &AuditRecord<'_>) -> impl Future<Output = ()> + Send + use<> {
        let line = self.line(record);
        let place = self.place.clone();
        let written = place.thread.run(move || {
            if let Err(error) = self.place.write(&self.slot, &line) {
                let error = self.place.error(error);
                tracing::error!(
                    target: "hooks_sdk::plugin",
                    %error, "the end of a request is not in the audit"
                );
            }
        });
        async move {
            match written {
                // If the thread has ended, there is nothing to wait for.
                Ok(written) => _ = written.await,
                Err(error) => {
                    tracing::error!(
                        target: "hooks_sdk::plugin",
                        %error, "the end of a request is not in the audit"
                    );
                }
            }
        }
    }
}

/// The audit cannot be written.
#[derive(Debug)]
pub struct AuditError {
    file: PathBuf,
    error: io::Error,
}

impl AuditError {
    /// Returns the file that cannot be written.
    pub fn file(&self) -> &std::path::Path {
        &self.file
    }
}

impl fmt::Display for AuditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let AuditError { file, error } = self;
        write!(f, "cannot write the audit to `{}`: {error}", file.display())
    }
}

impl std::error::Error for AuditError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}
