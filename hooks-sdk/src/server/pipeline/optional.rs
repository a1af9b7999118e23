//! The optional traits of a middleware. Most middleware have none of them.

use std::{fmt, sync::Arc};

use futures::future::BoxFuture;
use rmcp::{
    ErrorData, RoleServer,
    model::{CustomNotification, JsonObject, RequestId, Resource},
    service::{RequestContext, RxJsonRpcMessage, TxJsonRpcMessage},
};
use serde_json::Value;

#[cfg(feature = "aos")]
use super::Decides;
use super::{AuthorRequest, Leaving, Loose, McpResponse, Middleware, Pipeline, Served, Visibility};
use crate::server::connection::Connection;

/// A middleware with tools or resources of its own, beside the author's.
pub(in crate::server) trait Provider: Middleware {
    /// Returns the tools that the middleware serves.
    fn served(&self) -> Vec<Served> {
        Vec::new()
    }

    /// Returns the resources that the middleware serves.
    fn resources(&self) -> &[Resource] {
        &[]
    }

    /// Returns whether the client of this request sees the middleware's tools in a list.
    fn lists_to(&self, _cx: &RequestContext<RoleServer>) -> Visibility {
        Visibility::ToAll
    }

    /// Runs a tool that the middleware serves.
    fn run<'a>(
        &'a self,
        _request: AuthorRequest,
        _way: &'a Pipeline,
    ) -> BoxFuture<'a, Result<McpResponse, ErrorData>> {
        Box::pin(std::future::ready(Err(ErrorData::internal_error(
            "no middleware serves this tool",
            None,
        ))))
    }
}

/// A middleware that sees each message of a connection as it arrives and before it is sent, and the end of the connection.
pub(in crate::server) trait MessageMiddleware: Middleware {
    /// Takes a notification that belongs to the middleware. Returns whether it did.
    fn notice(&self, _notification: &mut CustomNotification, _connection: &Connection) -> bool {
        false
    }

    /// Returns the members that the middleware wants from the params of a call and that rmcp's types drop.
    fn members_of_a_call(&self) -> &'static [&'static str] {
        &[]
    }

    /// Called with each message as it arrives, in the order of the stream. If the middleware takes the message, it returns
    /// `None`. `members` are the members of a call that middleware wanted.
    fn inbound(
        &self,
        message: RxJsonRpcMessage<RoleServer>,
        _members: &JsonObject,
        _connection: &Arc<Connection>,
    ) -> Option<RxJsonRpcMessage<RoleServer>> {
        Some(message)
    }

    /// Called with each message before it is sent. Returns the actions that depend on the sending.
    fn outbound(
        &self,
        _message: &mut TxJsonRpcMessage<RoleServer>,
        _connection: &Connection,
    ) -> Option<Box<dyn Leaving>> {
        None
    }

    /// Returns whether a message must not be sent.
    fn withholds(&self, _message: &TxJsonRpcMessage<RoleServer>) -> bool {
        false
    }

    /// Returns whether the server's own request with this id belongs to the middleware. The middleware then reads the answer
    /// as it arrived, and settles the request when the connection ends.
    fn settles(&self, _request: &RequestId, _connection: &Connection) -> bool {
        false
    }

    /// Called when the connection ends.
    fn closed(&self, _connection: &Connection) {}

    /// Completes, in bounded time, when everything is done that the client sent before the connection ended. `None` if
    /// nothing can wait.
    fn finished(&self, _connection: &Connection) -> Option<BoxFuture<'static, ()>> {
        None
    }
}

/// A middleware under which resources have other names than in the author's server.
pub(in crate::server) trait ResourceNames: Middleware {
    /// Returns the author's URI of a resource that clients know under `uri`, as far as the middleware knows it. `None` if they
    /// know none.
    fn own_resource(&self, uri: &str) -> Option<String>;

    /// Returns the URI under which clients know the author's resource. `None` if they do not know it.
    fn shown_resource(&self, own: &str) -> Option<String>;
}

/// A middleware that cleans what leaves and belongs to no item.
pub(in crate::server) trait Cleans: Middleware {
    /// Returns whether the middleware cleans values that leave and belong to no item, as its policy is now.
    fn cleans(&self) -> bool;

    /// Cleans a value that leaves in a message of this method and belongs to no item. Returns whether it is changed. A value
    /// that must not leave becomes `null`.
    fn clean(&self, method: &str, loose: Loose, value: &mut Value) -> bool;
}

/// A middleware of a server, with the optional traits that it has.
#[derive(Clone)]
pub(in crate::server) struct Placed {
    pub(in crate::server) middleware: Arc<dyn Middleware>,
    pub(super) provider: Option<Arc<dyn Provider>>,
    pub(super) listener: Option<Arc<dyn MessageMiddleware>>,
    pub(super) names: Option<Arc<dyn ResourceNames>>,
    pub(super) cleaner: Option<Arc<dyn Cleans>>,
    #[cfg(feature = "aos")]
    pub(super) decider: Option<Arc<dyn Decides>>,
}

/// A middleware whose type is still known. Each method adds one of its traits.
pub(in crate::server) struct Placing<S> {
    own: Arc<S>,
    placed: Placed,
}

impl Placed {
    pub(in crate::server) fn of<S: Middleware>(own: Arc<S>) -> Placing<S> {
        let placed = Placed {
            middleware: own.clone(),
            provider: None,
            listener: None,
            names: None,
            cleaner: None,
            #[cfg(feature = "aos")]
            decider: None,
        };
        Placing { own, placed }
    }
}

impl<S> Placing<S> {
    pub(in crate::server) fn provides(mut self) -> Placing<S>
    where
        S: Provider,
    {
        self.placed.provider = Some(self.own.clone());
        self
    }

    #[cfg(any(feature = "mcpl", feature = "plugin"))]
    pub(in crate::server) fn listens(mut self) -> Placing<S>
    where
        S: MessageMiddleware,
    {
        self.placed.listener = Some(self.own.clone());
        self
    }

    #[cfg(feature = "plugin")]
    pub(in crate::server) fn names_resources(mut self) -> Placing<S>
    where
        S: ResourceNames,
    {
        self.placed.names = Some(self.own.clone());
        self
    }

    #[cfg(feature = "plugin")]
    pub(in crate::server) fn cleans(mut self) -> Placing<S>
    where
        S: Cleans,
    {
        self.placed.cleaner = Some(self.own.clone());
        self
    }

    #[cfg(feature = "aos")]
    pub(in crate::server) fn decides(mut self) -> Placing<S>
    where
        S: Decides,
    {
        self.placed.decider = Some(self.own.clone());
        self
    }
}

impl<S> From<Placing<S>> for Placed {
    fn from(placing: Placing<S>) -> Placed {
        placing.placed
    }
}

impl fmt::Debug for Placed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.middleware.fmt(f)
    }
}
