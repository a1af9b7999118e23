//! The record of an installation, with which it can be undone to the byte.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{
    super::InstallScope,
    command::EntryOwner,
    error::{ConfigError, Obstacle},
    file,
    servers::ServerEntry,
};

const VERSION: u32 = 1;

/// Which installation is meant: of which server, in which client, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstallationKey {
    pub(super) id: String,
    pub(super) client: String,
    pub(super) scope: InstallScope,
    pub(super) project: PathBuf,
    pub(super) folder: Option<PathBuf>,
    /// The programs whose entries are taken over if they have no id.
    pub(super) earlier: Vec<PathBuf>,
}

impl InstallationKey {
    /// Makes an installation of the server with this id in a client and a scope.
    pub fn new(
        id: impl Into<String>,
        client: impl Into<String>,
        scope: InstallScope,
        project: &Path,
    ) -> InstallationKey {
        InstallationKey {
            id: id.into(),
            client: client.into(),
            scope,
            project: project.to_owned(),
            folder: None,
            earlier: Vec::new(),
        }
    }

    /// Sets the folder of the user's files, where a variable has moved it. Each folder has an installation of its own.
    #[must_use]
    pub fn folder(mut self, folder: Option<PathBuf>) -> InstallationKey {
        self.folder = folder.filter(|_| self.scope == InstallScope::User);
        self
    }

    /// Takes over an installation of an earlier version, which recorded no id, if its entries start this program.
    #[must_use]
    pub fn earlier(mut self, program: &Path) -> InstallationKey {
        self.earlier.push(program.to_owned());
        self
    }

    /// Returns the path of the record.
    pub(super) fn place(&self, data: &Path) -> PathBuf {
        let root = fs::canonicalize(&self.project).unwrap_or_else(|_| self.project.clone());
        let root = Some(root).filter(|_| self.scope != InstallScope::User);
        let parts = [
            Some(Path::new(&self.id)),
            root.as_deref(),
            self.folder.as_deref(),
        ];
        let parts = parts.map(|part| part.unwrap_or(Path::new("")).as_os_str().as_encoded_bytes());
        self.file(data, Some(&parts.join(&0)))
    }

    /// Returns the path that an earlier version gave the record.
    fn earlier_place(&self, data: &Path) -> PathBuf {
        let root = fs::canonicalize(&self.project).unwrap_or_else(|_| self.project.clone());
        let root = Some(root.as_os_str().as_encoded_bytes());
        self.file(data, root.filter(|_| self.scope != InstallScope::User))
    }

    fn file(&self, data: &Path, hashed: Option<&[u8]>) -> PathBuf {
        let hash = hashed.map(|bytes| format!("-{}", &digest(bytes)[..16]));
        let (client, scope) = (&self.client, self.scope.as_str());
        folder(data).join(format!("{client}-{scope}{}.json", hash.unwrap_or_default()))
    }
}

/// The record of an installation for one client and scope.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Record {
    version: u32,
    /// The server's id; `None` in a record of an earlier version.
    #[serde(default)]
    id: Option<String>,
    /// The client's name.
    pub client: String,
    /// The scope.
    pub scope: InstallScope,
    /// The project's root, if the scope is in a project.
    pub project: Option<PathBuf>,
    /// The folder of the user's files, if a variable had moved it.
    #[serde(default)]
    pub folder: Option<PathBuf>,
    pub(super) files: Vec<RecordedFile>,
    /// The program that the entries start; `None` in a record of an earlier version.
    #[serde(default)]
    pub starts: Option<PathBuf>,
    #[serde(skip)]
    pub(super) at: PathBuf,
}

/// The record of one file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
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

impl Record {
    /// Returns the record of an installation, if there is one.
    ///
    /// # Errors
    ///
    /// The record cannot be read.
    pub fn find(data: &Path, key: &InstallationKey) -> Result<Option<Record>, ConfigError> {
        if let Some(record) = Record::load(&key.place(data))? {
            return Ok(Some(record));
        }
        if key.folder.is_some() {
            return Ok(None);
        }
        let earlier = Record::load(&key.earlier_place(data))?;
        Ok(earlier.filter(|record| record.is_of(&key.id, &key.earlier)))
    }

    pub(super) fn new(at: PathBuf, key: &InstallationKey) -> Record {
        Record {
            version: VERSION,
            id: Some(key.id.clone()),
            client: key.client.clone(),
            scope: key.scope,
            project: (key.scope != InstallScope::User).then(|| key.project.clone()),
            folder: key.folder.clone(),
            files: Vec::new(),
            starts: None,
            at,
        }
    }

    /// Returns whether the server with this id made the installation. Of an earlier version, which recorded no id, it did
    /// if the entries start one of these programs, or a program that is gone.
    pub fn is_of(&self, id: &str, programs: &[PathBuf]) -> bool {
        match (&self.id, &self.starts) {
            (Some(own), _) => own == id,
            (None, Some(starts)) => programs.contains(starts) || !starts.exists(),
            (None, None) => false,
        }
    }

    /// Returns whether the installation wrote the MCP server, too.
    pub fn has_server(&self) -> bool {
        self.files.iter().any(|file| file.server.is_some())
    }

    /// Returns the rule for the entries of the installation.
    pub(super) fn owner(&self) -> EntryOwner {
        // Without an id, the program decides.
        let owner = EntryOwner::new(self.id.as_deref().unwrap_or_default());
        match (&self.id, &self.starts) {
            (None, Some(starts)) => owner.earlier(starts),
            _ => owner,
        }
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
    pub(super) fn save<'o>(
        &self,
        originals: impl IntoIterator<Item = &'o (String, Vec<u8>)>,
    ) -> Result<(), ConfigError> {
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

/// Returns the folder of the records.
pub(super) fn folder(data: &Path) -> PathBuf {
    data.join("installs")
}

/// Returns the SHA-256 of bytes, in hexadecimal digits.
pub(super) fn digest(bytes: &[u8]) -> String {
    let digits = Sha256::digest(bytes);
    digits.iter().map(|byte| format!("{byte:02x}")).collect()
}
