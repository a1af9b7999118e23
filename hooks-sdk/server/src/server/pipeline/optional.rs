//! The optional traits of a middleware. Most middleware have none of them.

use std::sync::Arc;

use futures::future::BoxFuture;
use rmcp::{
    ErrorData, RoleServer,
    model::{CustomNotification, JsonObject, RequestId, Resource},
    service::{RequestContext, RxJsonRpcMessage, TxJsonRpcMessage},
};
use serde_json::Value;

#[cfg(feature = "aos")]
use super::Decides;
use super::{
    AuthorRequest, Loose, McpResponse, Middleware, Pipeline, RequestState, Served, Visibility, Work,
};
use crate::server::connection::Connection;

/// The optional traits of one middleware. [`Middleware::optional`] returns them once, when the server is built, so that a
/// request costs nothing for those that no middleware has.
#[derive(Default)]
pub(in crate::server) struct OptionalTraits {
    pub(in crate::server) provider: Option<Arc<dyn Provider>>,
    pub(in crate::server) listener: Option<Arc<dyn MessageMiddleware>>,
    pub(in crate::server) cleaner: Option<Arc<dyn Cleans>>,
    #[cfg(feature = "aos")]
    pub(in crate::server) decider: Option<Arc<dyn Decides>>,
    /// The decision log, for what the middleware of the pipeline do not see.
    #[cfg(all(feature = "aos", feature = "log"))]
    pub(in crate::server) log: Option<hooks_log::DecisionLog>,
    pub(in crate::server) judge: Option<Arc<dyn Judges>>,
    pub(in crate::server) task_results: Option<Arc<dyn TaskResults>>,
}

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
        _pipeline: &'a Pipeline,
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

/// The actions of a middleware around the sending of a message.
pub(in crate::server) trait Leaving: Send {
    /// Called when the message is about to be written.
    fn begins(&self);

    /// Called when the message is written, or when it can no longer be written.
    fn ended(self: Box<Self>);
}

/// A middleware that judges the contents of answers.
pub(in crate::server) trait Judges: Middleware {
    /// Returns whether the middleware judges the contents of the answer to this request, or of the result of its task.
    fn judges(&self, call: &mut RequestState) -> bool;
}

/// A middleware that takes part in the results of tasks, which the client fetches after the call.
pub(in crate::server) trait TaskResults: Middleware {
    /// Called when the data of a call is kept for the result of its task. Drops what a late result does not need, and
    /// returns how many bytes remain that a client or a hook chose.
    fn weighs(&self, _call: &mut RequestState) -> usize {
        0
    }

    /// Called with the result of a task as the result of a tool, and with the data that the middleware kept for the call
    /// that created the task.
    fn late<'a>(
        &'a self,
        call: &'a mut RequestState,
        answer: &'a mut Result<McpResponse, ErrorData>,
        pipeline: &'a Pipeline,
    ) -> Work<'a, ()>;
}

/// A middleware that cleans what leaves and belongs to no item.
pub(in crate::server) trait Cleans: Middleware {
    /// Returns whether the middleware cleans values that leave and belong to no item, as its policy is now.
    fn cleans(&self) -> bool;

    /// Cleans a value that leaves in a message of this method and belongs to no item. Returns whether it is changed. A value
    /// that must not leave becomes `null`.
    fn clean(&self, method: &str, loose: Loose, value: &mut Value) -> bool;
}
