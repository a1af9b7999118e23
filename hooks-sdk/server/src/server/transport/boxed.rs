//! A transport whose type is not known.

use std::error::Error as StdError;

use futures::{FutureExt, TryFutureExt, future::BoxFuture};
use rmcp::{
    RoleServer,
    model::{ClientJsonRpcMessage, ServerJsonRpcMessage},
    transport::Transport,
};
use thiserror::Error;

/// A transport whose type is not known: rmcp's loop is then compiled once, and not in the crate of each author.
pub(crate) struct BoxedTransport(Box<dyn DynTransport>);

/// The error of a transport whose type is not known.
#[derive(Debug, Error)]
#[error(transparent)]
pub(crate) struct TransportError(Box<dyn StdError + Send + Sync>);

/// What rmcp's loop asks of a transport, without its type.
trait DynTransport: Send {
    fn send(
        &mut self,
        item: ServerJsonRpcMessage,
    ) -> BoxFuture<'static, Result<(), TransportError>>;

    fn receive(&mut self) -> BoxFuture<'_, Option<ClientJsonRpcMessage>>;

    fn close(&mut self) -> BoxFuture<'_, Result<(), TransportError>>;
}

impl<T: Transport<RoleServer>> DynTransport for T {
    fn send(
        &mut self,
        item: ServerJsonRpcMessage,
    ) -> BoxFuture<'static, Result<(), TransportError>> {
        Transport::send(self, item)
            .map_err(|error| TransportError(error.into()))
            .boxed()
    }

    fn receive(&mut self) -> BoxFuture<'_, Option<ClientJsonRpcMessage>> {
        Transport::receive(self).boxed()
    }

    fn close(&mut self) -> BoxFuture<'_, Result<(), TransportError>> {
        Transport::close(self)
            .map_err(|error| TransportError(error.into()))
            .boxed()
    }
}

impl BoxedTransport {
    pub(crate) fn new(transport: impl Transport<RoleServer> + 'static) -> BoxedTransport {
        BoxedTransport(Box::new(transport))
    }
}

impl Transport<RoleServer> for BoxedTransport {
    type Error = TransportError;

    fn send(
        &mut self,
        item: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), TransportError>> + Send + 'static {
        self.0.send(item)
    }

    fn receive(&mut self) -> impl Future<Output = Option<ClientJsonRpcMessage>> + Send {
        self.0.receive()
    }

    fn close(&mut self) -> impl Future<Output = Result<(), TransportError>> + Send {
        self.0.close()
    }
}
