//! The copy of a server's program in the server's data folder, which entries start.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use tempfile::TempPath;

use super::{
    error::{ConfigError, Obstacle},
    file::{Access, INCOMPLETE, hidden, settle, write_beside},
    lock::Lock,
    record::Record,
    records::Records,
};

/// The copy of a server's program in the folder `bin` of the server's data folder, under a lock.
///
/// The lock is held until the value is dropped, so that no other process replaces or removes the copy while entries that
/// start it are written.
#[derive(Debug)]
pub struct ProgramCopy {
    path: PathBuf,
    data: PathBuf,
    _lock: Lock,
}

impl ProgramCopy {
    /// Returns the path of the copy for the server with this id, whether it exists or not.
    pub fn path(data: &Path, id: &str) -> PathBuf {
        data.join("bin").join(id)
    }

    /// Locks the copy for the server with this id, and creates the data folder if it does not exist.
    ///
    /// # Errors
    ///
    /// The folder cannot be created, or another process holds the lock for 10 seconds.
    pub fn lock(data: &Path, id: &str) -> Result<ProgramCopy, ConfigError> {
        let path = ProgramCopy::path(data, id);
        fs::create_dir_all(data)
            .map_err(|error| ConfigError::io(&path, "create the data folder", error))?;
        // Beside the folder of the copy, which is removed with it.
        let lock = Lock::take(&path, &data.join("bin"))?;
        Ok(ProgramCopy {
            path,
            data: data.to_owned(),
            _lock: lock,
        })
    }

    /// Returns whether two files have the same bytes. A copy that cannot be read differs.
    ///
    /// # Errors
    ///
    /// `program` cannot be read.
    pub fn is_same(program: &Path, copy: &Path) -> Result<bool, ConfigError> {
        let failed = |error| ConfigError::io(program, "read the program", error);
        let length = fs::metadata(program).map_err(failed)?.len();
        // A pipe is no file: to open it would wait for a writer.
        if !fs::metadata(copy).is_ok_and(|copy| copy.is_file() && copy.len() == length) {
            return Ok(false);
        }
        let program = fs::read(program).map_err(failed)?;
        Ok(fs::read(copy).is_ok_and(|copy| copy == program))
    }

    /// Copies `program`, unless the copy has the same bytes. Returns whether it was written.
    ///
    /// The new copy is a file of another name until it is complete and `answers` returns no error for it. It then replaces
    /// the previous copy in one step. A process that runs the previous copy goes on.
    ///
    /// # Errors
    ///
    /// The program cannot be copied, or the new copy does not answer. The previous copy stays.
    pub fn write(
        &self,
        program: &Path,
        answers: impl FnOnce(&Path) -> Result<(), String>,
    ) -> Result<bool, ConfigError> {
        if ProgramCopy::is_same(program, &self.path)? && is_executable(&self.path) {
            return Ok(false);
        }
        let failed = |error| ConfigError::io(&self.path, "copy the program", error);
        let folder = self.path.with_file_name("");
        fs::create_dir_all(&folder).map_err(failed)?;
        self.remove_incomplete();
        let placed = self.copied(program).map_err(failed);
        let placed = placed.and_then(|new| {
            answers(&new).map_err(|wrong| self.unanswered(program, &wrong))?;
            new.persist(&self.path).map_err(|e| failed(e.error))
        });
        if placed.is_err() {
            _ = fs::remove_dir(&folder);
        } else {
            settle(&self.path);
        }
        placed.map(|()| true)
    }

    /// Removes the copy if no recorded installation starts it. Returns whether the copy was removed. While a record cannot
    /// be read, the copy stays, because that installation may start it.
    ///
    /// # Errors
    ///
    /// The folder of the records cannot be read, or the copy cannot be removed. The copy then stays.
    pub fn remove_unused(&self) -> Result<bool, ConfigError> {
        let records = Records::read(&self.data)?;
        let starts_it = |record: &Record| record.starts.as_ref() == Some(&self.path);
        if !records.unreadable.is_empty() || records.installed.iter().any(starts_it) {
            return Ok(false);
        }
        self.remove_incomplete();
        let removed = match fs::remove_file(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(ConfigError::io(&self.path, "remove the copy", error)),
            Ok(()) => Ok(true),
        };
        // Files of others keep the folder.
        _ = fs::remove_dir(self.path.with_file_name(""));
        removed
    }

    /// Copies the program to a new file beside the copy, which is removed when the returned path is dropped.
    fn copied(&self, program: &Path) -> io::Result<TempPath> {
        #[cfg(unix)]
        let permissions = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        #[cfg(not(unix))]
        let permissions = fs::metadata(program)?.permissions();
        let bytes = fs::read(program)?;
        let copy = write_beside(&self.path, &bytes, Access::Of(&permissions))?;
        // Closed: a system does not run a file that is open for writing.
        Ok(copy.into_temp_path())
    }

    /// Removes the incomplete copies of processes that have died. The lock is held, so nobody writes one.
    fn remove_incomplete(&self) {
        let prefix = hidden(&self.path);
        let prefix = prefix.as_encoded_bytes();
        let entries = fs::read_dir(self.path.with_file_name(""))
            .into_iter()
            .flatten();
        for entry in entries.flatten() {
            let name = entry.file_name();
            let name = name.as_encoded_bytes();
            if name.starts_with(prefix) && name.ends_with(INCOMPLETE.as_bytes()) {
                _ = fs::remove_file(entry.path());
            }
        }
    }

    fn unanswered(&self, program: &Path, wrong: &str) -> ConfigError {
        let stays = match self.path.exists() {
            true => "the earlier copy stays",
            false => "nothing was copied",
        };
        ConfigError::new(
            Obstacle::Program,
            &self.path,
            format!(
                "the copy of {} does not answer `hooks list`: {wrong}; {stays}",
                program.display()
            ),
            "mend the program, and run its `hooks install`",
        )
    }
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    let metadata = fs::symlink_metadata(path);
    metadata.is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o100 != 0)
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    path.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        InstallScope,
        config::{HookEntry, InstallationKey, Plan},
    };

    /// A data folder and a program.
    fn desk() -> (tempfile::TempDir, PathBuf, PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let (data, program) = (folder.path().join("data"), folder.path().join("notes"));
        fs::write(&program, "one").expect("written");
        (folder, data, program)
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        names.collect()
    }

    #[test]
    fn the_earlier_copy_stays_until_the_new_one_answers() {
        let (_folder, data, program) = desk();
        let copy = ProgramCopy::lock(&data, "notes").expect("a lock");
        let path = ProgramCopy::path(&data, "notes");
        let refuses = |new: &Path| {
            assert_ne!(new, path);
            assert!(new.exists());
            Err("it ended with exit status: 3".to_owned())
        };
        let error = copy.write(&program, refuses).expect_err("refused");
        assert_eq!(error.obstacle, Obstacle::Program);
        assert!(
            error
                .to_string()
                .contains("status: 3; nothing was copied\nhelp: "),
            "{error}"
        );
        assert!(!data.join("bin").exists());

        assert!(copy.write(&program, |_| Ok(())).expect("written"));
        let never = |_: &Path| panic!("the same bytes are not copied again");
        assert!(!copy.write(&program, never).expect("the same"));
        fs::write(&program, "two").expect("written");
        let error = copy.write(&program, refuses).expect_err("refused");
        assert!(
            error.to_string().contains("the earlier copy stays"),
            "{error}"
        );
        assert_eq!(fs::read_to_string(&path).expect("there"), "one");
        assert!(copy.write(&program, |_| Ok(())).expect("written"));
        assert_eq!(fs::read_to_string(&path).expect("there"), "two");
        assert_eq!(names(&data.join("bin")), ["notes"]);

        fs::remove_file(&program).expect("removed");
        let error = copy.write(&program, |_| Ok(())).expect_err("gone");
        assert!(
            error.to_string().contains("cannot read the program"),
            "{error}"
        );
        assert_eq!(fs::read_to_string(&path).expect("there"), "two");
    }

    #[test]
    fn a_copy_stays_while_a_record_names_it() {
        let (folder, data, program) = desk();
        let path = ProgramCopy::path(&data, "notes");
        let copy = ProgramCopy::lock(&data, "notes").expect("a lock");
        copy.write(&program, |_| Ok(())).expect("written");
        let entry = HookEntry {
            file: folder.path().join("hooks.json"),
            event: "Stop".to_owned(),
            value: serde_json::json!({"hooks": []}),
        };
        let key = InstallationKey::new("notes", "codex", InstallScope::User, folder.path());
        let record = key.place(&data);
        let plan = Plan::new(key, &path).hook(entry);
        plan.apply(&data).expect("applied");
        assert!(!copy.remove_unused().expect("kept"));
        assert!(path.exists());
        let text = fs::read_to_string(&record).expect("a record");
        // Nobody knows what a broken record names.
        fs::write(&record, "{").expect("written");
        assert!(!copy.remove_unused().expect("kept") && path.exists());
        assert_eq!(fs::read_to_string(&record).expect("a record"), "{");
        fs::write(&record, text).expect("written");
        let records = Records::read(&data).expect("records");
        records.installed[0].uninstall().expect("undone");
        fs::write(data.join("bin/.notes.x.tmp"), "half").expect("written");
        assert!(copy.remove_unused().expect("removed"));
        assert!(!copy.remove_unused().expect("nothing left"));
        drop(copy);
        assert_eq!(names(&data), ["installs"]);
    }
}
