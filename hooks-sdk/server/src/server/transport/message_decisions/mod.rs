//! Decisions about whole messages: a middleware, such as the guardian of AOS, decides about each message before the server
//! handles it, and before it is sent.
//!
//! `decision` says what is decided, and about what. The streams keep a message in `pending_messages` or `sending` until then.
//! The endpoint of HTTP has its part in `http/endpoint/guarded.rs`. Without the feature `guardian-local` there is no such middleware.

mod decision;
pub(crate) mod pending_messages;
pub(crate) mod sending;

#[cfg(feature = "guardian-local")]
pub(crate) use crate::server::middleware::aos::MessageFilter;
#[cfg(feature = "guardian-local")]
pub(crate) use decision::MessageEnvelope;
pub(crate) use decision::{MessageAction, MessageDirection, PassedTransport};

/// The middleware that decides about whole messages.
#[cfg(not(feature = "guardian-local"))]
#[derive(Clone, Debug)]
pub(crate) enum MessageFilter {}

#[cfg(not(feature = "guardian-local"))]
impl MessageFilter {
    pub(crate) fn decides(&self, _: MessageDirection) -> bool {
        match *self {}
    }

    pub(crate) async fn decide(
        &self,
        _: MessageDirection,
        _: rmcp::model::JsonObject,
        _: &[u8],
    ) -> MessageAction {
        match *self {}
    }
}
