//! What the door gives to replicas.

use bytes::Bytes;

pub(in crate::http) use crate::http::door::{Addressed, ReplicaId, SessionManager, addressed_to};

pub(super) async fn deliver(manager: &SessionManager, session: &str, body: &[u8]) -> bool {
    manager.deliver(session, Bytes::copy_from_slice(body)).await
}
