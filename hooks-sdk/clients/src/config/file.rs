//! One file: read as a whole, compared, and replaced in one step.

use std::{
    ffi::OsString,
    fs::{self, File, OpenOptions, Permissions},
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

use tempfile::NamedTempFile;

use super::error::{ConfigError, Obstacle};

/// The maximum size of a configuration file.
const LARGEST: u64 = 64 * 1024 * 1024;

/// The maximum number of symbolic links to a file, like in Linux.
const LINKS: usize = 40;

/// The content of a file.
#[derive(Clone, Debug)]
pub(super) struct Content {
    pub(super) bytes: Vec<u8>,
    pub(super) permissions: Permissions,
}

/// Why a file was not replaced.
#[derive(Debug)]
pub(super) enum Refusal {
    /// The file has changed since the new bytes were computed.
    Changed(PathBuf),
    /// Another error.
    Failed(ConfigError),
}

impl From<ConfigError> for Refusal {
    fn from(error: ConfigError) -> Refusal {
        Refusal::Failed(error)
    }
}

/// Returns the file that a path leads to through symbolic links, even if it does not exist.
pub(super) fn resolve(named: &Path) -> Result<PathBuf, ConfigError> {
    let mut path = std::path::absolute(named)
        .map_err(|error| ConfigError::io(named, "find the file", error))?;
    for _ in 0..LINKS {
        match fs::read_link(&path) {
            Ok(target) => path = path.parent().unwrap_or(&path).join(target),
            Err(_) => return Ok(settled(&path)),
        }
    }
    let wrong = "its symbolic links form a loop";
    let mend = "remove the link";
    Err(ConfigError::new(Obstacle::NotAFile, named, wrong, mend))
}

/// Checks that a file with a name in the project is in the project, also behind links.
pub(super) fn check_inside(project: &Path, named: &Path, real: &Path) -> Result<(), ConfigError> {
    let folder = resolve(project)?;
    // The project has a name for each link to it. The user's own files are in none of them.
    let is_project = |path: &Path| fs::canonicalize(path).is_ok_and(|path| path == folder);
    if real.starts_with(&folder) || !named.ancestors().any(is_project) {
        return Ok(());
    }
    let wrong = format!(
        "a symbolic link in the project leads out of it, to {}",
        real.display()
    );
    let mend = "remove the link, or install with `--scope user`";
    Err(ConfigError::new(Obstacle::LeadsOut, named, wrong, mend))
}

/// Follows the links of a path's existing folders, so that one file has one name.
fn settled(path: &Path) -> PathBuf {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return path.to_owned();
    };
    match fs::canonicalize(parent) {
        Ok(parent) => parent.join(name),
        Err(_) => settled(parent).join(name),
    }
}

/// Reads a file; `None` if it does not exist. `named` is its name in an error.
pub(super) fn read(named: &Path, real: &Path) -> Result<Option<Content>, ConfigError> {
    let failed = |error| ConfigError::io(named, "read the file", error);
    let metadata = match fs::metadata(real) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    if !metadata.is_file() {
        let wrong = match metadata.is_dir() {
            true => "a folder has this name",
            false => "something that is not a file has this name",
        };
        let mend = "move it away, then run this again";
        return Err(ConfigError::new(Obstacle::NotAFile, named, wrong, mend));
    }
    let mut bytes = Vec::new();
    let file = File::open(real).map_err(failed)?;
    file.take(LARGEST + 1)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    if bytes.len() as u64 > LARGEST {
        let wrong = "the file is larger than 64 MiB";
        let mend = "add the entries by hand";
        return Err(ConfigError::new(Obstacle::Size, named, wrong, mend));
    }
    Ok(Some(Content {
        bytes,
        permissions: metadata.permissions(),
    }))
}

/// Checks that a file is writable. The permission to replace it in its folder is not enough.
pub(super) fn check_writable(
    named: &Path,
    real: &Path,
    permissions: &Permissions,
) -> Result<(), ConfigError> {
    if permissions.readonly() {
        let wrong = "the file is read-only";
        let mend = "make it writable, then run this again";
        return Err(ConfigError::new(Obstacle::ReadOnly, named, wrong, mend));
    }
    let opened = OpenOptions::new().append(true).open(real);
    opened
        .map(drop)
        .map_err(|error| ConfigError::io(named, "write the file", error))
}

/// Replaces the content of a file by `new`, or removes the file, if it still has `old`. Readers see one or the other. A new
/// file without `permissions` has those of any new file of the user.
pub(super) fn replace(
    named: &Path,
    real: &Path,
    old: Option<&[u8]>,
    permissions: Option<&Permissions>,
    new: Option<&[u8]>,
) -> Result<(), Refusal> {
    let failed = |error| Refusal::Failed(ConfigError::io(named, "write the file", error));
    let unchanged = || {
        let now = read(named, real)?;
        match now.as_ref().map(|now| &*now.bytes) == old {
            true => Ok(()),
            false => Err(Refusal::Changed(named.to_owned())),
        }
    };
    let Some(new) = new else {
        unchanged()?;
        return match fs::remove_file(real) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(error)),
            _ => Ok(()),
        };
    };
    let access = permissions.map_or(Access::New, Access::Of);
    let temporary = write_beside(real, new, access).map_err(failed)?;
    unchanged()?;
    placed(temporary, real).map_err(failed)
}

/// Writes a file that only its owner can read, because configurations contain secrets.
pub(super) fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    placed(write_beside(path, bytes, Access::Private)?, path)
}

/// Who can read a file that is written.
pub(super) enum Access<'p> {
    /// Those who can read the replaced file.
    Of(&'p Permissions),
    /// Those who can read a new file of the user.
    New,
    /// The owner.
    Private,
}

/// The end of the name of a file that is not [placed].
pub(super) const INCOMPLETE: &str = ".tmp";

/// Returns how the name of a file that is only there because of another one begins.
pub(super) fn hidden(path: &Path) -> OsString {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".");
    name
}

/// Writes a file in the same folder, which is removed unless it is [placed]. Nobody but the owner can read it before it has
/// its permissions.
pub(super) fn write_beside(
    real: &Path,
    bytes: &[u8],
    access: Access<'_>,
) -> io::Result<NamedTempFile> {
    let name = hidden(real);
    let mut builder = tempfile::Builder::new();
    builder.prefix(&name).suffix(INCOMPLETE);
    #[cfg(unix)]
    if matches!(access, Access::New) {
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(real.parent().unwrap_or(real))?;
    file.as_file_mut().write_all(bytes)?;
    if let Access::Of(permissions) = access {
        file.as_file().set_permissions(permissions.clone())?;
    }
    file.as_file().sync_all()?;
    Ok(file)
}

/// Gives a written file its name.
fn placed(temporary: NamedTempFile, real: &Path) -> io::Result<()> {
    temporary.persist(real)?;
    settle(real);
    Ok(())
}

/// Flushes the folder's entry, too. If that is not possible, the system does it later.
pub(super) fn settle(path: &Path) {
    if let Some(folder) = path.parent().and_then(|folder| File::open(folder).ok()) {
        let _ = folder.sync_all();
    }
}
