//! MCPL's part of the wire shim: what rmcp's types drop, reorder or add.

use std::sync::{Arc, Mutex};

use rmcp::{
    ErrorData, RoleServer,
    model::{
        ClientNotification, ClientRequest, CustomRequest, Extensions, JsonRpcError, JsonRpcMessage,
        RequestId, RequestMetaObject, ServerNotification, ServerRequest,
    },
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
};

use super::{calls::Carried, sending::Sent};
use crate::{
    mcpl::{Answered, Leaving, Link, Turn, method},
    server::{
        door::{
            read::{Read, member},
            transport::Wire,
        },
        lock::lock,
        rooms::gate::Connection,
    },
};

/// What the shim found out about a request before rmcp ran it.
#[derive(Clone)]
pub(super) struct Stash(Arc<Mutex<Option<Stashed>>>);

pub(super) enum Stashed {
    /// It is applied already, in the order of the wire, and this is the answer.
    Answered(Answered),
    /// Its place among notifications.
    Turn(Turn),
}

pub(super) fn take_stashed(extensions: &Extensions) -> Option<Stashed> {
    let Stash(stash) = extensions.get()?;
    lock(stash).take()
}

/// The shim's view of what comes in.
pub(in crate::server) struct Inbound<'c>(&'c Arc<Connection>);

impl<'c> Inbound<'c> {
    pub(in crate::server) fn of(connection: &'c Arc<Connection>) -> Inbound<'c> {
        Inbound(connection)
    }

    /// The members of a call that rmcp's types have no place for (MCPL 0.4.1 §7.7, §8.4).
    pub(in crate::server) fn members_of_a_call(&self) -> &'static [&'static str] {
        match self.0.mcpl.link() {
            Some(_) => &["state", "checkpoint", "scope"],
            None => &[],
        }
    }

    /// Takes what is MCPL's out of a message; `None` when nothing is left for rmcp.
    pub(in crate::server) fn take(&self, read: Read) -> Option<RxJsonRpcMessage<RoleServer>> {
        let Read {
            mut message,
            members,
        } = read;
        let Some(link) = self.0.mcpl.link() else {
            return Some(message);
        };
        match &mut message {
            JsonRpcMessage::Notification(notification) => match &mut notification.notification {
                ClientNotification::CustomNotification(custom) => {
                    if custom.method == method::INFERENCE_CHUNK {
                        self.0.mcpl.chunk(custom.params.take());
                        return None;
                    }
                    if link.notified(&custom.method, &mut custom.params) {
                        return None;
                    }
                }
                // No answer leaves any more, so its work waits no longer.
                ClientNotification::CancelledNotification(cancelled) => {
                    let id = cancelled.params.request_id.as_ref();
                    if let Some((link, leaving)) = id.and_then(|id| self.0.mcpl.leaves(id)) {
                        leaving.ended(&link);
                    }
                }
                _ => {}
            },
            JsonRpcMessage::Request(request) => match &mut request.request {
                ClientRequest::CustomRequest(custom) => self.request(link, custom),
                ClientRequest::CallToolRequest(call) if !members.is_empty() => {
                    call.extensions.insert(Carried(Arc::new(members)));
                }
                _ => {}
            },
            JsonRpcMessage::Response(response) => self.0.mcpl.settled(&response.id),
            JsonRpcMessage::Error(_) => {}
        }
        Some(message)
    }

    /// The answer to a request of ours that is no JSON-RPC answer, as the error that it amounts to.
    pub(in crate::server) fn broken_answer(
        &self,
        id: Option<&RequestId>,
        line: &[u8],
    ) -> Option<RxJsonRpcMessage<RoleServer>> {
        let id = id.filter(|id| self.0.mcpl.is_outstanding(id))?;
        if member(line, "method").is_some() {
            return None;
        }
        let error = ErrorData::internal_error("the host's answer is no JSON-RPC response", None);
        Some(JsonRpcMessage::error(error, Some(id.clone())))
    }

    fn request(&self, link: &Arc<Link>, custom: &mut CustomRequest) {
        custom.extensions.insert(Wire(self.0.clone()));
        let stashed = if custom.method == method::FEATURE_SETS_UPDATE {
            Some(Stashed::Answered(
                link.update_requested(custom.params.take()),
            ))
        } else {
            link.turn(&custom.method).map(Stashed::Turn)
        };
        if let Some(stashed) = stashed {
            let stash = Stash(Arc::new(Mutex::new(Some(stashed))));
            custom.extensions.insert(stash);
        }
    }
}

/// The shim's view of what goes out.
pub(in crate::server) struct Outbound<'c>(&'c Connection);

impl<'c> Outbound<'c> {
    pub(in crate::server) fn of(connection: &'c Connection) -> Outbound<'c> {
        Outbound(connection)
    }

    /// Mends a message; gives what it brings about by leaving.
    pub(in crate::server) fn mend(
        &self,
        message: &mut TxJsonRpcMessage<RoleServer>,
    ) -> Option<(Arc<Link>, Leaving)> {
        self.0.mcpl.link()?;
        match message {
            JsonRpcMessage::Request(request) => {
                if let ServerRequest::CustomRequest(custom) = &mut request.request
                    && let Some(Sent(chunks)) = custom.extensions.remove::<Sent>()
                {
                    self.0.mcpl.sent(request.id.clone(), chunks);
                    without_progress_token(&mut custom.extensions);
                }
                None
            }
            JsonRpcMessage::Response(response) => self.0.mcpl.leaves(&response.id),
            JsonRpcMessage::Error(JsonRpcError { id, .. }) => self.0.mcpl.leaves(id.as_ref()?),
            JsonRpcMessage::Notification(notification) => {
                // It may come after a request of ours that was given up before it left.
                if let ServerNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.0.mcpl.settled(id);
                }
                None
            }
        }
    }
}

/// rmcp asks for progress on every request; MCPL's have none.
fn without_progress_token(extensions: &mut Extensions) {
    let Some(meta) = extensions.get_mut::<RequestMetaObject>() else {
        return;
    };
    meta.remove("progressToken");
    if meta.is_empty() {
        extensions.remove::<RequestMetaObject>();
    }
}
