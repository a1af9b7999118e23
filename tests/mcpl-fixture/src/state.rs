//! The notes: a state in checkpoints.

use hooks_sdk::{
    mcpl::{RollbackError, RollbackRequest},
    prelude::*,
};
use serde::{Deserialize, Serialize};

use crate::{Fixture, sets::NoteKeeping};

/// All notes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Notes {
    pub(crate) notes: Vec<Note>,
}

/// One note.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Note {
    pub(crate) id: u64,
    pub(crate) text: String,
}

impl Notes {
    /// Adds a note under the next number.
    pub(crate) fn add(&mut self, text: String) {
        let last = self.notes.iter().map(|note| note.id).max().unwrap_or(0);
        let id = last.saturating_add(1);
        self.notes.push(Note { id, text });
    }
}

#[hooks_sdk::hooks]
impl Fixture {
    #[mcpl::hook(rollback, feature_set = NoteKeeping)]
    async fn roll_back(&self, request: &RollbackRequest) -> Result<(), RollbackError> {
        self.notes.rollback(request).await
    }
}
