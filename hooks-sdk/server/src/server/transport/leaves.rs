//! What the server sends. One function decides about it, whatever transport it leaves by.

use rmcp::{
    RoleServer,
    model::{JsonRpcMessage, ServerNotification},
    service::TxJsonRpcMessage,
};

use super::marks;
use crate::server::connection::Connection;

/// What is sent in place of a message.
#[cfg_attr(
    not(feature = "aos"),
    expect(dead_code, reason = "only the guardian replaces messages")
)]
pub(crate) enum Replacement {
    AsItIs,
    As(Vec<u8>),
    Nothing,
}

/// What MCPL does when a message is sent.
pub(crate) struct OnSent {
    #[cfg(feature = "mcpl")]
    mcpl: Option<crate::server::middleware::mcpl::AnswerLeaves>,
}

impl OnSent {
    /// Call this when the message is about to be sent.
    pub(crate) fn begins(&self) {
        #[cfg(feature = "mcpl")]
        if let Some(mcpl) = &self.mcpl {
            mcpl.begins();
        }
    }

    /// Call this when the message is sent, or cannot be sent any more.
    pub(crate) fn ended(self) {
        #[cfg(feature = "mcpl")]
        if let Some(mcpl) = self.mcpl {
            mcpl.ended();
        }
    }
}

impl Connection {
    /// Corrects a message before it is sent. Returns what depends on the sending, or `None` if the message must not leave.
    pub(in crate::server) fn leaves(
        &self,
        message: &mut TxJsonRpcMessage<RoleServer>,
    ) -> Option<OnSent> {
        if let JsonRpcMessage::Notification(notification) = &*message
            && let ServerNotification::ProgressNotification(progress) = &notification.notification
        {
            self.progressed(&progress.params.progress_token);
        }
        self.clocks.sends(message);
        marks::of_notification(message, self.withholds_tasks());
        if !self.may_leave(message) {
            return None;
        }
        Some(OnSent {
            #[cfg(feature = "mcpl")]
            mcpl: self.outbound(message),
        })
    }
}
