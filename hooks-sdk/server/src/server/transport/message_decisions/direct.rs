//! The direct path of messages: without the feature `aos` nobody decides about them.

use std::future::pending;

use rmcp::{
    ErrorData, RoleServer,
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
};

pub(in crate::server::transport) use crate::server::transport::leaves::Replacement;
use crate::server::{
    connection::Connection,
    transport::{
        WireTransport,
        load::Bounds,
        message::{Id, Malformed},
    },
};

/// The middleware that decides about whole messages. There is none.
#[derive(Clone, Debug)]
pub(crate) enum MessageFilter {}

impl MessageFilter {
    /// Returns whether it decides about the messages of clients.
    pub(crate) fn decides_inbound(&self) -> bool {
        match *self {}
    }
}

/// The messages that wait for a decision. There are none.
#[derive(Debug)]
pub(in crate::server::transport) struct PendingMessages {
    pub(in crate::server::transport) is_used: bool,
}

/// What becomes of a line.
#[expect(dead_code, reason = "without a decision every line is free")]
pub(in crate::server::transport) enum Intake {
    Free,
    Now(Vec<u8>),
    Waits,
    Unreadable,
}

/// What happened to a message that waited.
pub(in crate::server::transport) enum Event {}

/// A message that is about to be sent and waits for a decision.
pub(in crate::server::transport) enum Sending {}

impl PendingMessages {
    pub(in crate::server::transport) fn new() -> (PendingMessages, SendingOrder) {
        (PendingMessages { is_used: false }, SendingOrder)
    }

    pub(in crate::server::transport) fn begin(&mut self, _: &[u8], _: &Connection) -> Intake {
        Intake::Free
    }

    pub(in crate::server::transport) fn is_idle(&self) -> bool {
        true
    }

    pub(in crate::server::transport) fn is_full(&self, _: Bounds) -> bool {
        false
    }

    pub(in crate::server::transport) async fn next(&mut self) -> Event {
        pending().await
    }
}

/// The order in which messages leave. Nobody decides about them.
#[derive(Debug)]
pub(in crate::server::transport) struct SendingOrder;

impl SendingOrder {
    pub(in crate::server::transport) fn sends(
        &self,
        _: &TxJsonRpcMessage<RoleServer>,
        _: &Connection,
    ) -> Option<Sending> {
        None
    }
}

impl Sending {
    pub(in crate::server::transport) async fn decide(&self, _: &[u8]) -> Replacement {
        match *self {}
    }
}

impl WireTransport {
    pub(in crate::server::transport) fn happened(
        &mut self,
        event: Event,
    ) -> Option<RxJsonRpcMessage<RoleServer>> {
        match event {}
    }

    pub(in crate::server::transport) fn unreadable(&self, line: &[u8]) -> Malformed {
        Malformed {
            error: ErrorData::invalid_request("the message cannot be read", None),
            id: Id::on(line),
        }
    }

    pub(in crate::server::transport) fn give_up_asking(&mut self) {}
}

#[cfg(feature = "http")]
pub(in crate::server::transport) fn refused(event: Event) -> Option<Vec<u8>> {
    match event {}
}

/// Returns the message as it is: no middleware asks whether it passed a transport.
pub(in crate::server::transport) fn seen(
    message: RxJsonRpcMessage<RoleServer>,
) -> RxJsonRpcMessage<RoleServer> {
    message
}
