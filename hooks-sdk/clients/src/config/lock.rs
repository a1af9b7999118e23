//! The lock of a configuration file: an advisory lock on a file beside it.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use super::{
    error::{ConfigError, Obstacle},
    file::hidden,
};

/// The time to wait for another installation.
const PATIENCE: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(5);

/// A lock that is held until it is dropped. The system releases it if the program dies.
#[derive(Debug)]
pub(super) struct Lock {
    path: PathBuf,
    _file: File,
}

impl Lock {
    /// Waits for the lock of a file. `named` is the file's name in an error.
    pub(super) fn take(named: &Path, target: &Path) -> Result<Lock, ConfigError> {
        let mut name = hidden(target);
        name.push("hooks-lock");
        let path = target.with_file_name(name);
        let begun = Instant::now();
        loop {
            let file = OpenOptions::new()
                .write(true)
                .create(true)
                .truncate(false)
                .open(&path)
                .map_err(|error| ConfigError::io(named, "create a lock beside the file", error))?;
            match file.try_lock() {
                Ok(()) if is_at(&file, &path) => return Ok(Lock { path, _file: file }),
                // The previous holder removed it between the opening and the locking.
                Ok(()) => {}
                Err(TryLockError::WouldBlock) if begun.elapsed() > PATIENCE => {
                    let wrong = "another program has been changing the file for a minute";
                    let mend = "wait for it to end, then run this again";
                    return Err(ConfigError::new(Obstacle::Busy, named, wrong, mend));
                }
                Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
                Err(TryLockError::Error(error)) => {
                    return Err(ConfigError::io(named, "lock the file", error));
                }
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Removed while locked: another installation that has opened it finds it missing, and opens it again.
        if cfg!(unix) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), fs::metadata(path)) {
        (Ok(open), Ok(named)) => (open.dev(), open.ino()) == (named.dev(), named.ino()),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn one_at_a_time_holds_it_and_nothing_is_left() {
        let folder = tempfile::tempdir().expect("a folder");
        let target = folder.path().join("x.json");
        let (inside, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        thread::scope(|threads| {
            for _ in 0..8 {
                threads.spawn(|| {
                    for _ in 0..25 {
                        let lock = Lock::take(&target, &target).expect("a lock");
                        most.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        inside.fetch_sub(1, Ordering::SeqCst);
                        drop(lock);
                    }
                });
            }
        });
        assert_eq!(most.into_inner(), 1);
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
    }
}
