//! The records of all installations in a server's data folder.

use std::{fs, io, path::Path};

use super::{
    super::InstallScope,
    error::ConfigError,
    record::{Record, folder},
};

/// The recorded installations in a data folder, and the records that cannot be read.
#[derive(Debug)]
#[non_exhaustive]
pub struct Records {
    /// The installations, sorted by the paths of their records.
    pub installed: Vec<Record>,
    /// The records that cannot be read, sorted by path. Reading changes and removes no record.
    pub unreadable: Vec<UnreadableRecord>,
}

/// A record that cannot be read.
#[derive(Debug)]
#[non_exhaustive]
pub struct UnreadableRecord {
    /// The reason. [`ConfigError::file`] is the path of the record.
    pub error: ConfigError,
    /// The client's name, if the file has the name of a record.
    pub client: Option<String>,
    /// The scope, if the file has the name of a record.
    pub scope: Option<InstallScope>,
}

impl Records {
    /// Reads all records in a server's data folder. A record that cannot be read does not stop the reading of the others.
    ///
    /// # Errors
    ///
    /// The folder cannot be read.
    pub fn read(data: &Path) -> Result<Records, ConfigError> {
        let mut records = Records {
            installed: Vec::new(),
            unreadable: Vec::new(),
        };
        let folder = folder(data);
        let failed = |error| ConfigError::io(&folder, "read the folder", error);
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(records),
            Err(error) => return Err(failed(error)),
        };
        let mut paths = Vec::new();
        for entry in entries {
            let path = entry.map_err(failed)?.path();
            if path
                .extension()
                .is_some_and(|extension| extension == "json")
            {
                paths.push(path);
            }
        }
        paths.sort();
        for path in paths {
            match Record::load(&path) {
                Ok(record) => records.installed.extend(record),
                Err(error) => {
                    let (client, scope) = named(&path).unzip();
                    records.unreadable.push(UnreadableRecord {
                        error,
                        client,
                        scope,
                    });
                }
            }
        }
        Ok(records)
    }
}

/// Returns the client and the scope of a name such as `codex-user` or `codex-project-0123456789abcdef`.
fn named(path: &Path) -> Option<(String, InstallScope)> {
    let stem = path.file_stem()?.to_str()?;
    let parts = |stem: &str| {
        let mut scopes = InstallScope::ALL.into_iter();
        scopes.find_map(|scope| {
            let client = stem.strip_suffix(scope.as_str())?.strip_suffix('-')?;
            Some((client.to_owned(), scope))
        })
    };
    parts(stem).or_else(|| parts(stem.rsplit_once('-')?.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{InstallationKey, Obstacle};

    #[test]
    fn a_broken_record_hides_no_other_and_its_name_has_client_and_scope() {
        let data = tempfile::tempdir().expect("a folder");
        let data = data.path();
        assert!(Records::read(data).expect("no folder").installed.is_empty());
        let place = |client: &str, scope| {
            let key = InstallationKey::new("notes", client, scope, data);
            key.place(data)
        };
        let sound = place("gemini", InstallScope::User);
        fs::create_dir_all(folder(data)).expect("made");
        let text = r#"{"version": 1, "client": "gemini", "scope": "user", "files": []}"#;
        fs::write(sound, text).expect("written");
        for (path, text) in [
            (place("claude-code", InstallScope::Project), "{"),
            (place("codex", InstallScope::User), r#"{"version": 2}"#),
            (folder(data).join("cline-user.json"), "\u{0}"),
            (folder(data).join("mine.json"), "[]"),
        ] {
            fs::write(path, text).expect("written");
        }
        fs::create_dir(folder(data).join("qwen-local.json")).expect("made");
        let records = Records::read(data).expect("records");
        let installed: Vec<&str> = records.installed.iter().map(|it| &*it.client).collect();
        assert_eq!(installed, ["gemini"]);
        let named: Vec<_> = records
            .unreadable
            .iter()
            .map(|it| (it.client.as_deref(), it.scope, it.error.obstacle))
            .collect();
        let (project, user) = (Some(InstallScope::Project), Some(InstallScope::User));
        assert_eq!(
            named,
            [
                (Some("claude-code"), project, Obstacle::Record),
                (Some("cline"), user, Obstacle::Record),
                (Some("codex"), user, Obstacle::Record),
                (None, None, Obstacle::Record),
                (Some("qwen"), Some(InstallScope::Local), Obstacle::NotAFile),
            ]
        );
        let error = &records.unreadable[0].error;
        assert!(error.file.starts_with(folder(data)));
        let files = fs::read_dir(folder(data)).expect("a folder").count();
        assert_eq!(files, 6, "reading removes nothing");
    }
}
