//! The undoing of an installation: to the byte in an unchanged file, otherwise entry by entry.

use super::{
    change::FileChange,
    error::ConfigError,
    file::{self, Refusal},
    hooks,
    install::{TRIES, busy},
    json,
    lock::Lock,
    record::{Record, RecordedFile, digest},
    servers::{self, Format},
    text::Text,
    transaction::{Write, remove_folders, write_all},
};

impl Record {
    /// Returns the change of each file that undoing makes, and writes nothing.
    ///
    /// # Errors
    ///
    /// A file cannot be edited.
    pub fn preview_uninstall(&self) -> Result<Vec<FileChange>, ConfigError> {
        Ok(self.undo()?.into_iter().map(Write::into_change).collect())
    }

    /// Undoes the installation in all of its files or in none, and removes the record.
    ///
    /// A file that has not changed since gets its previous bytes, or is removed if it did not exist. From any other file,
    /// only the program's entries are removed.
    ///
    /// # Errors
    ///
    /// A file cannot be edited or written. No file is then changed, and the record stays.
    pub fn uninstall(&self) -> Result<Vec<FileChange>, ConfigError> {
        let mut locks = vec![Lock::take(&self.at, &self.at)?];
        let Some(record) = Record::load(&self.at)? else {
            return Ok(Vec::new());
        };
        let mut reals = Vec::new();
        for file in &record.files {
            reals.push((file::resolve(&file.path)?, file.path.as_path()));
        }
        // In the same order as installations, so that no two wait for each other.
        reals.sort();
        reals.dedup_by(|one, other| one.0 == other.0);
        for (real, named) in &reals {
            if real.parent().is_some_and(|folder| folder.is_dir()) {
                locks.push(Lock::take(named, real)?);
            }
        }
        let mut changed = None;
        for _ in 0..TRIES {
            let writes = record.undo()?;
            match write_all(&writes) {
                Ok(()) => {
                    record.remove(None)?;
                    drop(locks);
                    for file in record.files.iter().rev() {
                        remove_folders(&file.folders);
                    }
                    return Ok(writes.into_iter().map(Write::into_change).collect());
                }
                Err(Refusal::Changed(file)) => changed = Some(file),
                Err(Refusal::Failed(error)) => return Err(error),
            }
        }
        Err(busy(changed.as_deref().unwrap_or(&self.at)))
    }

    fn undo(&self) -> Result<Vec<Write>, ConfigError> {
        self.files.iter().map(|file| self.undo_one(file)).collect()
    }

    fn undo_one(&self, recorded: &RecordedFile) -> Result<Write, ConfigError> {
        let named = &recorded.path;
        let real = file::resolve(named)?;
        let before = file::read(named, &real)?;
        let after = match &before {
            None => None,
            Some(content) => match self.restored(recorded, &content.bytes) {
                Some(original) => original,
                None => Some(self.without_ours(recorded, &content.bytes)?),
            },
        };
        let write = Write {
            named: named.clone(),
            real,
            before,
            after,
        };
        write.checked()
    }

    /// Returns the previous content, if the file has not changed since the installation.
    fn restored(&self, recorded: &RecordedFile, bytes: &[u8]) -> Option<Option<Vec<u8>>> {
        if !recorded.restore || digest(bytes) != recorded.written {
            return None;
        }
        match &recorded.original {
            None => Some(None),
            Some(original) => self.original(original).map(Some),
        }
    }

    fn without_ours(&self, recorded: &RecordedFile, bytes: &[u8]) -> Result<Vec<u8>, ConfigError> {
        let file = &recorded.path;
        let text = Text::read(file, bytes)?;
        let mut body = text.body.to_owned();
        for path in &recorded.hooks {
            body = hooks::uninstall(file, &body, path, &self.marker())?;
        }
        let mut format = Format::Json;
        if let Some(server) = &recorded.server {
            format = server.format;
            body = servers::uninstall(file, &body, server)?;
        }
        if format == Format::Json {
            body = json::drop_bare(file, body, &recorded.made)?;
        }
        Ok(text.with(&body))
    }
}
