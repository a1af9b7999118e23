//! The execution of a plan: a preview first, then every file or none.

use std::path::{Path, PathBuf};

use super::{
    change::FileChange,
    document,
    error::ConfigError,
    file::{self, Content, Refusal},
    hooks, json,
    lock::Lock,
    own,
    plan::{Plan, Target},
    record::{Original, Record, RecordedFile, digest},
    servers,
    text::Text,
    transaction::{Folders, attempts, write_all},
};

/// The change of a file, and its record.
struct RecordedChange {
    change: FileChange,
    recorded: Option<RecordedFile>,
    /// The bytes that are kept beside the record, with the name of their file.
    original: Option<(String, Vec<u8>)>,
}

impl Plan {
    /// Returns the change of each file of the plan, and writes nothing.
    ///
    /// `data` is the server's data folder, in which installations are recorded.
    ///
    /// # Errors
    ///
    /// A file cannot be edited.
    pub fn preview(&self, data: &Path) -> Result<Vec<FileChange>, ConfigError> {
        let previous = Record::find(data, &self.key)?;
        let at = self.at(data, previous.as_ref());
        let outcomes = self.compute(&at, &self.targets()?, previous.as_ref())?;
        Ok(outcomes.into_iter().map(|it| it.change).collect())
    }

    /// Writes the changed files of the plan, all or none, and records their previous content.
    ///
    /// # Errors
    ///
    /// A file cannot be edited or written. No file is then changed.
    pub fn apply(&self, data: &Path) -> Result<Vec<FileChange>, ConfigError> {
        let previous = Record::find(data, &self.key)?;
        let at = self.at(data, previous.as_ref());
        let mut kept = Folders::default();
        kept.make(&at, &at)?;
        let mut folders = Folders::default();
        let targets = self.targets()?;
        // Finds a file that cannot be edited before it creates folders for another.
        self.compute(&at, &targets, previous.as_ref())?;
        let mut made = Vec::new();
        for target in &targets {
            made.push(folders.make(target.named, &target.real)?);
        }
        let _record_lock = Lock::take(&at, &at)?;
        let mut locks = Vec::new();
        for target in &targets {
            locks.push(Lock::take(target.named, &target.real)?);
        }
        let outcomes = attempts(&at, || {
            let previous = Record::load(&at)?;
            let mut outcomes = self.compute(&at, &targets, previous.as_ref())?;
            for (outcome, made) in outcomes.iter_mut().zip(&made) {
                if let Some(recorded) = &mut outcome.recorded {
                    recorded.folders.extend(made.iter().cloned());
                }
            }
            self.write(&at, &outcomes, previous.as_ref())?;
            Ok(outcomes)
        })?;
        folders.keep();
        kept.keep();
        Ok(outcomes.into_iter().map(|it| it.change).collect())
    }

    /// Returns the path of the record. That of an earlier version keeps its path.
    fn at(&self, data: &Path, previous: Option<&Record>) -> PathBuf {
        previous.map_or_else(|| self.key.place(data), |previous| previous.at.clone())
    }

    /// The record is written first: a record of a change that was not made undoes nothing.
    fn write(
        &self,
        at: &Path,
        outcomes: &[RecordedChange],
        previous: Option<&Record>,
    ) -> Result<(), Refusal> {
        let mut record = Record::new(at.to_owned(), &self.key);
        record.starts = Some(self.program.clone());
        record.files = outcomes
            .iter()
            .filter_map(|it| it.recorded.clone())
            .collect();
        for file in previous.iter().flat_map(|previous| &previous.files) {
            let again = |other: &RecordedFile| same(&other.path, &file.path);
            if !record.files.iter().any(again) {
                record.files.push(file.clone());
            }
        }
        if previous != Some(&record) {
            let originals = outcomes.iter().filter_map(|it| it.original.as_ref());
            record.save(originals)?;
        }
        let written = write_all(outcomes.iter().map(|it| &it.change));
        if written.is_err() {
            // A rest of the record is harmless; the error of the file counts.
            let _ = record.remove(previous);
            if let Some(previous) = previous {
                let _ = previous.save([]);
            }
        }
        written
    }

    fn compute(
        &self,
        at: &Path,
        targets: &[Target<'_>],
        previous: Option<&Record>,
    ) -> Result<Vec<RecordedChange>, ConfigError> {
        let outcome = |target| self.outcome(at, target, previous);
        targets.iter().map(outcome).collect()
    }

    fn outcome(
        &self,
        at: &Path,
        target: &Target<'_>,
        previous: Option<&Record>,
    ) -> Result<RecordedChange, ConfigError> {
        let before = file::read(target.named, &target.real)?;
        let mut files = previous.iter().flat_map(|previous| &previous.files);
        let known = files.find(|file| same(&file.path, target.named));
        if let Some(content) = target.own {
            return self.own_outcome(target, content, before, previous, known);
        }
        let new = target.created.map(json::document).unwrap_or_default();
        let bytes = before
            .as_ref()
            .map_or(new.as_bytes(), |before| &before.bytes);
        let text = Text::read(target.named, bytes)?;
        if before.is_some() {
            self.check_reading(target.named, &text)?;
        }
        let mut document = document::parsed(target.named, text.body)?;
        let (mut had_ours, mut taken_over) = (false, 0);
        if !target.hooks.is_empty() {
            let owner = self.owner(previous);
            (had_ours, taken_over) = hooks::install(&mut *document, &target.hooks, &owner)?;
        }
        let mut server = known.and_then(|known| known.server.clone());
        if let Some(entry) = target.server {
            let is_renamed = |it: &mut _| !entry.is_at_the_place_of(it);
            if let Some(renamed) = server.take_if(is_renamed) {
                had_ours |= servers::uninstall(&mut *document, &renamed, None)?;
            }
            let known = server.as_ref().map(|server| &server.value);
            let was_there =
                servers::install(&mut *document, text.body, entry, known, &self.program)?;
            server = was_there.is_some().then(|| entry.clone());
            had_ours |= was_there.unwrap_or_default();
        }
        let body = document.edited()?;
        drop(document);
        let after = match body == text.body {
            true => before.as_ref().map(|before| before.bytes.clone()),
            false => Some(text.with(&body)),
        };
        let is_recorded = !target.hooks.is_empty() || server.is_some();
        let change = FileChange {
            taken_over,
            ..FileChange::new(target.named, target.real.clone(), before, after)?
        };
        let bytes = change.before.as_ref();
        let mut file = RecordedFile {
            path: target.named.to_owned(),
            original: bytes.map(|bytes| Original::of(at, bytes)),
            written: digest(change.after.as_deref().unwrap_or_default()),
            restore: !had_ours,
            folders: known.map_or_else(Vec::new, |known| known.folders.clone()),
            server,
            created: match (bytes, target.created) {
                (None, Some(members)) => members.keys().cloned().collect(),
                _ => Vec::new(),
            },
            ..RecordedFile::default()
        };
        let mut original = None;
        match known {
            Some(known) if had_ours => {
                let touched = digest(bytes.map_or(&[], Vec::as_slice)) != known.written;
                let left = touched && !change.changes();
                file.restore = known.restore && (!touched || left);
                if left {
                    // A file that we leave as the user made it can still become what we wrote.
                    file.written.clone_from(&known.written);
                }
                file.path.clone_from(&known.path);
                file.original.clone_from(&known.original);
                file.created.clone_from(&known.created);
            }
            _ if is_recorded => {
                let named = file.original.as_ref().map(|it| it.backup.clone());
                original = named.zip(bytes.cloned());
            }
            _ => {}
        }
        Ok(RecordedChange {
            change,
            recorded: Some(file).filter(|_| is_recorded),
            original,
        })
    }

    fn own_outcome(
        &self,
        target: &Target<'_>,
        content: &str,
        before: Option<Content>,
        previous: Option<&Record>,
        known: Option<&RecordedFile>,
    ) -> Result<RecordedChange, ConfigError> {
        let content = content.as_bytes();
        let bytes = before.as_ref().map(|before| before.bytes.as_slice());
        let replaced = bytes.filter(|bytes| *bytes != content);
        if let Some(bytes) = replaced {
            own::check(target.named, bytes, known, &self.owner(previous))?;
        }
        let recorded = RecordedFile {
            path: known.map_or(target.named, |known| &known.path).to_owned(),
            written: digest(content),
            restore: true,
            folders: known.map_or_else(Vec::new, |known| known.folders.clone()),
            own: true,
            replaced: replaced.map(digest),
            ..RecordedFile::default()
        };
        let after = Some(content.to_vec());
        Ok(RecordedChange {
            change: FileChange::new(target.named, target.real.clone(), before, after)?,
            recorded: Some(recorded),
            original: None,
        })
    }
}

/// Returns whether two paths lead to the same file.
fn same(one: &Path, other: &Path) -> bool {
    let real = |path| file::resolve(path).ok();
    one == other || real(one).is_some_and(|one| Some(one) == real(other))
}
