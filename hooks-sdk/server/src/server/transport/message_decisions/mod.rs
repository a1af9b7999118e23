//! Decisions about whole messages: a middleware, such as the guardian of AOS, decides about each message before the server
//! handles it, and before it is sent.
//!
//! `decision` says what is decided, and about what. The streams keep a message in `pending_messages` or `sending` until then,
//! and `decided` is what follows. The transport of HTTP has its part in `http/transport/filtering.rs`.
//!
//! All of this is compiled with the feature `aos` only. Without it each message takes the direct path of `direct`.

#[cfg(feature = "aos")]
pub(in crate::server::transport) mod decided;
#[cfg(feature = "aos")]
mod decision;
#[cfg(not(feature = "aos"))]
pub(in crate::server::transport) mod direct;
#[cfg(feature = "aos")]
pub(in crate::server::transport) mod pending_messages;
#[cfg(feature = "aos")]
pub(in crate::server::transport) mod sending;

#[cfg(feature = "aos")]
pub(crate) use decision::{
    MessageAction, MessageDirection, MessageEnvelope, MessageFilter, PassedTransport,
};
#[cfg(not(feature = "aos"))]
pub(crate) use direct::MessageFilter;
#[cfg(not(feature = "aos"))]
pub(in crate::server::transport) use {
    direct as decided, direct as pending_messages, direct as sending,
};
