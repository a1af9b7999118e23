//! A server's state as checkpoints, each with its parent: MCPL 0.4.1 §8, from the server's side.
//!
//! A [`Checkpoints`] is a tree. A call takes a copy of the state that its request refers to, works on it, and commits.
//! The commit makes a new checkpoint and returns the update for the tool's result. When a host rolls back, the head
//! moves; the next commit starts a branch there.

mod change;
mod checkpoint;
mod error;
mod given;
mod state;
mod tree;
mod working;

use std::sync::{Arc, Mutex};

use serde_json::Value;

use self::{
    checkpoint::Checkpoint,
    tree::{Limits, MOST, RolledBack, Tree, Trouble},
};
use super::RollbackRequest;
#[cfg(feature = "sqlite")]
use hooks_core::store::SqliteStore;
use hooks_core::{
    internal::{debugs, lock, setters},
    store::{MemoryStore, Store},
};

pub use self::{
    error::{CheckpointError, RollbackError},
    given::Given,
    state::{CheckpointState, Json},
    working::Working,
};

const LIMITS: Limits = Limits {
    keep: 1000,
    total: 64 << 20,
    state: 1 << 20,
};

/// The states of one line of work, as a tree of checkpoints.
///
/// ```
/// use hooks_sdk::mcpl::{Checkpoints, Given, RollbackRequest};
/// use serde_json::{Value, json};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let notes = Checkpoints::in_memory(json!({ "notes": [] }));
///
/// let mut state = notes.at(&Given::nothing()).await?;
/// state["notes"] = json!(["Buy milk"]);
/// let first = state.commit().await?; // the host gets the state
///
/// let mut state = notes.at(&Given::checkpoint(&first.checkpoint)).await?;
/// state["notes"] = json!(["Buy milk", "Call Kim"]);
/// let second = state.commit().await?; // the host gets the changes
/// assert_eq!(second.parent.as_ref(), Some(&first.checkpoint));
///
/// notes.rollback(&RollbackRequest::new("notes.edit", &first.checkpoint)).await?;
/// assert_eq!(notes.at(&Given::nothing()).await?["notes"], json!(["Buy milk"]));
/// # Ok(())
/// # }
/// ```
///
/// The value is a handle: clones share one tree and one head.
///
/// # Limits
///
/// Only the newest checkpoints are kept: [a thousand](Checkpoints::keep), with [64 MiB](Checkpoints::total_size) of
/// states. Older ones count as unknown (MCPL 0.4.1 §8.7). The head is always kept. A store drops a checkpoint ten years
/// after its commit.
///
/// A tree has one head, for requests that carry neither state nor checkpoint. The tree knows that *a* host got the
/// state of the head, and not which host. If several hosts use one tree, give each connection its own handle:
/// [`for_connection`](Checkpoints::for_connection). Hosts that always send a state or a checkpoint may share a handle.
///
/// If the future of a commit is dropped before it completes, the commit may still have been saved.
#[derive(Clone)]
pub struct Checkpoints<S> {
    initial: Arc<S>,
    shared: Arc<Shared>,
    limits: Limits,
    refuses_unknown: bool,
}

/// What all handles of a tree share.
struct Shared {
    tree: Tree,
    /// The last checkpoint whose state this process sent to a host. A host that sends nothing has that state, or none.
    told: Mutex<Option<Arc<str>>>,
}

impl Shared {
    fn host_knows(&self, checkpoint: Option<Arc<str>>) {
        *lock(&self.told) = checkpoint;
    }

    fn does_host_know(&self, checkpoint: &str) -> bool {
        let told = lock(&self.told);
        told.as_deref() == Some(checkpoint)
    }
}

impl<S: CheckpointState> Checkpoints<S> {
    /// Makes a tree in this process's memory. It starts with `initial`, which is not a checkpoint.
    pub fn in_memory(initial: S) -> Checkpoints<S> {
        // The limits of the tree bound it.
        Checkpoints::in_store(MemoryStore::with_capacity(usize::MAX), "", initial)
    }

    /// Opens the tree called `tree` in a SQLite file. Creates the file if it does not exist.
    ///
    /// The file is a [`SqliteStore`], and may hold other trees, sessions and foreign tables. Several processes on this
    /// machine may open it. Opening blocks on the disk.
    ///
    /// # Errors
    ///
    /// [`CheckpointError::Store`]: the file cannot be opened, is not a SQLite file, or was written by a newer version
    /// of this SDK.
    #[cfg(feature = "sqlite")]
    pub fn sqlite(
        path: impl AsRef<std::path::Path>,
        tree: impl AsRef<str>,
        initial: S,
    ) -> Result<Checkpoints<S>, CheckpointError> {
        let store = SqliteStore::open(path).map_err(Trouble::from)?;
        Ok(Checkpoints::in_store(store, tree, initial))
    }

    /// Uses the tree called `tree` in a store: in memory, in a file, in Redis, in PostgreSQL, or of the server's own. A
    /// new tree starts with `initial`; an existing one continues where it was.
    pub fn in_store(store: impl Store, tree: impl AsRef<str>, initial: S) -> Checkpoints<S> {
        Checkpoints {
            initial: Arc::new(initial),
            shared: Arc::new(Shared {
                tree: Tree::new(Arc::new(store), tree.as_ref()),
                told: Mutex::default(),
            }),
            limits: LIMITS,
            refuses_unknown: false,
        }
    }

    /// Returns a handle on the same tree for one connection, with its own head.
    ///
    /// A call that carries neither state nor checkpoint works on the last state of this connection, or on the initial
    /// state if there is none. It never works on the state of another conversation (MCPL 0.4.1 §8.4). The same holds
    /// for a call with a checkpoint that the tree does not know. A call can name a checkpoint of another connection.
    /// [`rollback`](Checkpoints::rollback) and [`head`](Checkpoints::head) use this connection's head only.
    ///
    /// Call it once for each connection. Over HTTP, where one value of the server serves all connections, keep the handle
    /// in [`Host::connection_data`](crate::Host::connection_data). The head is kept in memory, with its state. It
    /// survives the pruning of its checkpoint, and ends with the last clone of this handle.
    #[must_use]
    pub fn for_connection(&self) -> Checkpoints<S> {
        Checkpoints {
            shared: Arc::new(Shared {
                tree: self.shared.tree.with_new_head(),
                told: Mutex::default(),
            }),
            ..self.clone()
        }
    }

    setters! {
        /// Sets how many checkpoints are kept, from 1 to 8,192; older ones are pruned. MCPL 0.4.1 §8.7.
        fn keep(mut self, checkpoints: usize) { self.limits.keep = checkpoints.clamp(1, MOST) }

        /// Sets how many `bytes` all kept states may have together. Older checkpoints are pruned; at least one is kept.
        fn total_size(mut self, bytes: usize) { self.limits.total = bytes }

        /// Sets how many `bytes` one state may have. A commit of a larger state fails. The default is 1 MiB.
        fn largest_state(mut self, bytes: usize) { self.limits.state = bytes }

        /// Refuses, with -32005, a call that carries no state and a checkpoint that this tree does not know.
        ///
        /// Without this setting such a call works on the head. Hosts keep the last checkpoint and do not react to -32005:
        /// after a restart without a file, every call to a server with this setting fails.
        fn refuse_unknown(mut self) { self.refuses_unknown = true }
    }

    /// Returns the state that a request refers to, to work on: MCPL 0.4.1 §8.4.
    ///
    /// The state is the first of these that is present:
    /// - the state in the request;
    /// - the state at the checkpoint in the request;
    /// - the state at the head.
    ///
    /// A commit follows the first of these that is present:
    /// - the checkpoint in the request;
    /// - the newest checkpoint with the state in the request;
    /// - the head.
    ///
    /// A checkpoint that the tree does not know, or has pruned, counts as absent and is logged. So does a state that is no
    /// state of this tree.
    ///
    /// # Errors
    ///
    /// [`SavedState`](CheckpointError::SavedState) and [`Store`](CheckpointError::Store);
    /// [`NotFound`](CheckpointError::NotFound) and [`GivenState`](CheckpointError::GivenState) only with
    /// [`refuse_unknown`](Checkpoints::refuse_unknown).
    pub async fn at(&self, given: &Given) -> Result<Working<S>, CheckpointError> {
        let checkpoint = given.checkpoint.as_deref();
        let Some(state) = &given.state else {
            return self.at_checkpoint(checkpoint).await;
        };
        match S::load(state) {
            Ok(loaded) => self.at_state(loaded, state, checkpoint).await,
            Err(error) if self.refuses_unknown => Err(CheckpointError::GivenState(error)),
            Err(error) => {
                tracing::warn!(
                    target: "hooks_sdk::mcpl",
                    %error, "the `state` of a call is no state of this server, and counts as absent"
                );
                let mut working = self.at_checkpoint(checkpoint).await?;
                // The host has another state than this tree knows, so the next answer carries the whole.
                working.known = None;
                Ok(working)
            }
        }
    }

    async fn at_state(
        &self,
        state: S,
        given: &Value,
        checkpoint: Option<&str>,
    ) -> Result<Working<S>, CheckpointError> {
        let named = match checkpoint {
            Some(id) => self.known(id).await?,
            None => None,
        };
        let parent = if named.is_some() {
            named
        } else {
            let text = state.save().map_err(CheckpointError::Unsaved)?.to_string();
            self.shared.tree.with_state(&text).await?
        };
        // One host applies the patch to the state that it sent, another to the one that it keeps for the parent.
        let is_parents = parent.as_ref().is_some_and(|parent| {
            parent.told
                && serde_json::from_str::<Value>(&parent.state).is_ok_and(|kept| kept == *given)
        });
        let known = is_parents.then(|| given.clone());
        Ok(self.working(state, parent, known))
    }

    async fn at_checkpoint(&self, given: Option<&str>) -> Result<Working<S>, CheckpointError> {
        let named = match given {
            Some(id) => self.known(id).await?,
            None => None,
        };
        let is_named = named.is_some();
        if let Some(id) = given
            && !is_named
            && self.refuses_unknown
        {
            let checkpoint = id.to_owned();
            return Err(CheckpointError::NotFound { checkpoint });
        }
        let found = if is_named {
            named
        } else {
            self.shared.tree.head().await?
        };
        let Some(found) = found else {
            return Ok(self.working((*self.initial).clone(), None, None));
        };
        let saved: Value = serde_json::from_str(&found.state).map_err(Trouble::from)?;
        let state = S::load(&saved).map_err(|reason| CheckpointError::SavedState {
            checkpoint: found.id.to_string(),
            reason,
        })?;
        // A host that names a checkpoint has its state. A host that names none may be new, and a host that names an
        // unknown one has another state.
        let has = match given {
            Some(_) => is_named,
            None => self.shared.does_host_know(&found.id),
        };
        let known = (found.told && has).then_some(saved);
        Ok(self.working(state, Some(found), known))
    }

    /// Returns the checkpoint that a call names, if this tree has it.
    async fn known(&self, id: &str) -> Result<Option<Checkpoint>, Trouble> {
        let found = self.shared.tree.find(id).await?;
        if found.is_none() {
            // Cut: a host may send a name of any length.
            tracing::warn!(
                target: "hooks_sdk::mcpl",
                checkpoint = %format_args!("{id:.80}"),
                "a call names a checkpoint that the tree does not have, or no longer"
            );
        }
        Ok(found)
    }

    /// Makes a checkpoint the head: MCPL 0.4.1 §8.5.
    ///
    /// The next commit starts a branch there. Nothing is removed, so a host may return to where it was.
    ///
    /// # Errors
    ///
    /// [`RollbackError::NotFound`] and [`RollbackError::Store`]. [`RollbackError::Irreversible`] if the head, or a
    /// checkpoint between it and the branching point, [cannot be undone](Working::irreversible). After an error the
    /// head is unchanged.
    pub async fn rollback(&self, request: &RollbackRequest) -> Result<(), RollbackError> {
        match self.shared.tree.roll_back(&request.checkpoint).await? {
            RolledBack::To(target) => {
                self.shared.host_knows(target.told.then_some(target.id));
                Ok(())
            }
            RolledBack::Nowhere => Err(RollbackError::NotFound {
                checkpoint: request.checkpoint.clone(),
            }),
            RolledBack::Barred(reason) => Err(RollbackError::Irreversible {
                reason: reason.to_string(),
            }),
        }
    }

    /// Returns the head, if there is one.
    ///
    /// # Errors
    ///
    /// [`CheckpointError::Store`].
    pub async fn head(&self) -> Result<Option<String>, CheckpointError> {
        let head = self.shared.tree.head().await?;
        Ok(head.map(|head| head.id.to_string()))
    }

    fn working(&self, state: S, parent: Option<Checkpoint>, known: Option<Value>) -> Working<S> {
        Working {
            state,
            parent,
            known,
            irreversible: None,
            shared: self.shared.clone(),
            limits: self.limits,
        }
    }
}

debugs!(Checkpoints<S> { limits });
