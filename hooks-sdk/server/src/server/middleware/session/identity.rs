//! Finds the session to which a call belongs.

use rmcp::model::CallToolRequestParams;
use serde_json::Value;

use super::{
    SessionGate,
    signed::{CarriedSession, HandleSeal},
};
use crate::server::{
    McpContext,
    connection::Connection,
    request::{own_session, principal, text_of},
};
use hooks_core::{session::Identity, store::Key};

/// The member of `_meta` in which a request names its session, and in which a result names the session that the call
/// opened.
pub(super) const SESSION_META: &str = "hooks-sdk/session";

/// The session data of a request.
#[derive(Clone, Debug)]
pub(super) struct SessionCaller {
    /// The session that the handle names, if the given text is a handle.
    pub(super) handle: Option<Key>,
    /// The session that the handle carries, if handles are signed and this one is valid.
    pub(super) carried: Option<CarriedSession>,
    /// The session of the caller without a handle.
    pub(super) own: Option<Key>,
    pub(super) principal: Option<String>,
    /// Whether the request sent anything as a handle.
    pub(super) gave_handle: bool,
    /// Whether the caller's own session ends with the connection.
    pub(super) ends_with_connection: bool,
}

impl SessionCaller {
    /// Returns the session to which a request belongs, open or not.
    pub(super) fn key(&self) -> Option<&Key> {
        self.handle.as_ref().or(self.own.as_ref())
    }
}

impl SessionGate {
    /// Reads the session data of a request. `argument` is the session argument of a tool call.
    ///
    /// Without a handle, the session is that of the client's own id. Before 2026-07-28 it may also be the transport's
    /// session or the stream.
    pub(super) fn sender(
        &self,
        argument: Option<&Value>,
        context: &McpContext,
        connection: &Connection,
    ) -> SessionCaller {
        let principal = text_of(context, self.principal.as_ref(), principal);
        let key = |identity: Identity<'_>| identity.key(principal.as_deref());
        let given = argument
            .or(context.meta.get(SESSION_META))
            .filter(|given| !given.is_null());
        let text = given.and_then(Value::as_str);
        let open = |seal: &HandleSeal| seal.open(&self.ledger, text?, principal.as_deref());
        let carried = self.seal.as_ref().and_then(open);
        let handle = match &self.seal {
            Some(_) => carried.as_ref().map(|carried| carried.handle.clone()),
            None => text.and_then(|text| text.parse().ok()),
        };
        let own = own_session(context, connection);
        SessionCaller {
            handle: handle.as_ref().map(|handle| key(Identity::Handle(handle))),
            carried,
            own: own.map(key),
            gave_handle: given.is_some(),
            ends_with_connection: matches!(own, Some(Identity::Connection(_))),
            principal,
        }
    }

    /// Removes and returns the session argument. If the tool itself has a parameter of this name, leaves the argument
    /// in place.
    pub(super) fn take_argument(
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
