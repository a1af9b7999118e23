//! The interface of a station: one room's part in the way of every request.

use std::{any::Any, fmt, sync::Arc};

use futures::future::BoxFuture;
use rmcp::{
    ErrorData, RoleServer,
    model::{
        CustomNotification, JsonObject, Prompt, RequestId, Resource, ResourceTemplate,
        ServerCapabilities, Tool,
    },
    service::{RequestContext, RxJsonRpcMessage, TxJsonRpcMessage},
};

use super::{Answer, Author, Call, Meeting, Passing, Request, Served, Toward, Viewer, Way};
use crate::{
    core::BuildError,
    server::connection::{Connection, Wants},
};

/// The place of a station. [`way`](super) defines the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::server) enum Place {
    /// Decides about whole messages, at the doors. On the way it only checks that a request has passed one.
    Messages,
    Observer,
    /// Writes what became of each request.
    Audit,
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
    /// Takes part in the handshake and serves tools, and nothing else.
    Lifecycle,
    /// Adds the handle of an opened session as the last block of a result.
    Seal,
}

impl Place {
    pub(in crate::server) const COUNT: usize = Place::Seal as usize + 1;
}

/// The work of a station: a value at once, which costs no allocation, or a future.
pub(in crate::server) enum Step<'a, T> {
    Now(T),
    Later(BoxFuture<'a, T>),
}

/// The next step of a request after a station.
#[derive(Debug)]
pub(in crate::server) enum Flow {
    /// The request goes to the next station.
    On,
    /// The request goes back with this answer: a refusal, a denial, a question to the user, or the station's own
    /// result.
    Answer(Box<Result<Answer, ErrorData>>),
    /// To the gate again. A user was asked, and other calls may have changed the session since.
    #[cfg_attr(
        not(any(test, feature = "plugin")),
        expect(dead_code, reason = "plugins alone ask the user")
    )]
    Again,
}

impl Flow {
    pub(in crate::server) fn answer(answer: Result<Answer, ErrorData>) -> Flow {
        Flow::Answer(Box::new(answer))
    }
}

/// An entry of a list, as a client may see it.
#[derive(Debug)]
pub(in crate::server) enum Item<'i> {
    /// A tool, with its data if a station serves it.
    Tool(&'i mut Tool, Option<&'i Served>),
    Prompt(&'i mut Prompt),
    Resource(&'i mut Resource),
    ResourceTemplate(&'i mut ResourceTemplate),
}

/// The clients that see an entry of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::server) enum Shown {
    /// Every client sees the same entry.
    ToAll,
    /// Only this client sees the entry in this form. The list must not be cached for others.
    ToThisClient,
    /// No client sees the entry.
    Hidden,
}

/// The actions of a station around the sending of an answer.
pub(in crate::server) trait Leaving: Send {
    /// Called when the answer is about to be written.
    fn begins(&self);

    /// Called when the answer is written, or when it can no longer be written.
    fn ended(self: Box<Self>);
}

/// One room's part in the way of every request.
///
/// Every method except [`place`](Station::place) has a default that does nothing. A station does not name another
/// station. It passes data to the next ones in the [`Call`] and the [`Meeting`].
pub(in crate::server) trait Station: Any + fmt::Debug + Send + Sync {
    /// Returns the place of the station.
    fn place(&self) -> Place;

    /// Returns the problems between the station and the author's server.
    fn misfits(&self, _author: &dyn Author) -> Vec<BuildError> {
        Vec::new()
    }

    /// Returns what the station wants to know about each message.
    fn wants(&self) -> Wants {
        Wants::NOTHING
    }

    /// Returns the tools that the station serves.
    fn served(&self) -> Vec<Served> {
        Vec::new()
    }

    /// Returns the resources that the station serves.
    fn resources(&self) -> &[Resource] {
        &[]
    }

    /// Returns whether the client of this request sees the station's tools in a list.
    fn lists_to(&self, _cx: &RequestContext<RoleServer>) -> Shown {
        Shown::ToAll
    }

    /// Adds the capabilities that the station's tools, prompts and notifications need.
    fn declare(&self, _capabilities: &mut ServerCapabilities) {}

    /// Takes part in a handshake, by `initialize` or by `server/discover`.
    fn greet<'a>(&'a self, _meeting: &'a mut Meeting, _way: &'a Way) -> Step<'a, ()> {
        Step::Now(())
    }

    /// Called before the author's server receives a request.
    fn before<'a>(
        &'a self,
        _request: &'a mut Request,
        _call: &'a mut Call,
        _way: &'a Way,
    ) -> Step<'a, Flow> {
        Step::Now(Flow::On)
    }

    /// Called with the answer to a request that the station let go on.
    fn after<'a>(
        &'a self,
        _call: &'a mut Call,
        _answer: &'a mut Result<Answer, ErrorData>,
        _way: &'a Way,
    ) -> Step<'a, ()> {
        Step::Now(())
    }

    /// Called when the client cancels a request that the station let go on. The author's server may still run.
    fn cancelled<'a>(&'a self, _call: &'a mut Call) -> Step<'a, ()> {
        Step::Now(())
    }

    /// Called when a request has ended, cancelled or not, with the answer as it is sent.
    fn ended(&self, _call: &mut Call, _answer: &Result<Answer, ErrorData>) {}

    /// Called with the answer to `tasks/get`, and with the data that the stations kept for the call that created the
    /// task.
    fn late<'a>(
        &'a self,
        _call: &'a mut Call,
        _answer: &'a mut Result<Answer, ErrorData>,
        _way: &'a Way,
    ) -> Step<'a, ()> {
        Step::Now(())
    }

    /// Runs a tool that the station serves.
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

    /// Changes an entry of a list, and returns who sees it. The result depends on the entry and the client, never on
    /// the session.
    ///
    /// `get_tool` calls this method as well, with no client.
    fn show(&self, _item: Item<'_>, _to: Option<&Viewer>) -> Shown {
        Shown::ToAll
    }

    /// Returns the author's URI of a resource that clients know under `uri`, as far as the station knows it. `None` if they
    /// know none.
    fn own_resource(&self, uri: &str) -> Option<String> {
        Some(uri.to_owned())
    }

    /// Returns the URI under which clients know the author's resource. `None` if they do not know it.
    fn shown_resource(&self, own: &str) -> Option<String> {
        Some(own.to_owned())
    }

    /// Takes a notification that belongs to the station. Returns whether it did.
    fn notice(&self, _notification: &mut CustomNotification, _connection: &Connection) -> bool {
        false
    }

    /// Returns the members that the station wants from the params of a call and that rmcp's types drop.
    fn members_of_a_call(&self) -> &'static [&'static str] {
        &[]
    }

    /// Called with each message as it arrives, in the order of the stream. If the station takes the message, it returns
    /// `None`. `members` are the members of a call that stations wanted.
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

    /// Returns whether the station decides about whole messages to this side. At most one station does.
    fn decides(&self, _toward: Toward) -> bool {
        false
    }

    /// Decides about a whole message. The doors call this in tasks of their own, so it may wait. `session` identifies the
    /// session or the connection of the client.
    fn decide<'a>(
        &'a self,
        _toward: Toward,
        _message: JsonObject,
        _session: &'a [u8],
    ) -> BoxFuture<'a, Passing> {
        Box::pin(std::future::ready(Passing::On))
    }

    /// Returns whether the server's own request with this id belongs to the station. The station then reads the answer
    /// as it arrived, and settles the request when the connection ends.
    fn settles(&self, _request: &RequestId, _connection: &Connection) -> bool {
        false
    }

    /// Called when the connection ends.
    fn closed(&self, _connection: &Connection) {}
}
