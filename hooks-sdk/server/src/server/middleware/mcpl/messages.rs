//! MCPL messages as they arrive and as they are sent: handles what rmcp's types drop, reorder or add.

use std::sync::{Arc, Mutex};

use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, CustomNotification, CustomRequest,
    Extensions, JsonObject, JsonRpcMessage, RequestMetaObject, ServerJsonRpcMessage,
    ServerNotification, ServerRequest,
};

use super::{host_connection::HostConnection, sending::OwnRequest};
use crate::server::{
    connection::Connection, lock, request::CarriedMembers, transport::message::answers,
};
use hooks_mcpl::{
    internal::{AfterSend, DispatchedAnswer, LaneTurn, Link},
    wire::method,
};

/// The data about a request from before rmcp ran it. The request's extensions carry it.
type Stash = Arc<Mutex<Option<Stashed>>>;

pub(super) enum Stashed {
    /// The request is applied already, in the order of the wire. This is its answer.
    DispatchedAnswer(DispatchedAnswer),
    /// The position of the request among notifications.
    Turn(LaneTurn),
}

pub(super) fn take_stashed(extensions: &Extensions) -> Option<Stashed> {
    lock(extensions.get::<Stash>()?).take()
}

/// The members of a call that rmcp's types drop (MCPL 0.4.1 §7.7, §8.4).
pub(crate) const MEMBERS_OF_A_CALL: &[&str] = &["state", "checkpoint", "scope"];

/// Takes the MCPL parts out of a message. Returns `None` if nothing remains for rmcp.
pub(crate) fn inbound(
    mut message: ClientJsonRpcMessage,
    members: &JsonObject,
    connection: &Arc<Connection>,
) -> Option<ClientJsonRpcMessage> {
    let connected = &connection.host;
    let link = connected.link();
    if let JsonRpcMessage::Request(request) = &mut message
        && let ClientRequest::CallToolRequest(call) = &mut request.request
        && !members.is_empty()
        && (link.is_some() || connection.over_http.is_set())
    {
        let members = CarriedMembers(Arc::new(members.clone()));
        call.extensions.insert(members);
    }
    let Some(link) = link else {
        return Some(message);
    };
    match &mut message {
        JsonRpcMessage::Notification(notification) => match &mut notification.notification {
            ClientNotification::CustomNotification(custom) => {
                let is_ours = notified(connected, custom);
                if is_ours {
                    return None;
                }
            }
            // The SDK sends no answer to a cancelled request, so the work of that answer stops waiting.
            ClientNotification::CancelledNotification(cancelled) => {
                let id = cancelled.params.request_id.as_ref();
                if let Some((link, work)) = id.and_then(|id| connected.leaves(id)) {
                    work.ended(&link);
                }
            }
            _ => {}
        },
        JsonRpcMessage::Request(message) => {
            if let ClientRequest::CustomRequest(custom) = &mut message.request {
                request(link, custom);
            }
        }
        JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {
            if let Some(id) = answers(&message) {
                connected.settled(id);
            }
        }
    }
    Some(message)
}

/// Takes a notification of MCPL. Returns whether it was one.
pub(crate) fn notified(connected: &HostConnection, notification: &mut CustomNotification) -> bool {
    let Some(link) = connected.link() else {
        return false;
    };
    if notification.method == method::INFERENCE_CHUNK {
        connected.chunk(notification.params.take());
        return true;
    }
    link.notified(&notification.method, &mut notification.params)
}

fn request(link: &Arc<Link>, custom: &mut CustomRequest) {
    let stashed = if custom.method == method::FEATURE_SETS_UPDATE {
        Some(Stashed::DispatchedAnswer(
            link.update_requested(custom.params.take()),
        ))
    } else {
        link.turn(&custom.method).map(Stashed::Turn)
    };
    if stashed.is_some() {
        let stash: Stash = Arc::new(Mutex::new(stashed));
        custom.extensions.insert(stash);
    }
}

/// Corrects a message before it is sent. Returns the work to do when it is sent, with its link.
pub(crate) fn outbound(
    message: &mut ServerJsonRpcMessage,
    connected: &HostConnection,
) -> Option<(Arc<Link>, AfterSend)> {
    connected.link()?;
    match message {
        JsonRpcMessage::Request(request) => {
            if let ServerRequest::CustomRequest(custom) = &mut request.request
                && let Some(OwnRequest(chunks)) = custom.extensions.remove::<OwnRequest>()
            {
                connected.sent(request.id.clone(), chunks);
                // rmcp adds a progress token to every request, and MCPL requests have none.
                if let Some(meta) = custom.extensions.get_mut::<RequestMetaObject>() {
                    meta.remove("progressToken");
                    if meta.is_empty() {
                        custom.extensions.remove::<RequestMetaObject>();
                    }
                }
            }
            None
        }
        JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {
            connected.leaves(answers(message)?)
        }
        JsonRpcMessage::Notification(notification) => {
            // This may cancel a request that the SDK gave up before it was sent.
            if let ServerNotification::CancelledNotification(cancelled) = &notification.notification
                && let Some(id) = &cancelled.params.request_id
            {
                connected.settled(id);
            }
            None
        }
    }
}
