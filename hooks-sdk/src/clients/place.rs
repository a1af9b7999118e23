//! Where clients keep their files.

use std::path::{Path, PathBuf};

/// For whom something is installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(
    clippy::exhaustive_enums,
    reason = "clients have no third scope in common"
)]
pub enum InstallScope {
    /// The user, in every project.
    User,
    /// Everybody who works in one project.
    Project,
}

/// Where clients keep their files on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// The user's home folder.
    pub home: PathBuf,
    /// The project's root.
    pub project: PathBuf,
    /// Where Codex keeps its files, when `CODEX_HOME` says so.
    pub codex_home: Option<PathBuf>,
}

impl Place {
    /// These folders, and Codex's own below the home folder.
    pub fn new(home: impl AsRef<Path>, project: impl AsRef<Path>) -> Place {
        Place {
            home: home.as_ref().to_owned(),
            project: project.as_ref().to_owned(),
            codex_home: None,
        }
    }

    /// Says where Codex keeps its files.
    #[must_use]
    pub fn codex_home(mut self, folder: impl Into<PathBuf>) -> Place {
        self.codex_home = Some(folder.into());
        self
    }

    /// The home folder, or the project's root.
    pub(super) fn root(&self, scope: InstallScope) -> &Path {
        match scope {
            InstallScope::User => &self.home,
            InstallScope::Project => &self.project,
        }
    }
}
