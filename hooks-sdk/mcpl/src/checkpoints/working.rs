//! A state while a call works on it, and its commit.

use std::{
    fmt,
    ops::{Deref, DerefMut},
    sync::Arc,
};

use serde_json::Value;

use super::{
    super::wire::StateUpdate,
    CheckpointState, Shared,
    change::{between, is_deeper_than},
    checkpoint::{Barrier, Checkpoint},
    error::CheckpointError,
    tree::{Limits, Trouble},
};

/// Readers of JSON stop at 128 levels, and the message around a state takes some of them.
const LEVELS: usize = 100;

/// A copy of a state to work on, returned by [`Checkpoints::at`](super::Checkpoints::at).
///
/// Read and change it like the state itself. Changes are saved only by one of the three commits, which return the
/// update for the tool's result. A value that is dropped changes nothing. Two copies of the same checkpoint do not
/// disturb each other: each commit is its own branch, and the later one becomes the head.
#[must_use = "a change is kept only by a commit"]
pub struct Working<S> {
    pub(super) state: S,
    pub(super) parent: Option<Checkpoint>,
    /// The state that the host has, if it has one.
    pub(super) known: Option<Value>,
    pub(super) irreversible: Option<Arc<str>>,
    pub(super) shared: Arc<Shared>,
    pub(super) limits: Limits,
}

/// What the host gets of a new checkpoint.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Telling {
    Change,
    Data,
    Nothing,
}

impl<S: CheckpointState> Working<S> {
    /// Returns the checkpoint that a commit would follow, if there is one.
    pub fn parent(&self) -> Option<&str> {
        self.parent.as_ref().map(|parent| &*parent.id)
    }

    /// Declares that the call did something that cannot be undone. Its checkpoint cannot be rolled back, for this
    /// reason.
    pub fn irreversible(&mut self, reason: impl Into<String>) {
        self.irreversible = Some(reason.into().into());
    }

    /// Saves the state as a new checkpoint, and sends the host what changed.
    ///
    /// The update has a `patch` if the host has the state of the parent and the call worked on that state. Otherwise it
    /// has `data`:
    /// - at the first checkpoint;
    /// - after an opaque one;
    /// - after a restart;
    /// - if the call carried another state than the parent's, or an unknown checkpoint;
    /// - if a patch would be longer than the state.
    ///
    /// A patch only adds, removes and replaces. The SDK has applied it to the parent's state to check it. It implements
    /// MCPL 0.4.1 §8.2 and §8.3.
    ///
    /// # Errors
    ///
    /// [`CheckpointError::Unsaved`], [`TooLarge`](CheckpointError::TooLarge), [`TooDeep`](CheckpointError::TooDeep) and
    /// [`Store`](CheckpointError::Store). After an error nothing is saved.
    pub async fn commit(self) -> Result<StateUpdate, CheckpointError> {
        self.keep(Telling::Change).await
    }

    /// Saves the state as a new checkpoint, and sends the host the whole state.
    ///
    /// # Errors
    ///
    /// As [`commit`](Working::commit).
    pub async fn commit_data(self) -> Result<StateUpdate, CheckpointError> {
        self.keep(Telling::Data).await
    }

    /// Saves the state as a new checkpoint, and sends the host only its name.
    ///
    /// # Errors
    ///
    /// As [`commit`](Working::commit).
    pub async fn commit_opaque(self) -> Result<StateUpdate, CheckpointError> {
        self.keep(Telling::Nothing).await
    }

    async fn keep(self, telling: Telling) -> Result<StateUpdate, CheckpointError> {
        let new = self.state.save().map_err(CheckpointError::Unsaved)?;
        if is_deeper_than(&new, LEVELS) {
            return Err(CheckpointError::TooDeep(LEVELS));
        }
        let text: Arc<str> = new.to_string().into();
        let (size, limit) = (text.len(), self.limits.state);
        if size > limit {
            return Err(CheckpointError::TooLarge { size, limit });
        }
        let patch = match (telling, &self.known, &self.parent) {
            (Telling::Change, Some(known), Some(_)) => between(known, &new, size),
            _ => None,
        };
        let id = new_id()?;
        let barrier = match self.irreversible {
            Some(reason) => Some(Barrier {
                checkpoint: id.clone(),
                reason,
            }),
            None => self
                .parent
                .as_ref()
                .and_then(|parent| parent.barrier.clone()),
        };
        let parent = self.parent.map(|parent| parent.id);
        let told = telling != Telling::Nothing;
        let checkpoint = Checkpoint {
            id: id.clone(),
            parent: parent.clone(),
            state: text,
            told,
            barrier,
        };
        self.shared.tree.add(checkpoint, self.limits).await?;
        self.shared.host_knows(told.then(|| id.clone()));
        let update = StateUpdate::opaque(&*id, parent.map(|parent| parent.to_string()));
        Ok(match patch {
            Some(patch) => update.with_patch(patch),
            None if told => update.with_data(new),
            None => update,
        })
    }
}

/// Makes a name that is never used twice and cannot be guessed.
fn new_id() -> Result<Arc<str>, Trouble> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)?;
    Ok(format!("chk_{:032x}", u128::from_be_bytes(bytes)).into())
}

impl<S> Deref for Working<S> {
    type Target = S;

    fn deref(&self) -> &S {
        &self.state
    }
}

impl<S> DerefMut for Working<S> {
    fn deref_mut(&mut self) -> &mut S {
        &mut self.state
    }
}

impl<S: fmt::Debug> fmt::Debug for Working<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Working")
            .field("state", &self.state)
            .field("parent", &self.parent.as_ref().map(|parent| &parent.id))
            .field("irreversible", &self.irreversible)
            .finish_non_exhaustive()
    }
}
