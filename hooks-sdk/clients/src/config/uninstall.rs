//! The undoing of an installation: to the byte in an unchanged file, otherwise entry by entry.

use super::{
    change::FileChange,
    document,
    error::ConfigError,
    file, hooks,
    lock::Lock,
    own,
    record::{Record, RecordedFile, digest},
    servers,
    text::Text,
    transaction::{attempts, remove_folders, write_all},
};

/// Why an own file stays.
const CHANGED: &str =
    "it has been changed since it was installed, so it stays: delete it if you do not need it";

impl Record {
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
        let mut changes = attempts(&self.at, || {
            let changes = record.files.iter().map(|file| record.undo(file));
            let changes = changes.collect::<Result<Vec<_>, _>>()?;
            write_all(&changes)?;
            Ok(changes)
        })?;
        record.remove(None)?;
        drop(locks);
        for file in record.files.iter().rev() {
            remove_folders(&file.folders);
        }
        for (file, change) in record.files.iter().zip(&mut changes) {
            let stays = file.folders.iter().find(|folder| folder.exists());
            if let Some(folder) = stays.filter(|_| file.own && change.after.is_none()) {
                let folder = folder.display();
                let left = format!("the folder {folder} stays, because it has files of others");
                change.left = Some(left);
            }
        }
        Ok(changes)
    }

    fn undo(&self, recorded: &RecordedFile) -> Result<FileChange, ConfigError> {
        let named = &recorded.path;
        let real = file::resolve(named)?;
        if let Some(project) = &self.project {
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
        let change = FileChange::new(named, real, before, after)?;
        Ok(FileChange { left, ..change })
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
        let original = recorded.original.as_ref();
        let before = original.and_then(|original| {
            let bytes = self.original(original)?;
            let text = Text::read(file, &bytes).ok()?;
            Some(document::parsed(file, text.body).ok()?.value())
        });
        let mut document = document::parsed(file, text.body)?;
        hooks::uninstall(&mut *document, before.as_ref(), &self.owner())?;
        if let Some(server) = &recorded.server {
            servers::uninstall(&mut *document, server, before.as_ref())?;
        }
        let is_bare = document.has_only(&recorded.created);
        let body = document.edited()?;
        Ok((original.is_some() || !is_bare).then(|| text.with(&body)))
    }
}
