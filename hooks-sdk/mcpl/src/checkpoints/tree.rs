//! A tree of checkpoints in a store: entries for each checkpoint, and one with the list of all and the head.
//!
//! A commit writes the checkpoint first and then swaps the list, so that the list never names what is not there. If the
//! process ends between the two, the tree is as before, and one entry remains that nobody can name.

use std::{error::Error as StdError, sync::Arc, time::Duration};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use tokio::sync::{Mutex, MutexGuard};

use super::checkpoint::{Barrier, Checkpoint};
use hooks_core::{
    internal::debugs,
    store::{EntryVersion, Key, LARGEST_VALUE, Store, Swap},
};

/// Why a tree could not be read or written.
pub(super) type Trouble = Box<dyn StdError + Send + Sync>;

/// How long an entry lives after it was written: ten years.
const LIFE: Duration = Duration::from_secs(10 * 365 * 24 * 60 * 60);

/// The most checkpoints of one tree. The list of this many fits one entry.
pub(super) const MOST: usize = 8192;

/// How much a tree keeps.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// The most checkpoints.
    pub(super) keep: usize,
    /// The most bytes of all states together.
    pub(super) total: usize,
    /// The most bytes of one state.
    pub(super) state: usize,
}

/// The outcome of a rollback.
#[derive(Debug)]
pub(super) enum RolledBack {
    To(Checkpoint),
    Nowhere,
    Barred(Arc<str>),
}

/// The entry about the tree.
#[derive(Debug, Default, Deserialize, Serialize)]
struct List {
    head: Option<Arc<str>>,
    /// The checkpoints, from the oldest to the newest.
    kept: Vec<Row>,
}

/// What the list says of a checkpoint.
#[derive(Clone, Debug, Deserialize, Serialize)]
struct Row {
    id: Arc<str>,
    /// The bytes of the state.
    size: usize,
    /// The number of entries that the checkpoint takes.
    pieces: usize,
    /// The digest of the state, if the host got it.
    told: Option<u64>,
}

impl List {
    /// Removes the oldest beyond the limits, except for the newest, and returns them.
    fn prune(&mut self, limits: Limits) -> Vec<Row> {
        let mut size: usize = self.kept.iter().map(|row| row.size).sum();
        let mut over = 0;
        while over + 1 < self.kept.len()
            && (self.kept.len() - over > limits.keep || size > limits.total)
        {
            size -= self.kept[over].size;
            over += 1;
        }
        self.kept.drain(..over).collect()
    }
}

/// A tree in a store, as one connection sees it.
pub(super) struct Tree {
    store: Arc<dyn Store>,
    name: Arc<str>,
    /// The connection's own head, which replaces the head of the tree. It is the whole checkpoint, since another
    /// connection may prune it.
    own: Option<Mutex<Option<Checkpoint>>>,
}

impl Tree {
    pub(super) fn new(store: Arc<dyn Store>, name: &str) -> Tree {
        Tree {
            store,
            name: name.into(),
            own: None,
        }
    }

    /// Returns the same tree with a new head, which is at no checkpoint yet.
    pub(super) fn with_new_head(&self) -> Tree {
        Tree {
            store: self.store.clone(),
            name: self.name.clone(),
            own: Some(Mutex::default()),
        }
    }

    /// Returns the head, if there is one.
    pub(super) async fn head(&self) -> Result<Option<Checkpoint>, Trouble> {
        match self.own().await {
            Some(own) => Ok(own.clone()),
            None => Ok(self.with_head().await?.1),
        }
    }

    /// Returns the checkpoint `id`, if it exists and was not pruned.
    pub(super) async fn find(&self, id: &str) -> Result<Option<Checkpoint>, Trouble> {
        let own = self.own().await;
        let (list, _) = self.list().await?;
        self.seen(own.as_deref(), &list, id).await
    }

    /// Returns the head if it has this state; otherwise the newest checkpoint with this state that a host got; otherwise
    /// the head.
    pub(super) async fn with_state(&self, state: &str) -> Result<Option<Checkpoint>, Trouble> {
        let (list, mut head) = self.with_head().await?;
        if let Some(own) = self.own().await {
            head.clone_from(&own);
        }
        if head.as_ref().is_none_or(|head| *head.state == *state) {
            return Ok(head);
        }
        let digest = Some(digest(state));
        for row in list.kept.iter().rev().filter(|row| row.told == digest) {
            let found = self.read(row).await?;
            if found.as_ref().is_some_and(|found| *found.state == *state) {
                return Ok(found);
            }
        }
        Ok(head)
    }

    /// Adds a checkpoint, makes it the head, and prunes the oldest beyond the limits.
    pub(super) async fn add(&self, new: Checkpoint, limits: Limits) -> Result<(), Trouble> {
        let mut own = self.own().await;
        let row = self.write(&new).await?;
        let pruned = loop {
            let (mut list, version) = self.list().await?;
            list.head = Some(new.id.clone());
            list.kept.push(row.clone());
            let pruned = list.prune(limits);
            if self.swap(&list, version).await? {
                break pruned;
            }
        };
        for row in &pruned {
            self.delete(row).await;
        }
        if let Some(own) = &mut own {
            **own = Some(new);
        }
        Ok(())
    }

    /// Makes the checkpoint `id` the head, unless something on the way cannot be undone.
    pub(super) async fn roll_back(&self, id: &str) -> Result<RolledBack, Trouble> {
        let mut own = self.own().await;
        loop {
            let (mut list, version) = self.list().await?;
            let Some(target) = self.seen(own.as_deref(), &list, id).await? else {
                return Ok(RolledBack::Nowhere);
            };
            let head = match (&own, &list.head) {
                (Some(own), _) => (**own).clone(),
                (None, Some(head)) => self.seen(None, &list, head).await?,
                (None, None) => None,
            };
            if let Some(head) = head
                && let Some(barrier) = &head.barrier
            {
                // A rollback asks for something to be undone, even if it names the head itself.
                let stays = head.id == target.id && head.irreversible().is_some();
                let is_below = || self.is_below(own.as_deref(), &list, &target, barrier);
                if stays || !is_below().await? {
                    return Ok(RolledBack::Barred(barrier.reason.clone()));
                }
            }
            let moved = match &mut own {
                Some(own) => {
                    **own = Some(target.clone());
                    true
                }
                None => {
                    list.head = Some(target.id.clone());
                    self.swap(&list, version).await?
                }
            };
            if moved {
                return Ok(RolledBack::To(target));
            }
        }
    }

    /// Whether `place` is the checkpoint of a barrier, or a descendant of it.
    ///
    /// Other checkpoints between the two may be impossible to undo too; each names the next. If one of them was pruned,
    /// the answer is unknown and counts as no.
    async fn is_below(
        &self,
        own: Option<&Option<Checkpoint>>,
        list: &List,
        place: &Checkpoint,
        above: &Barrier,
    ) -> Result<bool, Trouble> {
        let mut place = place.clone();
        while let Some(barrier) = place.barrier {
            if barrier.checkpoint == above.checkpoint {
                return Ok(true);
            }
            let before = self.seen(own, list, &barrier.checkpoint).await?;
            let Some(before) = before.and_then(|one| one.parent) else {
                return Ok(false);
            };
            let Some(next) = self.seen(own, list, &before).await? else {
                return Ok(false);
            };
            place = next;
        }
        Ok(false)
    }

    async fn own(&self) -> Option<MutexGuard<'_, Option<Checkpoint>>> {
        match &self.own {
            Some(own) => Some(own.lock().await),
            None => None,
        }
    }

    /// Returns the checkpoint `id`: the connection's head, or one of the list.
    async fn seen(
        &self,
        own: Option<&Option<Checkpoint>>,
        list: &List,
        id: &str,
    ) -> Result<Option<Checkpoint>, Trouble> {
        if let Some(Some(head)) = own
            && *head.id == *id
        {
            return Ok(Some(head.clone()));
        }
        match list.kept.iter().find(|row| *row.id == *id) {
            Some(row) => self.read(row).await,
            None => Ok(None),
        }
    }

    /// Returns the list and the head of the tree.
    async fn with_head(&self) -> Result<(List, Option<Checkpoint>), Trouble> {
        let mut before = None;
        loop {
            let (list, version) = self.list().await?;
            let head = match &list.head {
                Some(head) => self.seen(None, &list, head).await?,
                None => None,
            };
            // Another connection may have pruned it since the list was read; the list is then another one.
            if head.is_some() || list.head.is_none() || version == before {
                return Ok((list, head));
            }
            before = version;
        }
    }

    async fn list(&self) -> Result<(List, Option<EntryVersion>), Trouble> {
        match self.store.load(&self.key("")).await? {
            Some(stored) => {
                let list = serde_json::from_slice(stored.bytes.as_slice())?;
                Ok((list, Some(stored.version)))
            }
            None => Ok((List::default(), None)),
        }
    }

    /// Replaces the list of this version. Returns `false` if it has another version by now.
    async fn swap(&self, list: &List, version: Option<EntryVersion>) -> Result<bool, Trouble> {
        let bytes = serde_json::to_vec(list)?;
        let key = self.key("");
        let swap = self
            .store
            .compare_and_swap(&key, version, bytes[..].into(), LIFE);
        Ok(matches!(swap.await?, Swap::Done(_)))
    }

    async fn write(&self, checkpoint: &Checkpoint) -> Result<Row, Trouble> {
        let bytes = checkpoint.written()?;
        let mut row = Row {
            id: checkpoint.id.clone(),
            size: checkpoint.state.len(),
            pieces: 0,
            told: checkpoint.told.then(|| digest(&checkpoint.state)),
        };
        for piece in bytes.chunks(LARGEST_VALUE) {
            let key = self.piece(&row, row.pieces);
            let swap = self.store.compare_and_swap(&key, None, piece.into(), LIFE);
            if let Swap::Conflict(_) = swap.await? {
                return Err(format!("there is a checkpoint `{}` already", row.id).into());
            }
            row.pieces += 1;
        }
        Ok(row)
    }

    /// Returns `None` if an entry is gone, because the checkpoint was pruned or its time is up.
    async fn read(&self, row: &Row) -> Result<Option<Checkpoint>, Trouble> {
        let mut bytes = Vec::new();
        for piece in 0..row.pieces {
            match self.store.load(&self.piece(row, piece)).await? {
                Some(stored) => bytes.extend_from_slice(stored.bytes.as_slice()),
                None => return Ok(None),
            }
        }
        Checkpoint::read(&bytes).map(Some)
    }

    async fn delete(&self, row: &Row) {
        for piece in 0..row.pieces {
            if let Err(error) = self.store.delete(&self.piece(row, piece), None).await {
                tracing::warn!(
                    target: "hooks_sdk::mcpl",
                    %error, "an entry of a pruned checkpoint stays in the store until its time is up"
                );
            }
        }
    }

    fn piece(&self, row: &Row, piece: usize) -> Key {
        self.key(&format!("{}:{piece}", row.id))
    }

    /// Returns the key of an entry. The length of the tree's name keeps trees of one store apart.
    fn key(&self, entry: &str) -> Key {
        let (name, length) = (&self.name, self.name.len());
        Key::new(format!("mcpl:{length}:{name}:{entry}").as_bytes())
    }
}

debugs!(Tree { name });

/// Returns the first bytes of a state's SHA-256.
fn digest(state: &str) -> u64 {
    let mut first = [0; 8];
    first.copy_from_slice(&Sha256::digest(state)[..8]);
    u64::from_be_bytes(first)
}
