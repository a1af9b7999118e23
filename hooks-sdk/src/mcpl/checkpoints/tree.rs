//! The rules of a tree, for any store: what a checkpoint is, and which rollbacks are possible.

use std::{error::Error as StdError, sync::Arc};

/// Why a tree could not be read or written.
pub(super) type Trouble = Box<dyn StdError + Send + Sync>;

/// One saved state with its parent.
#[derive(Clone, Debug)]
pub(super) struct Checkpoint {
    pub(super) id: Arc<str>,
    /// The parent may have been pruned since.
    pub(super) parent: Option<Arc<str>>,
    /// The state as JSON.
    pub(super) state: Arc<str>,
    /// Whether the host got the state, and not only the name of the checkpoint.
    pub(super) told: bool,
    /// The nearest checkpoint that cannot be undone: this one or an ancestor.
    pub(super) barrier: Option<Barrier>,
}

impl Checkpoint {
    /// Returns why this checkpoint itself cannot be undone.
    fn irreversible(&self) -> Option<&Barrier> {
        self.barrier
            .as_ref()
            .filter(|barrier| barrier.checkpoint == self.id)
    }
}

/// A checkpoint that cannot be undone.
#[derive(Clone, Debug)]
pub(super) struct Barrier {
    pub(super) checkpoint: Arc<str>,
    pub(super) reason: Arc<str>,
}

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

/// Stores the checkpoints of one tree. All operations on one value happen in one transaction.
pub(super) trait Tree {
    fn head(&mut self) -> Result<Option<Checkpoint>, Trouble>;

    fn find(&mut self, id: &str) -> Result<Option<Checkpoint>, Trouble>;

    /// Returns the newest checkpoint whose state is this text and was sent to a host.
    fn with_state(&mut self, state: &str) -> Result<Option<Checkpoint>, Trouble>;

    /// Adds a checkpoint, makes it the head, and prunes the oldest beyond the limits.
    fn add(&mut self, checkpoint: Checkpoint, limits: Limits) -> Result<(), Trouble>;

    /// Makes an existing checkpoint the head.
    fn move_head(&mut self, id: &str) -> Result<(), Trouble>;
}

/// The outcome of a rollback.
#[derive(Debug)]
pub(super) enum RolledBack {
    To(Checkpoint),
    Nowhere,
    Barred(Arc<str>),
}

/// Makes the checkpoint `id` the head, unless something on the way cannot be undone.
pub(super) fn roll_back(tree: &mut dyn Tree, id: &str) -> Result<RolledBack, Trouble> {
    let Some(target) = tree.find(id)? else {
        return Ok(RolledBack::Nowhere);
    };
    if let Some(head) = tree.head()?
        && let Some(barrier) = &head.barrier
    {
        // A rollback asks for something to be undone, even if it names the head itself.
        let stays = head.id == target.id && head.irreversible().is_some();
        if stays || !is_below(tree, &target, &barrier.checkpoint)? {
            return Ok(RolledBack::Barred(barrier.reason.clone()));
        }
    }
    tree.move_head(id)?;
    Ok(RolledBack::To(target))
}

/// Whether `place` is the checkpoint `above`, which cannot be undone, or a descendant of it.
///
/// Other checkpoints between the two may be impossible to undo too; each names the next. If one of them was pruned, the
/// answer is unknown and counts as no.
fn is_below(tree: &mut dyn Tree, place: &Checkpoint, above: &str) -> Result<bool, Trouble> {
    let mut place = place.clone();
    while let Some(barrier) = place.barrier {
        if *barrier.checkpoint == *above {
            return Ok(true);
        }
        let before = tree.find(&barrier.checkpoint)?.and_then(|one| one.parent);
        let Some(next) = before
            .map(|before| tree.find(&before))
            .transpose()?
            .flatten()
        else {
            return Ok(false);
        };
        place = next;
    }
    Ok(false)
}
