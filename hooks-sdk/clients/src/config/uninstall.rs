//! The undoing of an installation: to the byte in an unchanged file, otherwise entry by entry.

use std::path::Path;

use serde_json::Value;

use super::{
    change::FileChange,
    error::ConfigError,
    file::{self, Refusal},
    hooks,
    install::{TRIES, busy},
    json::Json,
    lock::Lock,
    own,
    record::{Record, RecordedFile, digest},
    servers::{self, Format},
    text::Text,
    transaction::{Write, remove_folders, write_all},
};

/// Why an own file stays.
const CHANGED: &str =
    "it has been changed since it was installed, so it stays: delete it if you do not need it";

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
    /// only the program's entries are removed. A changed file that was wholly the program's own stays, and so do created
    /// folders that have other files: [`FileChange::left`] says so.
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
                    let mut changes: Vec<_> = writes.into_iter().map(Write::into_change).collect();
                    for (file, change) in record.files.iter().zip(&mut changes) {
                        let stays = file.folders.iter().find(|folder| folder.exists());
                        if let Some(folder) = stays.filter(|_| file.own && change.after.is_none()) {
                            change.left = Some(has_others(folder));
                        }
                    }
                    return Ok(changes);
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
        if let Some(project) = self.project() {
            file::check_inside(project, named, &real)?;
        }
        let before = file::read(named, &real)?;
        let mut left = None;
        let after = match &before {
            None => None,
            Some(content) if recorded.own => {
                let is_ours = own::is_unchanged(recorded, &content.bytes);
                left = (!is_ours).then(|| CHANGED.to_owned());
                (!is_ours).then(|| content.bytes.clone())
            }
            Some(content) => match self.restored(recorded, &content.bytes) {
                Some(original) => original,
                None => self.without_ours(recorded, &content.bytes)?,
            },
        };
        let write = Write::new(named, real, before, after)?;
        Ok(Write { left, ..write })
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

    /// Returns the content without the program's entries; `None` if the installation created the file and nothing is
    /// left.
    fn without_ours(
        &self,
        recorded: &RecordedFile,
        bytes: &[u8],
    ) -> Result<Option<Vec<u8>>, ConfigError> {
        let file = &recorded.path;
        let text = Text::read(file, bytes)?;
        let before = self.value_before(recorded);
        let before = before.as_ref();
        let mut body = text.body.to_owned();
        if !recorded.hooks.is_empty() {
            body = hooks::uninstall(file, &body, before, &self.owner())?;
        }
        if let Some(server) = &recorded.server {
            body = servers::uninstall(file, &body, server, before)?;
        }
        let is_bare = match Format::of(file) {
            Format::Json => Json::parse(file, &body)?.has_only(&recorded.created),
            Format::Toml => body.trim().is_empty(),
        };
        let is_created = recorded.original.is_none();
        Ok((!is_created || !is_bare).then(|| text.with(&body)))
    }
}

impl Record {
    /// Returns the JSON value before the installation; `None` if the file is TOML.
    fn value_before(&self, recorded: &RecordedFile) -> Option<Value> {
        let bytes = self.original(recorded.original.as_ref()?)?;
        let text = Text::read(&recorded.path, &bytes).ok()?;
        Json::parse(&recorded.path, text.body).ok()?.value()
    }
}

fn has_others(folder: &Path) -> String {
    let folder = folder.display();
    format!("the folder {folder} stays, because it has files of others")
}
