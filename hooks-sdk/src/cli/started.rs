//! The program that entries start: this one, or its copy in the data folder.

use std::{
    collections::BTreeSet,
    env, fs,
    path::{Path, PathBuf},
};

use super::{
    CommandError, Program,
    install_target::InstallTarget,
    probe,
    vanishing::{Vanishing, vanishing},
};
use crate::{
    clients::config::{ConfigError, Installed, ProgramCopy, Record},
    server::ServerHandler,
};

/// What Linux adds to the path of a program that is gone.
const DELETED: &str = " (deleted)";

/// The program of this process, which Linux has also if its file is gone.
const RUNNING: &str = "/proc/self/exe";

/// This program, and the one that entries start.
#[derive(Clone, Debug)]
pub(super) struct StartedProgram {
    /// The path of this program.
    pub(super) own: PathBuf,
    /// The program that entries start.
    pub(super) path: PathBuf,
    /// The place that this program vanishes from.
    pub(super) vanishing: Option<Vanishing>,
    data: Option<PathBuf>,
}

impl<H: ServerHandler> Program<H> {
    /// Returns the program that new entries start: the copy in the data folder if `copied`, or if this program is in a
    /// place that it vanishes from; otherwise this program.
    pub(super) fn started(&self, copied: bool) -> Result<StartedProgram, CommandError> {
        let own = own()?;
        let data = self.folder();
        let copy = data.as_deref().map(|data| ProgramCopy::path(data, &own));
        let real = |path: &Path| fs::canonicalize(path).ok();
        if let Some(copy) = copy.as_deref().filter(|copy| real(copy).is_some())
            && real(copy) == real(&own)
        {
            // Under the name that entries have, also if a folder of it is a link.
            return Ok(StartedProgram {
                own: copy.to_owned(),
                path: copy.to_owned(),
                vanishing: None,
                data,
            });
        }
        let vanishing = vanishing(&own, data.as_deref());
        let path = match copied || vanishing.is_some_and(|place| place.is_copied) {
            true => copy.ok_or("this user has no folder for program data")?,
            false => own.clone(),
        };
        Ok(StartedProgram {
            own,
            path,
            vanishing,
            data,
        })
    }

    /// Returns the program that a client's entries start: the copy, if an installation there wrote it and it exists.
    pub(super) fn started_in(
        &self,
        target: &InstallTarget,
    ) -> Result<StartedProgram, CommandError> {
        let mut started = self.started(false)?;
        if let Some(data) = &started.data {
            let copy = ProgramCopy::path(data, &started.own);
            if copy.is_file()
                && let Ok(Some(record)) = Record::find(data, &target.key(self)?)
                && record.starts() == Some(&copy)
            {
                started.path = copy;
            }
        }
        Ok(started)
    }
}

impl StartedProgram {
    /// Returns whether entries start a copy of this program.
    pub(super) fn is_copied(&self) -> bool {
        self.path != self.own
    }

    /// Returns what `doctor` says about this program where nothing is installed yet.
    pub(super) fn remark(&self) -> Option<String> {
        let vanishing = self.vanishing.filter(|place| place.is_copied)?;
        Some(format!(
            "this program is in {}: `hooks install` copies it to {}, and the entries start that copy",
            vanishing.place,
            self.path.display()
        ))
    }

    /// Copies this program, if entries start a copy. The copy stays locked until the returned value is dropped. The `bool`
    /// is whether the copy was written.
    pub(super) fn copy(&self) -> Result<Option<(ProgramCopy, bool)>, ConfigError> {
        let Some(data) = self.data.as_deref().filter(|_| self.is_copied()) else {
            return Ok(None);
        };
        let copy = ProgramCopy::lock(data, &self.own)?;
        let written = copy.write(self.source(), probe::lists)?;
        Ok(Some((copy, written)))
    }

    /// Returns whether the copy has the same bytes as this program.
    pub(super) fn copy_is_current(&self) -> bool {
        ProgramCopy::is_same(self.source(), &self.path).unwrap_or(true)
    }

    /// Returns the file of this program.
    fn source(&self) -> &Path {
        let running = Path::new(RUNNING);
        match !self.own.is_file() && running.exists() {
            true => running,
            false => &self.own,
        }
    }
}

/// Removes a copy that no recorded installation starts. Returns its path if it was removed.
pub(super) fn remove_unused(data: &Path, starts: &Path) -> Result<Option<PathBuf>, ConfigError> {
    let path = ProgramCopy::path(data, starts);
    // Without the lock while there is nothing: a command that removes nothing creates no folder.
    if path != starts || fs::symlink_metadata(&path).is_err() {
        return Ok(None);
    }
    let removed = ProgramCopy::lock(data, starts)?.remove_unused()?;
    Ok(removed.then_some(path))
}

/// Returns which programs of the entries vanish, and whether a copy is that of another build.
pub(super) fn remarks<H: ServerHandler>(
    program: &Program<H>,
    target: &InstallTarget,
    installed: &[Installed],
) -> Result<Vec<String>, CommandError> {
    let started = program.started_in(target)?;
    let programs: BTreeSet<&PathBuf> = installed.iter().map(|entry| &entry.program).collect();
    let mut notes = Vec::new();
    for entry in programs
        .into_iter()
        .filter(|program| !probe::is_gone(program))
    {
        let path = entry.display();
        if *entry == started.path && started.is_copied() {
            if !started.copy_is_current() {
                notes.push(format!(
                    "the entries start {path}, a copy of another build of this program: run `{}` again",
                    target.install()
                ));
            }
        } else if *entry != started.path
            && let Some(vanishing) = vanishing(entry, program.folder().as_deref())
        {
            notes.push(vanishing.note(entry, &target.install()));
        } else if let Some(vanishing) = started.vanishing.filter(|_| *entry == started.own) {
            notes.push(vanishing.note(entry, &target.install()));
        }
    }
    Ok(notes)
}

/// Returns the path of this program.
fn own() -> Result<PathBuf, CommandError> {
    let named = env::current_exe()?;
    let text = named.to_string_lossy();
    Ok(match text.strip_suffix(DELETED) {
        Some(before) if !named.exists() => before.into(),
        _ => named,
    })
}
