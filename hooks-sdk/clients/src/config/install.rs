//! The execution of a plan: a preview first, then every file or none.

use std::path::{Path, PathBuf};

use super::{
    change::FileChange,
    error::{ConfigError, Obstacle},
    file::{self, Content, Refusal},
    hooks::{self, Edited},
    json,
    lock::Lock,
    own,
    plan::{Plan, Target},
    record::{Original, Record, RecordedFile, digest},
    servers::{self, ServerEntry},
    text::Text,
    transaction::{Folders, Write, write_all},
};

/// How often a plan is computed again if other programs change the files meanwhile.
pub(super) const TRIES: usize = 5;

/// The change of a file, and its record.
struct RecordedChange {
    write: Write,
    recorded: Option<RecordedFile>,
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
        let changes = outcomes.into_iter().map(|outcome| outcome.write);
        Ok(changes.map(Write::into_change).collect())
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
        let mut changed = None;
        for _ in 0..TRIES {
            let previous = Record::load(&at)?;
            let mut outcomes = self.compute(&at, &targets, previous.as_ref())?;
            for (outcome, made) in outcomes.iter_mut().zip(&made) {
                if let Some(recorded) = &mut outcome.recorded {
                    recorded.folders.extend(made.iter().cloned());
                }
            }
            match self.write(&at, &outcomes, previous.as_ref()) {
                Ok(()) => {
                    folders.keep();
                    kept.keep();
                    let changes = outcomes.into_iter().map(|outcome| outcome.write);
                    return Ok(changes.map(Write::into_change).collect());
                }
                Err(Refusal::Changed(file)) => changed = Some(file),
                Err(Refusal::Failed(error)) => return Err(error),
            }
        }
        Err(busy(changed.as_deref().unwrap_or(&at)))
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
        record.starts = Some(self.program().to_owned());
        let written = outcomes
            .iter()
            .filter_map(|outcome| outcome.recorded.clone());
        record.files = written.collect();
        for file in previous.iter().flat_map(|previous| &previous.files) {
            let again = |other: &RecordedFile| same(&other.path, &file.path);
            if !record.files.iter().any(again) {
                record.files.push(file.clone());
            }
        }
        let originals: Vec<_> = outcomes
            .iter()
            .filter_map(|outcome| outcome.original.clone())
            .collect();
        if previous != Some(&record) {
            record.save(&originals).map_err(Refusal::Failed)?;
        }
        let written = write_all(outcomes.iter().map(|outcome| &outcome.write));
        if written.is_err() {
            // A rest of the record is harmless; the error of the file counts.
            let _ = record.remove(previous);
            if let Some(previous) = previous {
                let _ = previous.save(&[]);
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
        let done = self.edit(target, text.body, previous, known)?;
        let after = if done.edited.text == text.body {
            before.as_ref().map(|before| before.bytes.clone())
        } else {
            Some(text.with(&done.edited.text))
        };
        let mut outcome = RecordedChange {
            recorded: None,
            original: None,
            write: Write {
                taken_over: done.edited.taken_over,
                ..Write::new(target.named, target.real.clone(), before, after)?
            },
        };
        if !target.hooks.is_empty() || done.server.is_some() {
            outcome.keep(at, target, done, known);
        }
        Ok(outcome)
    }

    fn own_outcome(
        &self,
        target: &Target<'_>,
        content: &str,
        before: Option<Content>,
        previous: Option<&Record>,
        known: Option<&RecordedFile>,
    ) -> Result<RecordedChange, ConfigError> {
        let bytes = before.as_ref().map(|before| before.bytes.as_slice());
        if let Some(bytes) = bytes.filter(|bytes| *bytes != content.as_bytes()) {
            own::check(target.named, bytes, known, &self.owner(previous))?;
        }
        let recorded = own::recorded(target.named, content, bytes, known);
        let after = Some(content.as_bytes().to_vec());
        Ok(RecordedChange {
            write: Write::new(target.named, target.real.clone(), before, after)?,
            recorded: Some(recorded),
            original: None,
        })
    }

    fn edit(
        &self,
        target: &Target<'_>,
        body: &str,
        previous: Option<&Record>,
        known: Option<&RecordedFile>,
    ) -> Result<Done, ConfigError> {
        let named = target.named;
        let unedited = Edited {
            text: body.to_owned(),
            had_ours: false,
            taken_over: 0,
        };
        let edited = match target.hooks.is_empty() {
            true => unedited,
            false => hooks::install(named, body, &target.hooks, &self.owner(previous))?,
        };
        let mut done = Done {
            edited,
            server: known.and_then(|known| known.server.clone()),
        };
        let Some(entry) = target.server else {
            return Ok(done);
        };
        if let Some(renamed) = done.server.take_if(|known| !same_place(known, entry)) {
            let text = servers::uninstall(named, &done.edited.text, &renamed, None)?;
            done.edited.had_ours |= text != done.edited.text;
            done.edited.text = text;
        }
        let value = done.server.as_ref().map(|server| &server.value);
        let edited = servers::install(named, &done.edited.text, entry, value, &self.program)?;
        done.server = edited.is_some().then(|| entry.clone());
        if let Some(edited) = edited {
            done.edited.text = edited.text;
            done.edited.had_ours |= edited.had_ours;
        }
        Ok(done)
    }
}

/// A file's text with the planned entries, and the program's own server entry.
struct Done {
    edited: Edited,
    server: Option<ServerEntry>,
}

impl RecordedChange {
    /// Records what uninstalling needs. `known` is the record of the previous write.
    fn keep(&mut self, at: &Path, target: &Target<'_>, done: Done, known: Option<&RecordedFile>) {
        let bytes = |bytes: Option<&Vec<u8>>| digest(bytes.map_or(&[][..], Vec::as_slice));
        let before = self.write.before.as_ref().map(|content| &content.bytes);
        let mut file = RecordedFile {
            path: target.named.to_owned(),
            original: before.map(|bytes| Original::of(at, bytes)),
            written: bytes(self.write.after.as_ref()),
            restore: !done.edited.had_ours,
            folders: known.map_or_else(Vec::new, |known| known.folders.clone()),
            hooks: match target.hooks.is_empty() {
                true => Vec::new(),
                false => vec![vec!["hooks".to_owned()]],
            },
            server: done.server,
            own: false,
            replaced: None,
            created: match (before, target.created) {
                (None, Some(members)) => members.keys().cloned().collect(),
                _ => Vec::new(),
            },
        };
        match known {
            Some(known) if done.edited.had_ours => {
                let touched = bytes(before) != known.written;
                let left = touched && !self.write.changes();
                file.restore = known.restore && (!touched || left);
                if left {
                    // A file that we leave as the user made it can still become what we wrote.
                    file.written.clone_from(&known.written);
                }
                file.path.clone_from(&known.path);
                file.original.clone_from(&known.original);
                file.created.clone_from(&known.created);
                if file.hooks.is_empty() {
                    file.hooks.clone_from(&known.hooks);
                }
            }
            _ => {
                let named = file
                    .original
                    .as_ref()
                    .map(|original| original.backup.clone());
                self.original = named.zip(before.cloned());
            }
        }
        self.recorded = Some(file);
    }
}

fn same_place(one: &ServerEntry, other: &ServerEntry) -> bool {
    (one.format, &one.path, &one.name) == (other.format, &other.path, &other.name)
}

/// Returns whether two paths lead to the same file.
fn same(one: &Path, other: &Path) -> bool {
    let real = |path| file::resolve(path).ok();
    one == other || real(one).is_some_and(|one| Some(one) == real(other))
}

pub(super) fn busy(file: &Path) -> ConfigError {
    let wrong = "another program keeps changing the file";
    let mend = "end that program, then run this again";
    ConfigError::new(Obstacle::Busy, file, wrong, mend)
}
