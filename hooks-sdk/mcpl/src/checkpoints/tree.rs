//! The rules of a tree, for any store: what a checkpoint is, and which rollbacks are possible.

use std::{error::Error as StdError, fmt, sync::Arc};

/// Why a tree could not be read or written.
pub(super) type Trouble = Box<dyn StdError + Send + Sync>;

/// One saved state with its parent.
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_structs, reason = "authors' stores make it")]
pub struct Checkpoint {
    /// The name, unique in its tree.
    pub id: Arc<str>,
    /// The parent, which may have been pruned since.
    pub parent: Option<Arc<str>>,
    /// The state as JSON.
    pub state: Arc<str>,
    /// Whether the host got the state, and not only the name of the checkpoint.
    pub told: bool,
    /// The nearest checkpoint that cannot be undone: this one or an ancestor.
    pub barrier: Option<Barrier>,
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
#[expect(clippy::exhaustive_structs, reason = "authors' stores make it")]
pub struct Barrier {
    /// The name of the checkpoint.
    pub checkpoint: Arc<str>,
    /// Why it cannot be undone.
    pub reason: Arc<str>,
}

/// How much a tree keeps.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Limits {
    /// The most checkpoints.
    pub keep: usize,
    /// The most bytes of all states together.
    pub total: usize,
    /// The most bytes of one state, which the SDK has checked.
    pub state: usize,
}

/// A database of trees of checkpoints, for servers that have one of their own:
/// [`Checkpoints::in_store`](super::Checkpoints::in_store).
pub trait CheckpointStore: fmt::Debug + Send + Sync + 'static {
    /// Runs `work` once with the tree called `tree`, in one transaction, and commits it if `work` succeeds.
    ///
    /// With `writes`, nobody else writes the tree meanwhile. The call may block: the SDK makes it on a thread for
    /// blocking work, inside its Tokio runtime.
    ///
    /// # Errors
    ///
    /// The error of `work`, or why the database failed. Nothing was changed then.
    fn work(
        &self,
        tree: &str,
        writes: bool,
        work: &mut dyn FnMut(&mut dyn Tree) -> Result<(), Trouble>,
    ) -> Result<(), Trouble>;
}

/// Stores the checkpoints of one tree. All operations on one value happen in one transaction.
pub trait Tree {
    /// Returns the head: the checkpoint of the last [`add`](Tree::add) or [`move_head`](Tree::move_head).
    ///
    /// # Errors
    ///
    /// The database failed.
    fn head(&mut self) -> Result<Option<Checkpoint>, Trouble>;

    /// Returns the checkpoint `id`, if it exists and was not pruned.
    ///
    /// # Errors
    ///
    /// The database failed.
    fn find(&mut self, id: &str) -> Result<Option<Checkpoint>, Trouble>;

    /// Returns the newest checkpoint whose state is this text and was sent to a host.
    ///
    /// # Errors
    ///
    /// The database failed.
    fn with_state(&mut self, state: &str) -> Result<Option<Checkpoint>, Trouble>;

    /// Adds a checkpoint, makes it the head, and prunes the oldest beyond the limits.
    ///
    /// # Errors
    ///
    /// The database failed.
    fn add(&mut self, checkpoint: Checkpoint, limits: Limits) -> Result<(), Trouble>;

    /// Makes an existing checkpoint the head.
    ///
    /// # Errors
    ///
    /// The database failed.
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
