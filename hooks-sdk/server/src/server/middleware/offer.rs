//! Offers the hooks of a server that no client has installed: one sentence in the handshake, or in the first result.

use rmcp::model::{CallToolResponse, ContentBlock};

use crate::server::{
    connection::Flag,
    pipeline::{Handshake, McpAnswer, McpResponse},
};
use hooks_core::internal::debugs;

/// Makes the sentence for the name that a client gives itself.
type Sentence = dyn Fn(Option<&str>) -> String + Send + Sync;

/// The offer to one process's client: in the instructions of a handshake. Without a handshake, the first result of a tool has it.
pub(crate) struct Offer {
    pub(crate) sentence: Box<Sentence>,
    pub(crate) is_made: Flag,
}

debugs!(Offer { is_made });

impl Offer {
    /// Adds the offer to the instructions of a handshake.
    pub(crate) fn greet(&self, handshake: &mut Handshake) {
        if handshake.is_restored {
            return;
        }
        let sentence = (self.sentence)(handshake.client_name.as_deref());
        // A client that asks twice gets the same answer twice.
        self.is_made.set();
        handshake.is_private = true;
        handshake.instructions = Some(match handshake.instructions.take() {
            Some(text) => format!("{text}\n\n{sentence}"),
            None => sentence,
        });
    }

    /// Adds the offer to the first result of a tool, if no handshake had it.
    pub(crate) fn after(&self, answer: &mut McpAnswer) {
        if let Ok(McpResponse::CallTool(CallToolResponse::Complete(result))) = answer
            && result.is_error != Some(true)
            && !self.is_made.swap()
        {
            result
                .content
                .push(ContentBlock::text((self.sentence)(None)));
        }
    }
}
