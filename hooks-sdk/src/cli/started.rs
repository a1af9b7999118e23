//! The program that entries start: its copy in the data folder, which stays where the program itself vanishes.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use super::{CommandError, Program, install_target::InstallTarget};
use crate::{
    clients::config::{Installed, ProgramCopy},
    server::ServerHandler,
};

/// What Linux adds to the path of a program that is gone.
const DELETED: &str = " (deleted)";

/// This program, and the one that entries start.
#[derive(Clone, Debug)]
pub(super) struct StartedProgram {
    /// The path of this program.
    pub(super) own: PathBuf,
    /// The copy, which entries start.
    pub(super) path: PathBuf,
}

impl<H: ServerHandler> Program<H> {
    /// Returns this program, and its copy in the data folder.
    pub(super) fn started(&self) -> Result<StartedProgram, CommandError> {
        let path = ProgramCopy::path(&self.records()?, &self.id);
        let own = own()?;
        let real = |path: &Path| fs::canonicalize(path).ok();
        let is_copy = real(&path).is_some_and(|copy| real(&own) == Some(copy));
        // The copy has the name that entries have, also if a folder of it is a link.
        let own = if is_copy { path.clone() } else { own };
        Ok(StartedProgram { own, path })
    }
}

impl StartedProgram {
    /// Returns whether this program is the copy itself.
    pub(super) fn is_copy(&self) -> bool {
        self.path == self.own
    }

    /// Returns whether the copy has the same bytes as this program.
    pub(super) fn copy_is_current(&self) -> bool {
        ProgramCopy::is_same(&self.own, &self.path).unwrap_or(true)
    }

    /// Returns what `doctor` says if entries start a copy of another build.
    pub(super) fn remark(&self, target: &InstallTarget, installed: &[Installed]) -> Option<String> {
        let starts_copy = installed.iter().any(|entry| entry.program == self.path);
        let is_another = starts_copy && self.path.is_file() && !self.copy_is_current();
        is_another.then(|| {
            format!(
                "the entries start {}, a copy of another build of this program: run `{}` again",
                self.path.display(),
                target.install()
            )
        })
    }
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
