//! A client and a scope to install for, and the folders of its files.

use std::{env, path::PathBuf};

use super::{CommandError, Program};
use crate::{
    clients::{
        Client, InstallScope, Installation, Place,
        config::{InstallationKey, quoted},
    },
    server::ServerHandler,
};

/// Returns the place with the folders that variables of this process give the client.
pub(super) fn moved(client: &Client, place: Place) -> Result<Place, CommandError> {
    let folders = client.folder.variables;
    folders.iter().try_fold(place, |place, (variable, _)| {
        Ok(match folder_of(variable)? {
            Some(folder) => place.moved(variable, folder),
            None => place,
        })
    })
}

/// A client, and the scope to install for.
#[derive(Clone, Debug)]
pub(super) struct InstallTarget {
    pub(super) client: &'static Client,
    pub(super) scope: InstallScope,
    /// The project's folder, instead of the current one.
    pub(super) project: Option<PathBuf>,
}

impl InstallTarget {
    /// Returns the folders of this user and of the project.
    pub(super) fn place(&self) -> Result<Place, CommandError> {
        moved(self.client, self.usual_place()?)
    }

    /// Returns the same folders as if no variable moved the client's folder.
    pub(super) fn usual_place(&self) -> Result<Place, CommandError> {
        let home = env::home_dir().ok_or("this user has no home folder")?;
        let project = match &self.project {
            Some(folder) => std::path::absolute(folder)?,
            None => env::current_dir()?,
        };
        Ok(Place::new(home, project))
    }

    /// Returns which installation of a program this is.
    pub(super) fn key<H: ServerHandler>(
        &self,
        program: &Program<H>,
    ) -> Result<InstallationKey, CommandError> {
        let (client, place, started) = (self.client, self.place()?, program.started()?);
        let to = Installation::new(&program.id, self.scope, &place, &program.name, &started.own);
        Ok(to.key(client).earlier(&started.own).earlier(&started.path))
    }

    /// Returns the command, below the program's own name, that installs for this client and scope.
    pub(super) fn install(&self) -> String {
        let mut command = format!("hooks install --client {}", self.client.name);
        if self.scope != InstallScope::User {
            command.push_str(&format!(" --scope {}", self.scope.as_str()));
        }
        if self.scope != InstallScope::User
            && let Some(folder) = &self.project
        {
            let folder = quoted(&folder.to_string_lossy());
            command.push_str(&format!(" --folder {folder}"));
        }
        command
    }
}

/// Returns the folder that an environment variable names. The client takes a relative path from the folder in which it
/// starts, which can be another one each time.
fn folder_of(variable: &str) -> Result<Option<PathBuf>, CommandError> {
    let Some(folder) = env::var_os(variable).filter(|path| !path.is_empty()) else {
        return Ok(None);
    };
    let folder = PathBuf::from(folder);
    // The standard says that a relative path is ignored.
    match folder.is_absolute() || variable.starts_with("XDG_") {
        true => Ok(Some(folder).filter(|folder| folder.is_absolute())),
        false => Err(format!(
            "the variable `{variable}` names `{}`, which is not an absolute path\nhelp: write the whole path, or unset the \
             variable",
            folder.display()
        )
        .into()),
    }
}
