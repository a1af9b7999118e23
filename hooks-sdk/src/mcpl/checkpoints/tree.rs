//! The rules of a tree, whatever keeps it: what a checkpoint is, and where one may roll back to.

use std::{error::Error as StdError, sync::Arc};

/// Why a tree could not be read or written.
pub(super) type Trouble = Box<dyn StdError + Send + Sync>;

/// One saved state, and where it comes from.
#[derive(Clone, Debug)]
pub(super) struct Checkpoint {
    pub(super) id: Arc<str>,
    /// It may have been pruned since.
    pub(super) parent: Option<Arc<str>>,
    /// JSON.
    pub(super) state: Arc<str>,
    /// Whether the host was told its state, and not only its name.
    pub(super) told: bool,
    /// The nearest that cannot be undone, from here upwards.
    pub(super) barrier: Option<Barrier>,
}

impl Checkpoint {
    /// Why this very checkpoint cannot be undone.
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

/// How much is kept.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// This many checkpoints.
    pub(super) keep: usize,
    /// States of this many bytes together.
    pub(super) total: usize,
    /// One state of this many bytes.
    pub(super) state: usize,
}

/// What keeps the checkpoints of one tree. Everything done with one value of it is done at once, or not at all.
pub(super) trait Tree {
    fn head(&mut self) -> Result<Option<Checkpoint>, Trouble>;

    fn find(&mut self, id: &str) -> Result<Option<Checkpoint>, Trouble>;

    /// The newest whose state is this text, and was told a host.
    fn with_state(&mut self, state: &str) -> Result<Option<Checkpoint>, Trouble>;

    /// Adds the newest, which becomes the head, and prunes the oldest beyond the limits.
    fn add(&mut self, checkpoint: Checkpoint, limits: Limits) -> Result<(), Trouble>;

    /// Makes a checkpoint the head that is there.
    fn move_head(&mut self, id: &str) -> Result<(), Trouble>;
}

/// What came of a rollback.
#[derive(Debug)]
pub(super) enum RolledBack {
    To(Checkpoint),
    Nowhere,
    Barred(Arc<str>),
}

/// Makes the checkpoint `id` the head, unless something on the way there cannot be undone.
pub(super) fn roll_back(tree: &mut dyn Tree, id: &str) -> Result<RolledBack, Trouble> {
    let Some(target) = tree.find(id)? else {
        return Ok(RolledBack::Nowhere);
    };
    if let Some(head) = tree.head()?
        && let Some(barrier) = &head.barrier
    {
        // Whoever asks to roll back wants something undone, also where the head itself is named.
        let stays = head.id == target.id && head.irreversible().is_some();
        if stays || !is_below(tree, &target, &barrier.checkpoint)? {
            return Ok(RolledBack::Barred(barrier.reason.clone()));
        }
    }
    tree.move_head(id)?;
    Ok(RolledBack::To(target))
}

/// Whether `place` is the checkpoint `above`, which cannot be undone, or comes after it.
///
/// Between the two there may be others that cannot be undone, and each tells the next. Where one of them was pruned
/// nothing is known, and that counts as no.
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
