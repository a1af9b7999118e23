//! To which session a call belongs.

use rmcp::{
    RoleServer,
    model::{CallToolRequestParams, Extensions},
    service::RequestContext,
};
use serde_json::Value;

use super::{Connection, Gate};
use crate::{
    server::handler::is_stateless,
    session::{Handle, Identity, Session},
    store::{Key, StoreError},
};

/// Where a request names its session, and a result the one it opened.
pub(super) const SESSION_META: &str = "hooks-sdk/session";

/// Where a client puts the id that it gives its session itself, as Codex does.
const CLIENT_META: &str = "sessionId";

/// The longest id of a client's or transport's, in bytes; a longer one counts as not given.
const LONGEST_ID: usize = 256;

/// What a call says about its session.
#[derive(Debug)]
pub(super) struct Caller {
    /// The session that a handle names, if it is one.
    pub(super) handle: Option<Key>,
    /// The session that is the caller's without a handle.
    pub(super) own: Option<Key>,
    pub(super) principal: Option<String>,
    /// Whether something was given as a handle.
    pub(super) gave_handle: bool,
    /// Whether the caller's own session ends with the connection.
    pub(super) ends_with_connection: bool,
}

impl Gate {
    /// Finds out whose session it is, and takes the handle out of the arguments.
    ///
    /// Without a handle it is that of the client's own id, and before 2026-07-28 that of the transport's
    /// session or of the stream.
    pub(super) fn caller(
        &self,
        request: &mut CallToolRequestParams,
        context: &RequestContext<RoleServer>,
        connection: &Connection,
        declares_argument: impl FnOnce() -> bool,
    ) -> Caller {
        let argument = self.take_argument(request, declares_argument);
        self.sender(argument.as_ref(), context, connection)
    }

    /// The open session that a request other than a call belongs to, with what is known of it.
    pub(super) async fn session_of(
        &self,
        context: &RequestContext<RoleServer>,
        connection: &Connection,
    ) -> Result<Session, StoreError> {
        let found = self.find(&self.sender(None, context, connection)).await?;
        match found {
            Some((_, Some(session))) => Ok(session),
            Some((key, None)) => self.ledger.find(&key).await,
            None => Ok(self.ledger.unopened()),
        }
    }

    /// The key of the session that a request other than a call belongs to.
    pub(in crate::server) fn key_of(
        &self,
        context: &RequestContext<RoleServer>,
        connection: &Connection,
    ) -> Option<Key> {
        let sender = self.sender(None, context, connection);
        sender.handle.or(sender.own)
    }

    fn sender(
        &self,
        argument: Option<&Value>,
        context: &RequestContext<RoleServer>,
        connection: &Connection,
    ) -> Caller {
        let principal = self.principal.as_ref().and_then(|of| of(context));
        let key = |identity: Identity<'_>| identity.key(principal.as_deref());
        let given = argument
            .or(context.meta.get(SESSION_META))
            .filter(|given| !given.is_null());
        let handle = given.and_then(|given| given.as_str()?.parse::<Handle>().ok());
        let own = own_session(context, connection);
        Caller {
            handle: handle.as_ref().map(|handle| key(Identity::Handle(handle))),
            own: own.map(key),
            gave_handle: given.is_some(),
            ends_with_connection: matches!(own, Some(Identity::Connection(_))),
            principal,
        }
    }

    /// A tool that has such a parameter itself keeps its argument.
    fn take_argument(
        &self,
        request: &mut CallToolRequestParams,
        declares_argument: impl FnOnce() -> bool,
    ) -> Option<Value> {
        let arguments = request.arguments.as_mut()?;
        if !arguments.contains_key(&*self.argument) || declares_argument() {
            return None;
        }
        arguments.remove(&*self.argument)
    }
}

/// The session that is a request's without a handle.
pub(in crate::server) fn own_session<'a>(
    context: &'a RequestContext<RoleServer>,
    connection: &'a Connection,
) -> Option<Identity<'a>> {
    let client = own_client_session(context, connection);
    let stateless = is_stateless(context.protocol_version().as_ref());
    match (client, Carrier::of(&context.extensions)) {
        (Some(id), _) => Some(Identity::Client(id)),
        (None, _) if stateless => None,
        (None, Carrier::Http(session)) => session.map(Identity::Transport),
        (None, Carrier::Stream) => Some(connection.identity()),
    }
}

/// The id that the client itself gives its session: in the request, or to the process that serves it.
pub(in crate::server) fn own_client_session<'a>(
    context: &'a RequestContext<RoleServer>,
    connection: &'a Connection,
) -> Option<&'a str> {
    let client = context
        .meta
        .get(CLIENT_META)
        .and_then(Value::as_str)
        .filter(|id| is_id(id));
    client.or(connection.client_session())
}

/// Whether nothing but a handle leads from this request to the next of its session, unless the client gives an
/// id of its own.
pub(in crate::server) fn needs_handle(context: &RequestContext<RoleServer>) -> bool {
    is_stateless(context.protocol_version().as_ref())
        || Carrier::of(&context.extensions) == Carrier::Http(None)
}

fn is_id(id: &str) -> bool {
    (1..=LONGEST_ID).contains(&id.len())
}

/// What brought a call.
#[derive(Debug, PartialEq, Eq)]
enum Carrier<'c> {
    /// A stream, which is the client's own as long as it lasts.
    Stream,
    /// rmcp's HTTP service, in one of its sessions; where it keeps none, each request has a handler of its own,
    /// and nothing but a handle leads from one to the next.
    Http(Option<&'c str>),
}

impl Carrier<'_> {
    #[cfg(feature = "http")]
    fn of(extensions: &Extensions) -> Carrier<'_> {
        let Some(parts) = extensions.get::<http::request::Parts>() else {
            return Carrier::Stream;
        };
        let session = parts.headers.get("mcp-session-id");
        let session = session.and_then(|id| id.to_str().ok());
        Carrier::Http(session.filter(|id| is_id(id)))
    }

    #[cfg(not(feature = "http"))]
    fn of(_: &Extensions) -> Carrier<'_> {
        Carrier::Stream
    }
}

#[cfg(all(test, feature = "http"))]
mod tests {
    use super::*;

    #[test]
    fn the_transports_session_is_read_from_its_header() {
        let long = "x".repeat(257);
        for (value, expected) in [("0198-a", Some("0198-a")), ("", None), (&long, None)] {
            let request = http::Request::builder()
                .header("mcp-session-id", value)
                .body(());
            let mut extensions = Extensions::new();
            extensions.insert(request.expect("a request").into_parts().0);
            assert_eq!(Carrier::of(&extensions), Carrier::Http(expected));
        }
        assert_eq!(Carrier::of(&Extensions::new()), Carrier::Stream);
    }
}
