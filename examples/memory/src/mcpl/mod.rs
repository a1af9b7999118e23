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

use std::sync::{Arc, OnceLock};

use hooks_sdk::mcpl::{Call, Checkpoints, checkpoints::Json};
use tokio::sync::{Notify, OnceCell};

pub(crate) use consolidation::{Merged, Unmerged};
pub(crate) use notes::Note;
pub use sets::{Consolidation, Extraction, NoteKeeping, Proactive, Retrieval};

pub use crate::store::CONVERSATIONS;

/// What the server keeps in memory for its MCPL side, of all connections.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    /// The hosts' conversations, each under the name of whose it is.
    conversations: Arc<conversations::Conversations>,
    /// Notified when a reminder was made.
    reminded: Notify,
    /// The notes of all conversations, once they were needed.
    notes: OnceCell<Checkpoints<Json<notes::Notes>>>,
    /// The notes of plain MCP clients without a user, once they were needed.
    shared_notes: OnceCell<Checkpoints<Json<notes::Notes>>>,
}

/// What the server keeps in memory for one connection of a host. Over HTTP a server has many connections.
#[derive(Debug, Default)]
pub(crate) struct OfConnection {
    /// What the agent last asked for.
    asked: asked::Asked,
    /// The merging that the agent asked for.
    merges: merges::Merges,
    /// The notes of the connection's conversation, once they were needed.
    notes: OnceLock<Checkpoints<Json<notes::Notes>>>,
}

/// Keeps what the agent asks for. Only a host of MCPL is ever given what that is about.
pub(crate) fn asks(call: &Call, ask: impl FnOnce(&asked::Asked)) {
    if let Some(connection) = call.host().connection_data::<OfConnection>() {
        ask(&connection.asked);
    }
}
