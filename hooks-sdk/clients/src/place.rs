//! The folders of clients' files.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The scope of an installation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
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
    /// The folders that environment variables name, with the variables.
    variables: Vec<(&'static str, PathBuf)>,
}

impl Place {
    /// Makes a place of these folders, as if no variable moved a client's folder.
    pub fn new(home: impl AsRef<Path>, project: impl AsRef<Path>) -> Place {
        Place {
            home: home.as_ref().to_owned(),
            project: project.as_ref().to_owned(),
            variables: Vec::new(),
        }
    }

    /// Sets the folder that an environment variable names, such as `CODEX_HOME`.
    #[must_use]
    pub fn moved(mut self, variable: &'static str, folder: impl Into<PathBuf>) -> Place {
        self.variables.push((variable, folder.into()));
        self
    }

    /// Returns the folder that a variable names.
    pub(super) fn variable(&self, name: &str) -> Option<&Path> {
        let mut variables = self.variables.iter();
        variables.find_map(|(variable, folder)| (*variable == name).then_some(&**folder))
    }
}

/// The folder of the user's files of a client, and the environment variables that move it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct UserFolder {
    /// The folder, below the home folder, such as `.claude`.
    pub name: &'static str,
    /// The variables, the strongest first, each with the path of the folder below the one that the variable names.
    pub variables: &'static [(&'static str, &'static str)],
}

impl UserFolder {
    /// Makes a folder below the home folder, which these variables move.
    pub const fn new(
        name: &'static str,
        variables: &'static [(&'static str, &'static str)],
    ) -> UserFolder {
        UserFolder { name, variables }
    }

    /// Returns the folder.
    pub fn of(&self, place: &Place) -> PathBuf {
        let moved = self.moved(place);
        moved.map_or_else(|| place.home.join(self.name), |(_, folder)| folder)
    }

    /// Returns the variable that moves the folder, and the folder.
    pub fn moved(&self, place: &Place) -> Option<(&'static str, PathBuf)> {
        self.variables.iter().find_map(|(variable, below)| {
            let folder = place.variable(variable)?;
            // An empty path would add a separator.
            Some((
                *variable,
                folder
                    .components()
                    .chain(Path::new(below).components())
                    .collect(),
            ))
        })
    }
}
