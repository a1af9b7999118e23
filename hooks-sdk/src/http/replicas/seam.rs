//! What the door gives to replicas, until it is merged.

use rmcp::{
    model::ClientJsonRpcMessage,
    transport::streamable_http_server::session::{SessionManager as _, local::LocalSessionManager},
};

pub(in crate::http) type SessionManager = LocalSessionManager;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::http) struct ReplicaId(pub(in crate::http) [u8; 16]);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::http) enum Addressed {
    Request,
    Answer(Option<ReplicaId>),
    Cancel,
    Progress(Option<ReplicaId>),
    Notification,
}

pub(in crate::http) fn addressed_to(body: &[u8]) -> Addressed {
    let value: serde_json::Value = serde_json::from_slice(body).unwrap_or_default();
    let of = |id: &serde_json::Value| {
        let (replica, _) = id.as_str()?.split_once('.')?;
        Some(ReplicaId(
            u128::from_str_radix(replica, 16).ok()?.to_be_bytes(),
        ))
    };
    match value["method"].as_str() {
        Some("notifications/cancelled") => Addressed::Cancel,
        Some("notifications/progress") => {
            Addressed::Progress(of(&value["params"]["progressToken"]))
        }
        Some(_) if value.get("id").is_some() => Addressed::Request,
        Some(_) => Addressed::Notification,
        None => Addressed::Answer(of(&value["id"])),
    }
}

pub(super) async fn deliver(manager: &SessionManager, session: &str, body: &[u8]) -> bool {
    let Ok(message) = serde_json::from_slice::<ClientJsonRpcMessage>(body) else {
        return false;
    };
    manager
        .accept_message(&session.into(), message)
        .await
        .is_ok()
}
