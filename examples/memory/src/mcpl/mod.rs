//! What the memory is to a host of MCPL: it reminds the model before a turn, learns after it, merges what belongs
//! together, and speaks up when something is due.
//!
//! None of it needs an open session. The session machine is about what the *agent* calls first; here the *host* asks,
//! at moments of its own, and also when no agent has said a word. What the host may not have it disables by feature set.

mod consolidation;
mod extraction;
mod notes;
mod proactive;
mod retrieval;
mod secrets;
mod sets;

use std::sync::atomic::AtomicUsize;

use hooks_sdk::mcpl::{Checkpoints, Json};
use tokio::sync::{Notify, OnceCell};

pub(crate) use consolidation::Merged;
pub(crate) use notes::Note;
pub use sets::{Consolidation, Extraction, NoteKeeping, Proactive, Retrieval};

/// The project of what is learned from turns: a host of MCPL names conversations, and no projects.
pub const CONVERSATIONS: &str = "conversations";

/// What the server keeps in memory for its MCPL side.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    /// Memories that were learned since they were last looked through.
    learned: AtomicUsize,
    /// Notified when a reminder was made.
    reminded: Notify,
    /// The notes, once they were needed.
    notes: OnceCell<Checkpoints<Json<notes::Notes>>>,
}
