//! The record of an installation, with which it can be undone to the byte.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{
    super::InstallScope,
    command::Marker,
    error::{ConfigError, Obstacle},
    file,
    following::Following,
    servers::ServerEntry,
};

const VERSION: u32 = 1;

/// The record of an installation for one client and scope.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    version: u32,
    client: String,
    scope: String,
    project: Option<PathBuf>,
    /// The program's file name and the words after it, by which entries are recognized.
    program: String,
    words: Vec<String>,
    pub(super) files: Vec<RecordedFile>,
    /// The time of the first installation, in milliseconds since 1970.
    #[serde(default)]
    pub(super) installed_at: i64,
    /// The program that the entries start; `None` in a record of an earlier version.
    #[serde(default)]
    pub(super) starts: Option<PathBuf>,
    /// The program that the entries follow.
    #[serde(default)]
    pub(super) following: Option<Following>,
    #[serde(skip)]
    pub(super) at: PathBuf,
}

/// The record of one file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct RecordedFile {
    /// The file, as it was named.
    pub(super) path: PathBuf,
    /// The bytes before; `None` if there was no file.
    pub(super) original: Option<Original>,
    /// The digest of the bytes that were written.
    pub(super) written: String,
    /// Whether the previous bytes can be restored: they had no entries of the program, and nobody changed the file
    /// between two installations.
    pub(super) restore: bool,
    /// The created folders, the outermost first.
    pub(super) folders: Vec<PathBuf>,
    /// The created objects and lists.
    pub(super) made: Vec<Vec<String>>,
    /// The paths to objects with a list for each event.
    pub(super) hooks: Vec<Vec<String>>,
    /// The written server entry.
    pub(super) server: Option<ServerEntry>,
    /// Whether the file is wholly the program's own.
    #[serde(default)]
    pub(super) own: bool,
    /// The digest of the program's own bytes that the last write replaced, in case it was interrupted.
    #[serde(default)]
    pub(super) replaced: Option<String>,
    /// The names of members that the file has only because the installation created it.
    #[serde(default)]
    pub(super) created: Vec<String>,
}

/// Bytes that are kept beside the record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Original {
    pub(super) backup: String,
    pub(super) digest: String,
}

/// Returns every installation that is recorded in a server's data folder.
///
/// # Errors
///
/// The folder or a record in it cannot be read.
pub fn installed_clients(data: &Path) -> Result<Vec<Record>, ConfigError> {
    let folder = folder(data);
    let failed = |error| ConfigError::io(&folder, "read the folder", error);
    let entries = match fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
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
    let records = paths
        .iter()
        .filter_map(|path| Record::load(path).transpose());
    records.collect()
}

impl Record {
    /// Returns the record of an installation, if there is one.
    ///
    /// # Errors
    ///
    /// The record cannot be read.
    pub fn find(
        data: &Path,
        client: &str,
        scope: InstallScope,
        project: &Path,
    ) -> Result<Option<Record>, ConfigError> {
        Record::load(&place(data, client, scope, project))
    }

    pub(super) fn new(
        at: PathBuf,
        client: &str,
        scope: InstallScope,
        project: &Path,
        marker: &Marker,
    ) -> Record {
        let (program, words) = marker.parts();
        Record {
            version: VERSION,
            client: client.to_owned(),
            scope: scope.as_str().to_owned(),
            project: (scope != InstallScope::User).then(|| project.to_owned()),
            program: program.to_owned(),
            words: words.to_vec(),
            files: Vec::new(),
            installed_at: 0,
            starts: None,
            following: None,
            at,
        }
    }

    /// Returns the client's name.
    pub fn client(&self) -> &str {
        &self.client
    }

    /// Returns the scope of the installation.
    pub fn scope(&self) -> InstallScope {
        let mut all = InstallScope::ALL.into_iter();
        all.find(|scope| scope.as_str() == self.scope)
            .unwrap_or(InstallScope::User)
    }

    /// Returns the project's root, if the scope is in a project.
    pub fn project(&self) -> Option<&Path> {
        self.project.as_deref()
    }

    /// Returns the program that the entries start; `None` if an earlier version made the record.
    pub fn starts(&self) -> Option<&Path> {
        self.starts.as_deref()
    }

    /// Returns the files that the installation wrote.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(|file| file.path.as_path())
    }

    pub(super) fn marker(&self) -> Marker {
        Marker::of(self.program.clone(), self.words.clone())
    }

    pub(super) fn load(at: &Path) -> Result<Option<Record>, ConfigError> {
        let Some(content) = file::read(at, at)? else {
            return Ok(None);
        };
        let broken = |wrong: String| {
            let mend =
                "remove it, and remove this server's entries from the client's files by hand";
            ConfigError::new(Obstacle::Record, at, wrong, mend)
        };
        let mut record: Record = serde_json::from_slice(&content.bytes).map_err(|error| {
            broken(format!("the record of the installation is broken: {error}"))
        })?;
        if record.version != VERSION {
            return Err(broken(format!(
                "the record has version {}, and this program reads version {VERSION}",
                record.version
            )));
        }
        record.at = at.to_owned();
        Ok(Some(record))
    }

    /// Writes the record, and the previous bytes of the files beside it.
    pub(super) fn save(&self, originals: &[(String, Vec<u8>)]) -> Result<(), ConfigError> {
        let failed =
            |error| ConfigError::io(&self.at, "keep the record of the installation", error);
        for (name, bytes) in originals {
            file::write_private(&self.at.with_file_name(name), bytes).map_err(failed)?;
        }
        let text =
            serde_json::to_string_pretty(self).map_err(|error| failed(io::Error::other(error)))?;
        file::write_private(&self.at, text.as_bytes()).map_err(failed)
    }

    /// Returns the bytes before an installation, if the kept copy is intact.
    pub(super) fn original(&self, original: &Original) -> Option<Vec<u8>> {
        let bytes = fs::read(self.at.with_file_name(&original.backup)).ok()?;
        (digest(&bytes) == original.digest).then_some(bytes)
    }

    /// Removes the record and the bytes beside it, except those that `other` needs.
    pub(super) fn remove(&self, other: Option<&Record>) -> Result<(), ConfigError> {
        let backups = |record: &Record| -> Vec<String> {
            let originals = record
                .files
                .iter()
                .filter_map(|file| file.original.as_ref());
            originals.map(|original| original.backup.clone()).collect()
        };
        let kept = other.map(backups).unwrap_or_default();
        if other.is_none() {
            fs::remove_file(&self.at)
                .map_err(|error| ConfigError::io(&self.at, "remove the record", error))?;
        }
        for backup in backups(self).iter().filter(|backup| !kept.contains(backup)) {
            let _ = fs::remove_file(self.at.with_file_name(backup));
        }
        Ok(())
    }
}

impl Original {
    /// Returns the name of the file beside a record that keeps these bytes.
    pub(super) fn of(record: &Path, bytes: &[u8]) -> Original {
        let digest = digest(bytes);
        let stem = record.file_stem().unwrap_or_default().to_string_lossy();
        Original {
            backup: format!("{stem}-{}.original", &digest[..16]),
            digest,
        }
    }
}

/// Returns the path of a record.
pub(super) fn place(data: &Path, client: &str, scope: InstallScope, project: &Path) -> PathBuf {
    let scope_word = scope.as_str();
    folder(data).join(match scope {
        InstallScope::User => format!("{client}-{scope_word}.json"),
        InstallScope::Project | InstallScope::Local => {
            let root = fs::canonicalize(project).unwrap_or_else(|_| project.to_owned());
            let hash = digest(root.as_os_str().as_encoded_bytes());
            format!("{client}-{scope_word}-{}.json", &hash[..16])
        }
    })
}

fn folder(data: &Path) -> PathBuf {
    data.join("installs")
}

/// Returns the SHA-256 of bytes, in hexadecimal digits.
pub(super) fn digest(bytes: &[u8]) -> String {
    let digits = Sha256::digest(bytes);
    digits.iter().map(|byte| format!("{byte:02x}")).collect()
}
