//! A transport whose type is not known.

use std::io;

use futures::{FutureExt, TryFutureExt, future::BoxFuture};
use rmcp::{
    RoleServer,
    model::{ClientJsonRpcMessage, ServerJsonRpcMessage},
    transport::Transport,
};

/// A transport whose type is not known: rmcp's loop is then compiled once, and not in the crate of each author.
pub(crate) struct BoxedTransport(Box<dyn DynTransport>);

/// What rmcp's loop asks of a transport, without its type.
trait DynTransport: Send {
    fn send(&mut self, item: ServerJsonRpcMessage) -> BoxFuture<'static, io::Result<()>>;

    fn receive(&mut self) -> BoxFuture<'_, Option<ClientJsonRpcMessage>>;

    fn close(&mut self) -> BoxFuture<'_, io::Result<()>>;
}

impl<T: Transport<RoleServer>> DynTransport for T {
    fn send(&mut self, item: ServerJsonRpcMessage) -> BoxFuture<'static, io::Result<()>> {
        Transport::send(self, item)
            .map_err(io::Error::other)
            .boxed()
    }

    fn receive(&mut self) -> BoxFuture<'_, Option<ClientJsonRpcMessage>> {
        Transport::receive(self).boxed()
    }

    fn close(&mut self) -> BoxFuture<'_, io::Result<()>> {
        Transport::close(self).map_err(io::Error::other).boxed()
    }
}

impl BoxedTransport {
    pub(crate) fn new(transport: impl Transport<RoleServer> + 'static) -> BoxedTransport {
        BoxedTransport(Box::new(transport))
    }
}

impl Transport<RoleServer> for BoxedTransport {
    type Error = io::Error;

    fn send(
        &mut self,
        item: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        self.0.send(item)
    }

    fn receive(&mut self) -> impl Future<Output = Option<ClientJsonRpcMessage>> + Send {
        self.0.receive()
    }

    fn close(&mut self) -> impl Future<Output = io::Result<()>> + Send {
        self.0.close()
    }
}
