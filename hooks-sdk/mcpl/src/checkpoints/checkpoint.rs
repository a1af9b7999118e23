//! One checkpoint, as a store keeps it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::tree::Trouble;

/// One saved state with its parent.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct Checkpoint {
    /// The name, unique in its tree.
    pub(super) id: Arc<str>,
    /// The parent, which may have been pruned since.
    pub(super) parent: Option<Arc<str>>,
    /// The state as JSON.
    #[serde(skip)]
    pub(super) state: Arc<str>,
    /// Whether the host got the state, and not only the name of the checkpoint.
    pub(super) told: bool,
    /// The nearest checkpoint that cannot be undone: this one or an ancestor.
    pub(super) barrier: Option<Barrier>,
}

/// A checkpoint that cannot be undone.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct Barrier {
    /// The name of the checkpoint.
    pub(super) checkpoint: Arc<str>,
    /// Why it cannot be undone.
    pub(super) reason: Arc<str>,
}

impl Checkpoint {
    /// Returns the bytes that [`read`](Checkpoint::read) reads: a line about the state, and the state.
    pub(super) fn written(&self) -> Result<Vec<u8>, Trouble> {
        let mut bytes = serde_json::to_vec(self)?;
        bytes.push(b'\n');
        bytes.extend_from_slice(self.state.as_bytes());
        Ok(bytes)
    }

    pub(super) fn read(bytes: &[u8]) -> Result<Checkpoint, Trouble> {
        let text = str::from_utf8(bytes)?;
        let (about, state) = text.split_once('\n').ok_or("a checkpoint has no state")?;
        let mut checkpoint: Checkpoint = serde_json::from_str(about)?;
        checkpoint.state = state.into();
        Ok(checkpoint)
    }

    /// Returns why this checkpoint itself cannot be undone.
    pub(super) fn irreversible(&self) -> Option<&Barrier> {
        self.barrier
            .as_ref()
            .filter(|barrier| barrier.checkpoint == self.id)
    }
}
