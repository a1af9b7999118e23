//! What the agent last asked this server for: where a host tells no words of a turn, that is what the turn is about.

use std::{
    fmt,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// How much of the words is kept, in characters.
const LONGEST: usize = 2000;

/// The project and the words of the agent's last calls on this connection.
#[derive(Default)]
pub(crate) struct Asked(Mutex<Option<About>>);

#[derive(Clone)]
pub(super) struct About {
    pub(super) project: String,
    /// Empty while the agent has only named the project.
    pub(super) words: String,
}

impl Asked {
    /// The agent begins to work in a project, or in none that it names.
    pub(crate) fn begin(&self, project: Option<&str>) {
        *self.lock() = project.map(|project| About {
            project: project.to_owned(),
            words: String::new(),
        });
    }

    /// The agent uses these words in a project.
    pub(crate) fn ask(&self, project: &str, words: &str) {
        *self.lock() = Some(About {
            project: project.to_owned(),
            words: bounded(words),
        });
    }

    /// The agent uses these words, and names no project: they belong to the last one.
    pub(super) fn note(&self, words: &str) {
        if let Some(about) = &mut *self.lock() {
            about.words = bounded(words);
        }
    }

    pub(super) fn last(&self) -> Option<About> {
        self.lock().clone().filter(|about| !about.words.is_empty())
    }

    fn lock(&self) -> MutexGuard<'_, Option<About>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn bounded(words: &str) -> String {
    words.trim().chars().take(LONGEST).collect()
}

/// Only whether there is something; the words are nobody's business.
impl fmt::Debug for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Asked")
            .field("is_known", &self.lock().is_some())
            .finish_non_exhaustive()
    }
}
