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
    /// session or of the connection.
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
    let client = context
        .meta
        .get(CLIENT_META)
        .and_then(Value::as_str)
        .filter(|id| is_id(id));
    let client = client.or(connection.client_session());
    let stateless = is_stateless(context.protocol_version().as_ref());
    match (client, transport_session(&context.extensions)) {
        (Some(id), _) => Some(Identity::Client(id)),
        (None, _) if stateless => None,
        (None, Some(id)) => Some(Identity::Transport(id)),
        (None, None) => Some(connection.identity()),
    }
}

fn is_id(id: &str) -> bool {
    (1..=LONGEST_ID).contains(&id.len())
}

/// The session of rmcp's HTTP service.
#[cfg(feature = "http")]
fn transport_session(extensions: &Extensions) -> Option<&str> {
    let parts = extensions.get::<http::request::Parts>()?;
    parts
        .headers
        .get("mcp-session-id")?
        .to_str()
        .ok()
        .filter(|id| is_id(id))
}

#[cfg(not(feature = "http"))]
fn transport_session(_: &Extensions) -> Option<&str> {
    None
}

#[cfg(all(test, feature = "http"))]
mod tests {
    use super::*;

    #[test]
    fn the_transports_session_is_read_from_its_header() {
        let of = |value: &str| {
            let request = http::Request::builder()
                .header("mcp-session-id", value)
                .body(());
            let mut extensions = Extensions::new();
            extensions.insert(request.expect("a request").into_parts().0);
            transport_session(&extensions).map(str::to_owned)
        };
        assert_eq!(of("0198-a").as_deref(), Some("0198-a"));
        assert_eq!(of(""), None);
        assert_eq!(of(&"x".repeat(257)), None);
        assert_eq!(transport_session(&Extensions::new()), None);
    }
}
