//! A state while a call works on it, and what becomes of it.

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
    error::CheckpointError,
    tree::{Barrier, Checkpoint, Limits, Trouble},
};

/// A reader of JSON gives up at 128 levels, of which the message around a state takes some.
const LEVELS: usize = 100;

/// A copy of a state to work on, as [`Checkpoints::at`](super::Checkpoints::at) found it.
///
/// It is read and changed like the state itself. Nothing is kept of a change until one of the three commits, whose
/// update goes into the tool's result; a value that is dropped was only looked at. Two that work from the same
/// checkpoint do not disturb each other: each commit is a branch of its own, and the later one is the head.
#[must_use = "a change is kept only by a commit"]
pub struct Working<S> {
    state: S,
    parent: Option<Parent>,
    /// The state as the host has it, if it has it.
    known: Option<Value>,
    irreversible: Option<Arc<str>>,
    shared: Arc<Shared>,
    limits: Limits,
}

/// What the next checkpoint comes after.
#[derive(Debug)]
pub(super) struct Parent {
    id: Arc<str>,
    barrier: Option<Barrier>,
}

impl From<Checkpoint> for Parent {
    fn from(checkpoint: Checkpoint) -> Parent {
        Parent {
            id: checkpoint.id,
            barrier: checkpoint.barrier,
        }
    }
}

/// What of a new checkpoint the host is told.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Telling {
    Change,
    Data,
    Nothing,
}

impl<S: CheckpointState> Working<S> {
    pub(super) fn new(
        state: S,
        parent: Option<Parent>,
        known: Option<Value>,
        shared: Arc<Shared>,
        limits: Limits,
    ) -> Working<S> {
        Working {
            state,
            parent,
            known,
            irreversible: None,
            shared,
            limits,
        }
    }

    /// The checkpoint that a commit would come after, if there is one.
    pub fn parent(&self) -> Option<&str> {
        self.parent.as_ref().map(|parent| &*parent.id)
    }

    /// What the call did cannot be undone: the checkpoint that it makes is not rolled back, for this reason.
    pub fn irreversible(&mut self, reason: impl Into<String>) {
        self.irreversible = Some(reason.into().into());
    }

    /// Keeps the state as a new checkpoint, and tells the host what changed.
    ///
    /// The update has a `patch` where the host has the parent's state and the call worked on that state; else `data`: at
    /// the first checkpoint, after an opaque one, after a restart, to a call that carried another state than the parent's
    /// or an unknown checkpoint, and where a patch would be longer than the state. A patch adds, removes and replaces, and
    /// was tried on the parent's state. It implements MCPL 0.4.1 §8.2 and §8.3.
    ///
    /// # Errors
    ///
    /// [`CheckpointError::Unsaved`], [`TooLarge`](CheckpointError::TooLarge), [`TooDeep`](CheckpointError::TooDeep)
    /// and [`Store`](CheckpointError::Store). Nothing was kept then.
    pub async fn commit(self) -> Result<StateUpdate, CheckpointError> {
        self.keep(Telling::Change).await
    }

    /// Keeps the state as a new checkpoint, and tells the host all of it.
    ///
    /// # Errors
    ///
    /// As [`commit`](Working::commit).
    pub async fn commit_data(self) -> Result<StateUpdate, CheckpointError> {
        self.keep(Telling::Data).await
    }

    /// Keeps the state as a new checkpoint, and tells the host only its name.
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
        let limits = self.limits;
        let add = self
            .shared
            .backend
            .write(move |tree| tree.add(checkpoint, limits));
        add.await?;
        self.shared.host_knows(told.then(|| id.clone()));
        let update = StateUpdate::opaque(&*id, parent.map(|parent| parent.to_string()));
        Ok(match patch {
            Some(patch) => update.with_patch(patch),
            None if told => update.with_data(new),
            None => update,
        })
    }
}

/// A name that is never given twice, and that nobody guesses.
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
