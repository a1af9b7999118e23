//! Puts the members of a message together.

use rmcp::{
    RoleServer,
    model::{
        ClientNotification, ClientRequest, ClientResult, CustomNotification, CustomRequest,
        GetExtensions, JsonObject, JsonRpcMessage, NotificationMetaObject, RequestId,
        RequestMetaObject,
    },
    service::RxJsonRpcMessage,
};
use serde_json::Value;

use super::{Read, params::Beside};
use crate::server::transport::methods::{Method, Standard};

/// A method, by its name.
pub(super) enum MethodName {
    Standard(Method),
    Custom(String),
}

/// The members of a message.
#[derive(Default)]
pub(super) struct MessageMembers {
    pub(super) is_version_2: bool,
    pub(super) id: Option<RequestId>,
    pub(super) method: Option<MethodName>,
    pub(super) payload: Option<Payload>,
    pub(super) beside: Beside,
}

/// The params or the result.
#[expect(clippy::large_enum_variant, reason = "a box costs more than a move")]
pub(super) enum Payload {
    Standard(Standard),
    Custom(JsonObject),
    Result(ClientResult),
    /// It comes before the member that decides how to read it.
    Early,
}

impl MessageMembers {
    /// Returns the message. Returns `None` if rmcp might read these members differently.
    pub(super) fn message(self) -> Option<Read> {
        let MessageMembers { id, beside, .. } = self;
        if !self.is_version_2 {
            return None;
        }
        let meta = beside.meta;
        let message = match (id, self.method, self.payload) {
            (id, Some(MethodName::Standard(method)), payload) => {
                let standard = match payload {
                    Some(Payload::Standard(standard)) => standard,
                    None => method.without_params()?,
                    _ => return None,
                };
                match (id, standard) {
                    (Some(id), Standard::Request(request)) => request_of(id, request, meta),
                    (None, Standard::Notification(notification)) => {
                        notification_of(notification, meta)
                    }
                    _ => return None,
                }
            }
            (id, Some(MethodName::Custom(method)), payload) => {
                let params = match payload {
                    Some(Payload::Custom(params)) => Some(Value::Object(params)),
                    None => None,
                    _ => return None,
                };
                match id {
                    Some(id) => {
                        let request = CustomRequest::new(method, params);
                        request_of(id, ClientRequest::CustomRequest(request), meta)
                    }
                    None => {
                        let told = CustomNotification::new(method, params);
                        notification_of(ClientNotification::CustomNotification(told), meta)
                    }
                }
            }
            (Some(id), None, Some(Payload::Result(result))) => JsonRpcMessage::response(result, id),
            _ => return None,
        };
        Some(Read {
            message,
            members: beside.members,
        })
    }
}

#[inline]
fn request_of(
    id: RequestId,
    mut request: ClientRequest,
    meta: Option<JsonObject>,
) -> RxJsonRpcMessage<RoleServer> {
    if let Some(meta) = meta {
        let meta = RequestMetaObject::from(meta);
        request.extensions_mut().insert(meta);
    }
    JsonRpcMessage::request(request, id)
}

#[inline]
fn notification_of(
    mut notification: ClientNotification,
    meta: Option<JsonObject>,
) -> RxJsonRpcMessage<RoleServer> {
    if let Some(meta) = meta {
        let meta = NotificationMetaObject::from(meta);
        notification.extensions_mut().insert(meta);
    }
    JsonRpcMessage::notification(notification)
}
