//! The errors of editing a configuration file.

use std::{
    error::Error,
    fmt, io,
    path::{Path, PathBuf},
};

/// The kind of obstacle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Obstacle {
    /// The file is not valid JSON or TOML.
    Syntax,
    /// The file is not UTF-8.
    Encoding,
    /// The file parses, but the value in the place of the entries has another type.
    Shape,
    /// The client ignores the file, or does not start with it.
    Unread,
    /// The path is a folder, or something else that is not a file.
    NotAFile,
    /// A symbolic link leads out of the project.
    LeadsOut,
    /// The file is larger than 64 MiB.
    Size,
    /// The file is not writable.
    ReadOnly,
    /// An MCP server of this name is configured and starts another program, or another program's file has this name.
    NameTaken,
    /// The program's own file has been changed since it was installed.
    Edited,
    /// Another program holds the lock, or keeps changing the file.
    Busy,
    /// The record of an installation cannot be read.
    Record,
    /// The copy of the program does not answer.
    Program,
    /// The operating system reported an error.
    Io,
}

/// The error of a configuration file that was not changed.
#[derive(Debug)]
#[non_exhaustive]
pub struct ConfigError {
    /// The kind of obstacle.
    pub obstacle: Obstacle,
    /// The file.
    pub file: PathBuf,
    /// The line, and the column in characters, both from 1, if there is a position.
    pub position: Option<(usize, usize)>,
    wrong: String,
    mend: String,
    source: Option<io::Error>,
}

impl ConfigError {
    pub(super) fn new(
        obstacle: Obstacle,
        file: &Path,
        wrong: impl Into<String>,
        mend: impl Into<String>,
    ) -> ConfigError {
        ConfigError {
            obstacle,
            file: file.to_owned(),
            position: None,
            wrong: wrong.into(),
            mend: mend.into(),
            source: None,
        }
    }

    pub(super) fn io(file: &Path, doing: &str, source: io::Error) -> ConfigError {
        let (obstacle, mend) = match source.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                (Obstacle::ReadOnly, "give yourself write permission")
            }
            io::ErrorKind::NotADirectory => (
                Obstacle::Io,
                "make sure that every part of the path but the last is a folder",
            ),
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                (Obstacle::Io, "free space on the disk, then run this again")
            }
            io::ErrorKind::FileTooLarge => (
                Obstacle::Io,
                "raise the limit of a file's size, which `ulimit -f` shows, then run this again",
            ),
            _ => (Obstacle::Io, "remove the cause, then run this again"),
        };
        ConfigError {
            source: Some(source),
            ..ConfigError::new(obstacle, file, format!("cannot {doing}"), mend)
        }
    }

    pub(super) fn at(mut self, text: &str, offset: usize) -> ConfigError {
        self.position = Some(position(text, offset));
        self
    }

    pub(super) fn and(mut self, further: &str) -> ConfigError {
        self.wrong = format!("{}, and {further}", self.wrong);
        self
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{}", self.file.display())?;
        if let Some((line, column)) = self.position {
            write!(to, ":{line}:{column}")?;
        }
        write!(to, ": {}", self.wrong)?;
        if let Some(source) = &self.source {
            write!(to, ": {source}")?;
        }
        write!(to, "\nhelp: {}", self.mend)
    }
}

impl Error for ConfigError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_ref().map(|source| source as _)
    }
}

/// Returns the line of a byte, and the column in characters, both from 1.
fn position(text: &str, offset: usize) -> (usize, usize) {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    let before = &text[..offset];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (
        before.matches('\n').count() + 1,
        before[line_start..].chars().count() + 1,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_the_system_has_its_remedy_and_its_source() {
        for (kind, mend) in [
            (io::ErrorKind::PermissionDenied, "write permission"),
            (io::ErrorKind::NotADirectory, "every part of the path"),
            (io::ErrorKind::StorageFull, "free space"),
            (io::ErrorKind::FileTooLarge, "ulimit -f"),
            (io::ErrorKind::Other, "remove the cause"),
        ] {
            let error = ConfigError::io(Path::new("a.json"), "write it", kind.into());
            assert!(error.to_string().contains(mend), "{error}");
            assert!(error.source().is_some(), "{error}");
        }
    }

    #[test]
    fn an_error_names_file_line_and_column_and_what_mends_it() {
        let error = ConfigError::new(
            Obstacle::Shape,
            Path::new("/a b/é.json"),
            "`hooks` is a list",
            "make it an object",
        )
        .at("{\n é: [", 7);
        assert_eq!(error.position, Some((2, 5)));
        assert_eq!(
            error.to_string(),
            "/a b/é.json:2:5: `hooks` is a list\nhelp: make it an object"
        );
    }
}
