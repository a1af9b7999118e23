//! The file of a log: lines at its end, and its rotation.

use std::{
    ffi::OsString,
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

use hooks_core::{Timestamp, internal::hex};

use crate::{LogError, LogSettings};

/// The longest line, in bytes: contents may be escaped, and masks make them no longer.
const LONGEST_LINE: u64 = 512 * 1024;

/// A file to which this process and others append.
#[derive(Debug)]
pub(crate) struct LogFile {
    path: PathBuf,
    max_bytes: u64,
    keep: usize,
    fsync: bool,
    open: Option<OpenFile>,
    /// Whether the owner was told that another program's lock keeps the file from being put aside.
    said_stuck: bool,
}

#[derive(Debug)]
struct OpenFile {
    file: File,
    /// The size, if it is a regular file.
    size: Option<u64>,
    /// Whether the file ends in the middle of a line.
    torn: bool,
}

/// What the next line has to say about the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct NextLine {
    /// The line is the first one of its chain in this file.
    pub(crate) new_file: bool,
    /// The line before it in the file is half a line.
    pub(crate) torn: bool,
}

impl LogFile {
    pub(crate) fn new(settings: &LogSettings) -> LogFile {
        LogFile {
            path: settings.file.clone(),
            max_bytes: settings.max_bytes,
            keep: settings.keep,
            fsync: settings.fsync,
            open: None,
            said_stuck: false,
        }
    }

    /// Opens the file if it is not open, or if another process has put it aside. Puts it aside when it is full.
    ///
    /// # Errors
    ///
    /// The file cannot be opened.
    pub(crate) fn ready(&mut self) -> Result<NextLine, LogError> {
        self.opened().map_err(|error| self.error(error))
    }

    fn opened(&mut self) -> io::Result<NextLine> {
        let mut new_file = false;
        if let Some(open) = &self.open {
            if !is_at(&open.file, &self.path)? {
                self.open = None;
                new_file = true;
            } else if self.is_full() {
                new_file = self.put_aside()?;
            }
        }
        let open = match &mut self.open {
            Some(open) => open,
            none => none.insert(open_end(&self.path)?),
        };
        Ok(NextLine {
            new_file,
            torn: open.torn,
        })
    }

    /// Returns whether the open file has its largest size.
    pub(crate) fn is_full(&self) -> bool {
        let size = self.open.as_ref().and_then(|open| open.size);
        size.is_some_and(|size| size >= self.max_bytes)
    }

    /// Appends a line, with its end, in one write.
    ///
    /// # Errors
    ///
    /// The line is not in the file, or only its beginning is.
    pub(crate) fn write(&mut self, line: &[u8]) -> Result<(), LogError> {
        let written = self.append(line);
        written.map_err(|error| self.error(error))
    }

    fn append(&mut self, line: &[u8]) -> io::Result<()> {
        let Some(open) = &mut self.open else {
            return Err(io::Error::other("the file is not open"));
        };
        let mended;
        let bytes = if open.torn {
            mended = [b"\n", line].concat();
            &*mended
        } else {
            line
        };
        let count = loop {
            match open.file.write(bytes) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => break other?,
            }
        };
        if let Some(size) = &mut open.size {
            // Other processes append as well.
            *size = open
                .file
                .metadata()
                .map_or(*size + count as u64, |file| file.len());
        }
        if count < bytes.len() {
            open.torn = count > 0 || open.torn;
            return Err(io::Error::new(
                io::ErrorKind::StorageFull,
                "only a part of a line was written",
            ));
        }
        open.torn = false;
        if self.fsync && open.size.is_some() {
            open.file.sync_data()?;
        }
        Ok(())
    }

    /// Gives the file a name of its own, and removes the oldest of such files, unless another process does so now.
    ///
    /// # Errors
    ///
    /// The file cannot be renamed.
    pub(crate) fn rotate(&mut self) -> Result<(), LogError> {
        if self.open.as_ref().is_some_and(|open| open.size.is_none()) {
            return Ok(());
        }
        let aside = self.put_aside();
        aside.map(|_| ()).map_err(|error| self.error(error))
    }

    /// Returns whether the open file is no longer at the path.
    fn put_aside(&mut self) -> io::Result<bool> {
        let open = match self.open.take() {
            Some(open) => open,
            None if self.path.try_exists()? => open_end(&self.path)?,
            None => return Ok(true),
        };
        // Who holds the lock of a file is the only one who renames it. Without it, a process that chose its name before another one
        // put this file aside would give that name, which sorts before this file's, to the file after it.
        if let Err(TryLockError::WouldBlock) = open.file.try_lock() {
            // A process of this kind holds it for a moment.
            let is_stuck = open.size.is_some_and(|size| size / 2 >= self.max_bytes);
            if is_stuck && !std::mem::replace(&mut self.said_stuck, true) {
                tracing::warn!(
                    target: "hooks_sdk::log",
                    file = %self.path.display(),
                    "another program holds the lock of the decision log, which grows and is not put aside; end that program"
                );
            }
            self.open = Some(open);
            return Ok(false);
        }
        self.said_stuck = false;
        if !is_at(&open.file, &self.path)? {
            return Ok(true);
        }
        let mut random = [0; 4];
        getrandom::fill(&mut random).map_err(io::Error::other)?;
        // The names are in the order of time, below a millisecond too.
        let now = SystemTime::now();
        let since = now.duration_since(UNIX_EPOCH).unwrap_or_default();
        let nanos = since.subsec_nanos() % 1_000_000;
        let now = Timestamp::from(now)
            .to_string()
            .replace([':', '-', 'Z'], "");
        let end = format!(".{now}{nanos:06}Z-{}", hex(&random));
        match fs::rename(&self.path, with(&self.path, &end)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            other => other?,
        }
        let mut aside = put_aside(&self.path)?;
        aside.sort();
        let too_many = aside.len().saturating_sub(self.keep.max(1));
        for oldest in &aside[..too_many] {
            match fs::remove_file(oldest) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                other => other?,
            }
        }
        Ok(true)
    }

    pub(crate) fn error(&self, error: io::Error) -> LogError {
        LogError::File {
            file: self.path.clone(),
            error: Arc::new(error),
        }
    }

    /// Returns the last line of the file, or `None` if it has none.
    ///
    /// # Errors
    ///
    /// The file cannot be read.
    pub(crate) fn last_line(path: &Path) -> io::Result<Option<Vec<u8>>> {
        let mut file = match File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            other => other?,
        };
        let size = file.metadata()?.len();
        // Most lines are short, and a process that ends at once reads no more than it needs.
        for most in [8 * 1024, LONGEST_LINE] {
            file.seek(SeekFrom::Start(size.saturating_sub(most)))?;
            let mut end = Vec::new();
            Read::by_ref(&mut file).take(most).read_to_end(&mut end)?;
            // Half a line follows the last end of a line.
            let last = end.iter().rposition(|byte| *byte == b'\n');
            end.truncate(last.unwrap_or(0));
            let from = end.iter().rposition(|byte| *byte == b'\n');
            if from.is_some() || most >= size {
                return Ok(last.map(|_| end.split_off(from.map_or(0, |from| from + 1))));
            }
        }
        Ok(None)
    }
}

/// Returns the files of a log that exist, oldest first: those that were put aside, and the file itself.
///
/// # Errors
///
/// The folder cannot be read.
pub fn files_of(path: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = put_aside(path)?;
    files.sort();
    if path.try_exists()? {
        files.push(path.to_owned());
    }
    Ok(files)
}

/// Returns the files that were put aside.
pub(crate) fn put_aside(path: &Path) -> io::Result<Vec<PathBuf>> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let begin = format!("{name}.");
    let is_aside = |found: &str| {
        let end = found.strip_prefix(&begin);
        end.is_some_and(|end| end.len() == 35 && end.as_bytes()[8] == b'T' && end.contains("Z-"))
    };
    let mut files = Vec::new();
    for entry in fs::read_dir(folder.unwrap_or(Path::new(".")))? {
        let entry = entry?;
        if is_aside(&entry.file_name().to_string_lossy()) {
            files.push(entry.path());
        }
    }
    Ok(files)
}

/// Opens a file for appending, or creates it. Only its owner can read it, and links are not followed.
fn open_end(path: &Path) -> io::Result<OpenFile> {
    let file = open_own(OpenOptions::new().append(true), path).map_err(|error| {
        if path.is_symlink() {
            let wrong = "it is a symbolic link; name the file itself";
            return io::Error::new(error.kind(), wrong);
        }
        error
    })?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        // A pipe or a device.
        return Ok(OpenFile {
            file,
            size: None,
            torn: false,
        });
    }
    #[cfg(unix)]
    narrow(&file, path)?;
    let mut torn = false;
    if metadata.len() > 0 {
        let mut read = File::open(path)?;
        read.seek(SeekFrom::End(-1))?;
        let mut last = [b'\n'];
        _ = read.read(&mut last)?;
        torn = last != [b'\n'];
    }
    Ok(OpenFile {
        file,
        size: Some(metadata.len()),
        torn,
    })
}

/// Opens a file as `options` say, or creates it for its owner only. Links are not followed.
pub(crate) fn open_own(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;

        let flags = rustix::fs::OFlags::NOFOLLOW;
        options.mode(0o600).custom_flags(flags.bits().cast_signed());
    }
    options.create(true).open(path)
}

/// Takes a file from everybody but its owner.
#[cfg(unix)]
fn narrow(file: &File, path: &Path) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    if file.metadata()?.mode() & 0o077 == 0 {
        return Ok(());
    }
    file.set_permissions(fs::Permissions::from_mode(0o600))?;
    if file.metadata()?.mode() & 0o077 != 0 {
        let wrong =
            "others can read it, and its file system does not let that change; name another file";
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, wrong));
    }
    tracing::warn!(
        target: "hooks_sdk::log",
        file = %path.display(), "others could read the decision log; now only its owner can"
    );
    Ok(())
}

/// Returns whether a name still names an open file.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;

    let own = file.metadata()?;
    match fs::metadata(path) {
        Ok(named) => Ok(own.ino() == named.ino() && own.dev() == named.dev()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> io::Result<bool> {
    path.try_exists()
}

pub(crate) fn with(path: &Path, end: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(end);
    name.into()
}
