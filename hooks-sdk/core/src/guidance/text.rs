//! A hook's text in memory.

use std::{
    path::{Path, PathBuf},
    sync::OnceLock,
};

use super::Timestamp;

/// A text, and the file that it was read from.
#[derive(Debug)]
pub(super) struct Text {
    content: Box<str>,
    path: Option<PathBuf>,
    read_at: Timestamp,
    /// The shielded form, computed at first use; `None` inside if it equals the text.
    shielded: OnceLock<Option<Box<str>>>,
}

impl Text {
    pub(super) fn new(content: impl Into<Box<str>>, path: Option<PathBuf>) -> Text {
        Text {
            content: content.into(),
            path,
            read_at: Timestamp::now(),
            shielded: OnceLock::new(),
        }
    }

    pub(super) fn content(&self) -> &str {
        &self.content
    }

    pub(super) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    pub(super) fn read_at(&self) -> Timestamp {
        self.read_at
    }

    pub(super) fn shielded(&self) -> &str {
        let shielded = self.shielded.get_or_init(|| {
            let shielded = hooks_text::shield(&self.content);
            (*shielded != *self.content).then(|| shielded.into())
        });
        shielded.as_deref().unwrap_or(&self.content)
    }
}
