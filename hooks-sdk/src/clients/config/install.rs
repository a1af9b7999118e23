//! Carrying out a plan: shown first, then written to every file or to none.

use std::path::Path;

use super::{
    change::FileChange,
    error::{ConfigError, Obstacle},
    file::{self, Refusal},
    hooks,
    lock::Lock,
    plan::{Plan, Target},
    record::{self, Original, Record, RecordedFile, RecordedServer, digest},
    servers,
    text::Text,
    transaction::{Folders, Write, write_all},
};

/// How often a plan is computed anew when other programs change the files meanwhile.
pub(super) const TRIES: usize = 5;

/// What becomes of a file, and what is kept of it.
struct Outcome {
    write: Write,
    recorded: Option<RecordedFile>,
    original: Option<(String, Vec<u8>)>,
}

impl Plan {
    /// What would become of each file of the plan; nothing is written.
    ///
    /// `data` is the server's data folder, in which installations are recorded.
    ///
    /// # Errors
    ///
    /// That a file cannot be edited.
    pub fn preview(&self, data: &Path) -> Result<Vec<FileChange>, ConfigError> {
        let at = record::place(data, &self.client, self.scope, &self.project);
        let previous = Record::load(&at)?;
        let outcomes = self.compute(&at, &self.targets()?, previous.as_ref())?;
        let changes = outcomes.into_iter().map(|outcome| outcome.write);
        Ok(changes.map(Write::into_change).collect())
    }

    /// Writes each file of the plan that changes, all or none of them, and records what was there before.
    ///
    /// # Errors
    ///
    /// That a file cannot be edited or written. Every file is then as it was.
    pub fn apply(&self, data: &Path) -> Result<Vec<FileChange>, ConfigError> {
        let at = record::place(data, &self.client, self.scope, &self.project);
        let mut kept = Folders::default();
        kept.make(&at, &at)?;
        let mut folders = Folders::default();
        let targets = self.targets()?;
        // A file that cannot be edited is found before folders are made for another.
        self.compute(&at, &targets, Record::load(&at)?.as_ref())?;
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

    /// The record is written first: a record of what was not done undoes nothing.
    fn write(
        &self,
        at: &Path,
        outcomes: &[Outcome],
        previous: Option<&Record>,
    ) -> Result<(), Refusal> {
        let mut record = Record::new(
            at.to_owned(),
            &self.client,
            self.scope,
            &self.project,
            &self.marker,
        );
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
            // What is left of the record is harmless; the reason that counts is the file's.
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
    ) -> Result<Vec<Outcome>, ConfigError> {
        let outcome = |target| self.outcome(at, target, previous);
        targets.iter().map(outcome).collect()
    }

    fn outcome(
        &self,
        at: &Path,
        target: &Target<'_>,
        previous: Option<&Record>,
    ) -> Result<Outcome, ConfigError> {
        let before = file::read(target.named, &target.real)?;
        let bytes = before.as_ref().map_or(&[][..], |before| &before.bytes);
        let text = Text::read(target.named, bytes)?;
        let mut files = previous.iter().flat_map(|previous| &previous.files);
        let known = files.find(|file| same(&file.path, target.named));
        let mut body = text.body.to_owned();
        let mut made = Vec::new();
        let mut had_ours = false;
        let mut edits = |body: &mut String, edited: hooks::Edited| {
            *body = edited.text;
            made.extend(edited.made);
            had_ours |= edited.had_ours;
        };
        for wanted in &target.hooks {
            let edited = hooks::install(target.named, &body, wanted, &self.marker)?;
            edits(&mut body, edited);
        }
        let mut server = known.and_then(|known| known.server.clone());
        if let Some(entry) = target.server {
            let value = server.as_ref().map(|server| &server.value);
            let edited = servers::install(target.named, &body, entry, value, &self.program)?;
            server = edited.is_some().then(|| RecordedServer {
                format: entry.format,
                path: entry.path.clone(),
                name: entry.name.clone(),
                value: entry.value.clone(),
            });
            if let Some(edited) = edited {
                edits(&mut body, edited);
            }
        }
        let after = if body == text.body {
            before.as_ref().map(|before| before.bytes.clone())
        } else {
            Some(text.with(&body))
        };
        let mut original = None;
        let mut hooks: Vec<Vec<String>> = (target.hooks.iter())
            .map(|wanted| wanted.path.to_vec())
            .collect();
        let recorded = (!hooks.is_empty() || server.is_some()).then(|| {
            let written = digest(after.as_deref().unwrap_or_default());
            match known.filter(|_| had_ours) {
                Some(known) => {
                    let touched = digest(bytes) != known.written;
                    made.splice(0..0, known.made.iter().cloned());
                    let earlier = known.hooks.iter().filter(|path| !hooks.contains(path));
                    hooks = hooks.iter().chain(earlier).cloned().collect();
                    let unchanged = touched && bytes == after.as_deref().unwrap_or_default();
                    RecordedFile {
                        path: known.path.clone(),
                        original: known.original.clone(),
                        // A file that we leave as the user made it can still become what we wrote.
                        written: match unchanged {
                            true => known.written.clone(),
                            false => written,
                        },
                        restore: known.restore && (!touched || unchanged),
                        folders: known.folders.clone(),
                        made,
                        hooks,
                        server,
                    }
                }
                None => {
                    let kept = before.as_ref().map(|before| {
                        let kept = Original::of(at, &before.bytes);
                        original = Some((kept.backup.clone(), before.bytes.clone()));
                        kept
                    });
                    RecordedFile {
                        path: target.named.to_owned(),
                        original: kept,
                        written,
                        restore: !had_ours,
                        folders: Vec::new(),
                        made,
                        hooks,
                        server,
                    }
                }
            }
        });
        Ok(Outcome {
            write: Write {
                named: target.named.to_owned(),
                real: target.real.clone(),
                before,
                after,
            },
            recorded,
            original,
        })
    }
}

/// Whether two paths lead to one file.
fn same(one: &Path, other: &Path) -> bool {
    let real = |path| file::resolve(path).ok();
    one == other || real(one).is_some_and(|one| Some(one) == real(other))
}

pub(super) fn busy(file: &Path) -> ConfigError {
    let wrong = "another program keeps changing the file";
    let mend = "end that program, then run this again";
    ConfigError::new(Obstacle::Busy, file, wrong, mend)
}
