//! The file of an audit: slots at its end, and its rotation.

use std::{
    ffi::OsString,
    fs::{self, File, OpenOptions},
    io::{self, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use fs4::{FileExt, TryLockError};

use super::{AuditError, thread::Thread};

/// How long another process may hold the file. It does so for the time of a write.
const PATIENCE: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(1);

/// A file that is appended to by this process and others.
#[derive(Debug)]
pub(super) struct Place {
    file: PathBuf,
    max_bytes: u64,
    keep: usize,
    /// A file beside it that whoever changes its length locks. The lock is of the open file, so that threads of this
    /// process need the mutex as well.
    lock: Mutex<Lock>,
    /// The thread that writes for the server.
    pub(super) thread: Thread,
}

#[derive(Debug, Default)]
struct Lock {
    file: Option<File>,
    /// When another process had held it for too long. Requests after that one do not wait as long again.
    gave_up: Option<Instant>,
}

/// The place of a line: the file may have another name by now.
#[derive(Debug)]
pub(super) struct Slot {
    file: File,
    offset: u64,
    length: usize,
}

impl Slot {
    /// The bytes of the slot, with the end of its line.
    pub(super) fn length(&self) -> usize {
        self.length
    }
}

impl Place {
    pub(super) fn new(file: PathBuf, max_bytes: u64, keep: usize) -> Place {
        Place {
            file,
            max_bytes,
            keep: keep.max(1),
            lock: Mutex::default(),
            thread: Thread::default(),
        }
    }

    pub(super) fn file(&self) -> &Path {
        &self.file
    }

    pub(super) fn error(&self, error: io::Error) -> AuditError {
        AuditError {
            file: self.file.clone(),
            error,
        }
    }

    /// Writes a line at the end of the file, padded to `length` bytes.
    pub(super) fn reserve(&self, line: &[u8], length: usize) -> io::Result<Slot> {
        self.locked(|| {
            let mut file = opened(&self.file)?;
            let mut offset = file.seek(SeekFrom::End(0))?;
            if offset >= self.max_bytes {
                self.rotate()?;
                file = opened(&self.file)?;
                offset = file.seek(SeekFrom::End(0))?;
            }
            if let Err(error) = file.write_all(&padded(line, length)) {
                // Half a line would spoil the next one.
                let _ = file.set_len(offset);
                return Err(error);
            }
            Ok(Slot {
                file,
                offset,
                length,
            })
        })
    }

    /// Writes a line in its slot. Where nothing stands behind the slot, the padding goes.
    pub(super) fn write(&self, slot: &Slot, line: &[u8]) -> io::Result<()> {
        self.locked(|| {
            let mut file = &slot.file;
            let last = file.seek(SeekFrom::End(0))? == slot.offset + slot.length as u64;
            let length = if last { line.len() + 1 } else { slot.length };
            file.seek(SeekFrom::Start(slot.offset))?;
            file.write_all(&padded(line, length))?;
            if last {
                file.set_len(slot.offset + length as u64)?;
            }
            Ok(())
        })
    }

    fn locked<T>(&self, act: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        let mut kept = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        let Lock { file, gave_up } = &mut *kept;
        let lock = match &mut *file {
            Some(lock) => lock,
            none => none.insert(opened(&with(&self.file, ".lock"))?),
        };
        let patience = match gave_up {
            Some(when) if when.elapsed() < PATIENCE => Duration::ZERO,
            _ => PATIENCE,
        };
        if let Err(error) = wait_for(lock, patience) {
            if !patience.is_zero() {
                *gave_up = Some(Instant::now());
            }
            return Err(error);
        }
        *gave_up = None;
        let acted = act();
        // An unlocking that fails leaves the lock to the end of the file's life, which is now.
        if FileExt::unlock(lock).is_err() {
            *file = None;
        }
        acted
    }

    /// Puts the file aside as the newest of those that are kept.
    fn rotate(&self) -> io::Result<()> {
        for number in (1..self.keep).rev() {
            let from = with(&self.file, &format!(".{number}"));
            if from.exists() {
                fs::rename(from, with(&self.file, &format!(".{}", number + 1)))?;
            }
        }
        fs::rename(&self.file, with(&self.file, ".1"))
    }
}

/// Locks a file, unless another process holds it for too long.
fn wait_for(lock: &File, patience: Duration) -> io::Result<()> {
    let begun = Instant::now();
    loop {
        match FileExt::try_lock(lock) {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) if begun.elapsed() >= patience => {
                let wrong = "another process has held its lock for a second; end that process";
                return Err(io::Error::new(io::ErrorKind::TimedOut, wrong));
            }
            Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
        }
    }
}

/// Opens a file that only its owner can read, or creates it. Links are not followed.
fn opened(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;

        // Without NONBLOCK, opening a pipe waits for its reader.
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        options.mode(0o600).custom_flags(flags.bits().cast_signed());
    }
    let file = options.open(path).map_err(|error| {
        if path.is_symlink() {
            let wrong = "it is a symbolic link; name the file itself";
            return io::Error::new(error.kind(), wrong);
        }
        error
    })?;
    #[cfg(unix)]
    narrow(&file, path)?;
    Ok(file)
}

/// Takes a file from everybody but its owner.
///
/// # Errors
///
/// It is no regular file, or it stays readable for others.
#[cfg(unix)]
fn narrow(file: &File, path: &Path) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    if metadata.mode() & 0o077 == 0 {
        return Ok(());
    }
    file.set_permissions(fs::Permissions::from_mode(0o600))?;
    if file.metadata()?.mode() & 0o077 != 0 {
        let wrong =
            "others can read it, and its file system does not let that change; name another file";
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, wrong));
    }
    tracing::warn!(
        target: "hooks_sdk::plugin",
        file = %path.display(), "others could read the audit; now only its owner can"
    );
    Ok(())
}

fn with(path: &Path, end: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(end);
    name.into()
}

fn padded(line: &[u8], length: usize) -> Vec<u8> {
    let mut padded = line.to_vec();
    padded.resize(length - 1, b' ');
    padded.push(b'\n');
    padded
}
