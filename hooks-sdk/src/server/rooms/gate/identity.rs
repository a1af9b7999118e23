//! To which session a call belongs.

use rmcp::{RoleServer, model::CallToolRequestParams, service::RequestContext};
use serde_json::Value;

use super::Gate;
use crate::{
    server::{connection::Connection, request::own_session},
    session::{Handle, Identity, Session},
    store::{Key, StoreError},
};

/// Where a request names its session, and a result the one it opened.
pub(super) const SESSION_META: &str = "hooks-sdk/session";

/// What a call says about its session.
#[derive(Clone, Debug)]
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

impl Caller {
    /// The session that a request belongs to, open or not.
    pub(super) fn key(&self) -> Option<&Key> {
        self.handle.as_ref().or(self.own.as_ref())
    }
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

    /// The open session of a caller, with what is known of it.
    pub(super) async fn session_of(&self, caller: &Caller) -> Result<Session, StoreError> {
        match self.find(caller).await? {
            Some((_, Some(session))) => Ok(session),
            Some((key, None)) => self.ledger.find(&key).await,
            None => Ok(self.ledger.unopened()),
        }
    }

    /// What a request says about its session; `argument` is what a call says in its arguments.
    pub(super) fn sender(
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
