//! One room's part in the way of every request.

use std::{fmt, sync::Arc};

use futures::future::BoxFuture;
use rmcp::{
    ErrorData, RoleServer,
    model::{
        CustomNotification, JsonObject, Prompt, RequestId, Resource, ResourceTemplate,
        ServerCapabilities, Tool,
    },
    service::{RequestContext, RxJsonRpcMessage, TxJsonRpcMessage},
};

use super::{Answer, Author, Call, Meeting, Request, Served, Viewer, Way};
use crate::{
    core::BuildError,
    server::connection::{Connection, Wants},
};

/// Where a station stands. The order is in [`way`](super).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::server) enum Place {
    Observer,
    Gate,
    Plugin,
    Guardian,
    Guidance,
    Mcpl,
    /// Handshake and tools only.
    Lifecycle,
    /// The handle of a session that was opened: the last block of a result.
    Seal,
}

impl Place {
    pub(in crate::server) const COUNT: usize = Place::Seal as usize + 1;
}

/// What a station has to do: nothing that waits, which costs no allocation, or a future.
pub(in crate::server) enum Step<'a, T> {
    Now(T),
    Later(BoxFuture<'a, T>),
}

/// How a request goes on from a station.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "it is moved once, and a box would be an allocation"
)]
pub(in crate::server) enum Flow {
    /// To the next station.
    On,
    /// Back, with this answer: a refusal, a denial, a question to the user, or the station's own result.
    Answer(Result<Answer, ErrorData>),
    /// The call has waited for its user, and other calls may have changed its session since: the gate decides again.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "no room of today asks the user")
    )]
    Again,
}

/// An entry of a list, as it is shown to a client.
#[derive(Debug)]
pub(in crate::server) enum Item<'i> {
    /// A tool, and what is known of it where a station serves it.
    Tool(&'i mut Tool, Option<&'i Served>),
    Prompt(&'i mut Prompt),
    Resource(&'i mut Resource),
    ResourceTemplate(&'i mut ResourceTemplate),
}

/// Whether an entry of a list is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::server) enum Shown {
    /// To every client alike.
    ToAll,
    /// As this client alone sees it, so that the list must not be kept for others.
    ToThisClient,
    /// It is hidden from every client.
    Hidden,
}

/// What follows when an answer leaves.
pub(in crate::server) trait Leaving: Send {
    /// The answer is about to be written.
    fn begins(&self);

    /// The answer is written, or never will be.
    fn ended(self: Box<Self>);
}

/// One room's part in the way of every request.
///
/// Every method but [`place`](Station::place) has a default that does nothing. A station names no other station: what one
/// leaves for the next stands in the [`Call`] and the [`Meeting`].
pub(in crate::server) trait Station: fmt::Debug + Send + Sync + 'static {
    /// Where it stands.
    fn place(&self) -> Place;

    /// What does not fit the author's server.
    fn misfits(&self, _author: &dyn Author) -> Vec<BuildError> {
        Vec::new()
    }

    /// What it needs to know of each message.
    fn wants(&self) -> Wants {
        Wants::NOTHING
    }

    /// The tools that it serves.
    fn served(&self) -> Vec<Served> {
        Vec::new()
    }

    /// Whether the tools that it serves are listed to the client of a request.
    fn lists_to(&self, _cx: &RequestContext<RoleServer>) -> Shown {
        Shown::ToAll
    }

    /// Adds the capabilities that its own tools, prompts and notifications need.
    fn declare(&self, _capabilities: &mut ServerCapabilities) {}

    /// Takes part in a handshake: `initialize` and `server/discover` alike.
    fn greet<'a>(&'a self, _meeting: &'a mut Meeting, _way: &'a Way) -> Step<'a, ()> {
        Step::Now(())
    }

    /// Sees a request before the author's server does.
    fn before<'a>(
        &'a self,
        _request: &'a mut Request,
        _call: &'a mut Call,
        _way: &'a Way,
    ) -> Step<'a, Flow> {
        Step::Now(Flow::On)
    }

    /// Sees the answer to a request that it let go on.
    fn after<'a>(
        &'a self,
        _call: &'a mut Call,
        _answer: &'a mut Result<Answer, ErrorData>,
        _way: &'a Way,
    ) -> Step<'a, ()> {
        Step::Now(())
    }

    /// Hears that the client cancelled a request that it let go on. The author's server may still run.
    fn cancelled<'a>(&'a self, _call: &'a mut Call) -> Step<'a, ()> {
        Step::Now(())
    }

    /// Sees a request that has ended, cancelled or not, with the answer as it leaves.
    fn ended(&self, _call: &mut Call, _answer: &Result<Answer, ErrorData>) {}

    /// Sees the result of a task late: the answer to `tasks/get`, with what the stations kept of its call.
    fn late<'a>(
        &'a self,
        _call: &'a mut Call,
        _answer: &'a mut Result<Answer, ErrorData>,
        _way: &'a Way,
    ) -> Step<'a, ()> {
        Step::Now(())
    }

    /// Runs a tool that it serves.
    fn run<'a>(
        &'a self,
        _request: Request,
        _way: &'a Way,
    ) -> BoxFuture<'a, Result<Answer, ErrorData>> {
        Box::pin(std::future::ready(Err(ErrorData::internal_error(
            "no station serves this tool",
            None,
        ))))
    }

    /// Shows an entry of a list. It depends on the entry and the client, never on the session.
    ///
    /// `get_tool` asks, too, and knows no client.
    fn show(&self, _item: Item<'_>, _to: Option<&Viewer>) -> Shown {
        Shown::ToAll
    }

    /// Takes a notification of its own; says whether it was one.
    fn notice(&self, _notification: &mut CustomNotification, _connection: &Connection) -> bool {
        false
    }

    /// The members that it wants of the params of a call, and that rmcp's types have no place for.
    fn members_of_a_call(&self) -> &'static [&'static str] {
        &[]
    }

    /// Sees a message as it arrives, in the order of the stream; `None` takes it. `members` are what stations wanted of a
    /// call.
    fn inbound(
        &self,
        message: RxJsonRpcMessage<RoleServer>,
        _members: &JsonObject,
        _connection: &Arc<Connection>,
    ) -> Option<RxJsonRpcMessage<RoleServer>> {
        Some(message)
    }

    /// Sees a message as it leaves; returns what follows from that.
    fn outbound(
        &self,
        _message: &mut TxJsonRpcMessage<RoleServer>,
        _connection: &Connection,
    ) -> Option<Box<dyn Leaving>> {
        None
    }

    /// Whether the server's own request of this id is its: it reads the answer as it came, and settles the request when
    /// the connection ends.
    fn settles(&self, _request: &RequestId, _connection: &Connection) -> bool {
        false
    }

    /// The connection ends.
    fn closed(&self, _connection: &Connection) {}
}
