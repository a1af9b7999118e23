//! What the server sends beside its answers. One function decides about it, whatever transport it leaves by.

#[cfg(feature = "http")]
use std::sync::Arc;

use rmcp::{
    RoleServer,
    model::{JsonRpcMessage, ServerNotification},
    service::TxJsonRpcMessage,
};

use super::marks;
#[cfg(feature = "http")]
use super::{Post, marks::TASKS, message::has_method};
use crate::server::connection::Connection;
#[cfg(feature = "http")]
use crate::server::pipeline::Pipeline;

/// What is sent in place of a message.
#[cfg_attr(
    not(any(feature = "aos", feature = "http")),
    expect(dead_code, reason = "only these replace messages")
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

/// What the transport of HTTP sends to clients without a session of the SDK: texts that rmcp has written.
#[cfg(feature = "http")]
#[derive(Clone, Debug)]
pub(crate) struct Outgoing {
    /// It belongs to no client, and holds the middleware of the server.
    connection: Arc<Connection>,
    post: Arc<Post>,
}

#[cfg(feature = "http")]
impl Outgoing {
    pub(in crate::server) fn of(pipeline: &Pipeline) -> Outgoing {
        let connection = Connection::new(None);
        connection.reaches(pipeline);
        Outgoing {
            connection,
            post: Arc::default(),
        }
    }

    /// Returns what is sent in answer to this request.
    pub(crate) fn to(&self, post: Arc<Post>) -> Outgoing {
        Outgoing {
            connection: self.connection.clone(),
            post,
        }
    }

    /// Returns whether a text may be a request or a notification of the server about which nobody has decided.
    pub(crate) fn concerns(&self, text: &[u8]) -> bool {
        use std::sync::LazyLock;

        use memchr::memmem::Finder;
        static METHOD: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("\"method\":"));
        // The transport of a session has decided.
        !self.post.has_session.is_set() && METHOD.find(text).is_some()
    }

    /// Returns whether a message that begins with these bytes, and that is too long to be read, must not leave.
    pub(crate) fn drops(&self, beginning: &[u8]) -> bool {
        self.concerns(beginning)
            && has_method(beginning)
            && (self.is_judged() || memchr::memmem::find(beginning, TASKS.as_bytes()).is_some())
    }

    /// Returns what is sent in place of a text, or `None` if it is an answer.
    pub(crate) fn sends(&self, text: &[u8]) -> Option<Replacement> {
        if !self.concerns(text) || !has_method(text) {
            return None;
        }
        let Ok(mut message) = serde_json::from_slice::<TxJsonRpcMessage<RoleServer>>(text) else {
            let is_judged = self.is_judged();
            if is_judged {
                tracing::error!(
                    target: "hooks_sdk::server",
                    "a message is not sent: it cannot be read again"
                );
            }
            return Some(if is_judged {
                Replacement::Nothing
            } else {
                Replacement::AsItIs
            });
        };
        if let JsonRpcMessage::Notification(notification) = &message
            && let ServerNotification::ProgressNotification(progress) = &notification.notification
        {
            let token = &progress.params.progress_token;
            self.post.clocks.progressed(token);
        }
        let before = serde_json::to_vec(&message).unwrap_or_default();
        let Some(leaving) = self.connection.leaves(&mut message) else {
            return Some(Replacement::Nothing);
        };
        leaving.begins();
        leaving.ended();
        let after = serde_json::to_vec(&message).unwrap_or_default();
        // rmcp may read a message with fewer members than its author wrote.
        let changed = (before != after).then_some(after);
        let cleaned = self.connection.cleaner();
        let cleaned = cleaned.and_then(|cleaner| cleaner.text(changed.as_deref().unwrap_or(text)));
        Some(
            cleaned
                .or(changed)
                .map_or(Replacement::AsItIs, Replacement::As),
        )
    }

    /// Returns whether a middleware may withhold or clean a message.
    fn is_judged(&self) -> bool {
        let cleaner = self.connection.cleaner();
        self.connection.judges_messages() || cleaner.is_some_and(|each| each.is_at_work())
    }
}
