//! What the memory is to a host of MCPL: it reminds the model before a turn, learns after it, merges what belongs
//! together, and speaks up when something is due.
//!
//! None of it needs an open session. The session machine is about what the *agent* calls first; here the *host* asks,
//! at moments of its own, and also when no agent has said a word. What the host may not have it disables by feature set.

mod asked;
mod consolidation;
mod conversations;
mod extraction;
mod merges;
mod notes;
mod own_words;
mod proactive;
mod retrieval;
mod sets;

use std::sync::Arc;

use hooks_sdk::mcpl::{Checkpoints, checkpoints::Json};
use tokio::sync::{Notify, OnceCell};

pub(crate) use consolidation::{Merged, Unmerged};
pub(crate) use notes::Note;
pub use sets::{Consolidation, Extraction, NoteKeeping, Proactive, Retrieval};

pub use crate::store::CONVERSATIONS;

/// What the server keeps in memory for its MCPL side.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    /// What the agent last asked for.
    pub(crate) asked: asked::Asked,
    /// The host's conversations.
    conversations: Arc<conversations::Conversations>,
    /// The merging that the agent asked for.
    merges: merges::Merges,
    /// Notified when a reminder was made.
    reminded: Notify,
    /// The notes of this connection's conversation, once they were needed.
    notes: OnceCell<Checkpoints<Json<notes::Notes>>>,
    /// The notes of plain MCP clients, once they were needed.
    shared_notes: OnceCell<Checkpoints<Json<notes::Notes>>>,
}
