//! The interface of a middleware: one protocol's part in the pipeline of every request.

use std::{any::Any, fmt, sync::Arc};

use futures::future::BoxFuture;
use rmcp::{
    ErrorData,
    model::{Prompt, Resource, ResourceTemplate, ServerCapabilities, Tool},
};

use super::{
    Author, AuthorRequest, Handshake, McpResponse, OptionalTraits, Pipeline, RequestState, Served,
    Viewer,
};
use crate::server::connection::Interests;
use hooks_core::BuildError;

/// Makes the places and their list.
macro_rules! middleware_ids {
    ($($(#[$about:meta])* $place:ident,)*) => {
        /// The place of a middleware. [`pipeline`](super) defines the order.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(in crate::server) enum MiddlewareId {
            $($(#[$about])* $place,)*
        }

        impl MiddlewareId {
            pub(in crate::server) const COUNT: usize = [$(MiddlewareId::$place),*].len();
        }
    };
}

middleware_ids! {
    /// Decides about whole messages, at the transports. In the pipeline it only checks that a request has passed one.
    Messages,
    Observer,
    /// Writes a line before and after each call.
    Log,
    /// Maps the names that clients see to the author's.
    Lists,
    Gate,
    Plugin,
    Guardian,
    /// Checks the rules of plugins on what the guardian left.
    Recheck,
    /// Serves the program's own skills.
    Skills,
    Guidance,
    /// Answers other agents' questions about their steps.
    Serves,
    Mcpl,
    /// Answers in place of the author's server, for the commands that say what would happen. No other server has it.
    Dry,
    /// Takes part in the handshake and serves tools, and nothing else.
    Lifecycle,
    /// Offers the hooks of a server that no client has installed.
    Offer,
    /// Adds the handle of an opened session as the last block of a result.
    Seal,
}

impl MiddlewareId {
    /// Returns the word of the middleware in the decision log and in reports, if an error that it answers is a refusal.
    /// Others answer their own tools.
    #[cfg(feature = "log")]
    pub(in crate::server) fn refuses_as(self) -> Option<&'static str> {
        Some(match self {
            MiddlewareId::Gate | MiddlewareId::Seal => "session",
            MiddlewareId::Plugin | MiddlewareId::Recheck => "plugin",
            MiddlewareId::Lists => "lists",
            MiddlewareId::Guardian | MiddlewareId::Messages => "guardian",
            MiddlewareId::Mcpl => "mcpl",
            MiddlewareId::Log => "log",
            MiddlewareId::Observer
            | MiddlewareId::Skills
            | MiddlewareId::Guidance
            | MiddlewareId::Serves
            | MiddlewareId::Dry
            | MiddlewareId::Offer
            | MiddlewareId::Lifecycle => return None,
        })
    }
}

/// The work of a middleware: a value at once, which costs no allocation, or a future.
pub(in crate::server) enum Work<'a, T> {
    Now(T),
    Later(BoxFuture<'a, T>),
}

/// The next step of a request after a middleware.
#[derive(Debug)]
pub(in crate::server) enum Flow {
    /// The request goes to the next middleware.
    On,
    /// The request goes back with this answer: a refusal, a denial, a question to the user, or the middleware's own
    /// result.
    Answer(Box<Result<McpResponse, ErrorData>>),
    /// To the gate again. A user was asked, and other calls may have changed the session since.
    #[cfg_attr(
        not(any(test, feature = "plugin")),
        expect(dead_code, reason = "plugins alone ask the user")
    )]
    Again,
}

impl Flow {
    pub(in crate::server) fn answer(answer: Result<McpResponse, ErrorData>) -> Flow {
        Flow::Answer(Box::new(answer))
    }
}

/// An entry of a list, as a client may see it.
#[derive(Debug)]
pub(in crate::server) enum ListEntry<'i> {
    /// A tool, with its data if a middleware serves it.
    Tool(&'i mut Tool, Option<&'i Served>),
    Prompt(&'i mut Prompt),
    Resource(&'i mut Resource),
    ResourceTemplate(&'i mut ResourceTemplate),
}

/// The clients that see an entry of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::server) enum Visibility {
    /// Every client sees the same entry.
    ToAll,
    /// Only this client sees the entry in this form. The list must not be cached for others.
    ToThisClient,
    /// No client sees the entry.
    Hidden,
}

/// One protocol's part in the pipeline of every request.
///
/// Every method except [`id`](Middleware::id) has a default that does nothing. What only some middleware do is in the traits
/// of [`optional`](super::optional). A middleware does not name another middleware. It passes data to the next ones in the
/// [`RequestState`] and the [`Handshake`].
pub(in crate::server) trait Middleware: Any + fmt::Debug + Send + Sync {
    /// Returns the place of the middleware.
    fn id(&self) -> MiddlewareId;

    /// Returns the optional traits that the middleware has.
    fn optional(self: Arc<Self>) -> OptionalTraits {
        OptionalTraits::default()
    }

    /// Returns the problems between the middleware and the author's server.
    fn validate(&self, _author: &dyn Author) -> Vec<BuildError> {
        Vec::new()
    }

    /// Returns what the middleware wants to know about each message.
    fn interests(&self) -> Interests {
        Interests::NOTHING
    }

    /// Adds the capabilities that the middleware's tools, prompts and notifications need.
    fn declare(&self, _capabilities: &mut ServerCapabilities) {}

    /// Takes part in a handshake, by `initialize` or by `server/discover`.
    fn on_handshake<'a>(
        &'a self,
        _handshake: &'a mut Handshake,
        _pipeline: &'a Pipeline,
    ) -> Work<'a, ()> {
        Work::Now(())
    }

    /// Called before the author's server receives a request.
    fn before<'a>(
        &'a self,
        _request: &'a mut AuthorRequest,
        _call: &'a mut RequestState,
        _pipeline: &'a Pipeline,
    ) -> Work<'a, Flow> {
        Work::Now(Flow::On)
    }

    /// Called with the answer to a request that the middleware let go on.
    fn after<'a>(
        &'a self,
        _call: &'a mut RequestState,
        _answer: &'a mut Result<McpResponse, ErrorData>,
        _pipeline: &'a Pipeline,
    ) -> Work<'a, ()> {
        Work::Now(())
    }

    /// Called when the client cancels a request that the middleware let go on. The author's server may still run.
    fn cancelled<'a>(&'a self, _call: &'a mut RequestState) -> Work<'a, ()> {
        Work::Now(())
    }

    /// Called when a request has ended, cancelled or not, with the answer as it is sent.
    fn ended(&self, _call: &mut RequestState, _answer: &Result<McpResponse, ErrorData>) {}

    /// Changes an entry of a list, and returns who sees it. The result depends on the entry and the client, never on
    /// the session.
    ///
    /// `get_tool` calls this method as well, with no client.
    fn show(&self, _item: ListEntry<'_>, _to: Option<&Viewer>) -> Visibility {
        Visibility::ToAll
    }
}
