//! The folders of clients' files.

use std::path::{Path, PathBuf};

/// The scope of an installation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "clients have no fourth scope")]
pub enum InstallScope {
    /// The user, in every project.
    User,
    /// Everyone who works in one project.
    Project,
    /// The user, in one project.
    Local,
}

impl InstallScope {
    /// All scopes, in the order of lists.
    pub const ALL: [InstallScope; 3] = [
        InstallScope::User,
        InstallScope::Project,
        InstallScope::Local,
    ];

    /// Returns the scope's name on a command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            InstallScope::User => "user",
            InstallScope::Project => "project",
            InstallScope::Local => "local",
        }
    }
}

/// The folders of clients' files on this computer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// The user's home folder.
    pub home: PathBuf,
    /// The project's root.
    pub project: PathBuf,
    /// The folder of Codex CLI, if `CODEX_HOME` is set.
    pub codex_home: Option<PathBuf>,
    /// The folder of users' settings, if `XDG_CONFIG_HOME` is set.
    pub config_home: Option<PathBuf>,
}

impl Place {
    /// Makes a place of these folders, with the folder of Codex CLI below the home folder.
    pub fn new(home: impl AsRef<Path>, project: impl AsRef<Path>) -> Place {
        Place {
            home: home.as_ref().to_owned(),
            project: project.as_ref().to_owned(),
            codex_home: None,
            config_home: None,
        }
    }

    /// Sets the folder of Codex CLI.
    #[must_use]
    pub fn codex_home(mut self, folder: impl Into<PathBuf>) -> Place {
        self.codex_home = Some(folder.into());
        self
    }

    /// Sets the folder of users' settings, instead of `.config` below the home folder.
    #[must_use]
    pub fn config_home(mut self, folder: impl Into<PathBuf>) -> Place {
        self.config_home = Some(folder.into());
        self
    }

    /// Returns the home folder, or the project's root.
    pub(super) fn root(&self, scope: InstallScope) -> &Path {
        match scope {
            InstallScope::User => &self.home,
            InstallScope::Project | InstallScope::Local => &self.project,
        }
    }
}
