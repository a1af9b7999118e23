//! Where a step happens: the session, the turn, the client and its user.

use std::sync::{Arc, Mutex, OnceLock};

use rmcp::{RoleServer, service::RequestContext};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::unseen::hex;
use crate::{
    aos::{Agent, StepIds},
    server::{
        lock::lock,
        request::{client_name, own_client_session, own_key, principal},
        way::{Call, Place},
    },
    store::Key,
};

/// The member of `_meta` in which a client names the turn of its request.
const TURN_META: &str = "hooks-sdk/turn";

/// The longest id of a turn and the longest `traceparent`, in bytes. The SDK ignores a longer one.
const LONGEST: usize = 256;

/// What all steps of a connection share.
#[derive(Default)]
struct OfConnection {
    agent: OnceLock<Arc<Agent>>,
    /// The last session, and its name for guardians.
    session: Mutex<Option<(Key, String)>>,
}

/// Returns the ids of a step in the session and the turn of a request.
pub(super) fn ids(cx: &RequestContext<RoleServer>, call: &Call) -> StepIds {
    let session = session(cx, call);
    let turn = cx.meta.get(TURN_META).and_then(Value::as_str);
    match turn.filter(|turn| (1..=LONGEST).contains(&turn.len())) {
        Some(turn) => StepIds::in_turn(session, turn),
        None => StepIds::new(session),
    }
}

/// Returns the client's own id of the session. Without one, returns a digest of the session's key, because the key itself
/// opens the session.
fn session(cx: &RequestContext<RoleServer>, call: &Call) -> String {
    if let Some(own) = own_client_session(cx, &call.connection) {
        return own.to_owned();
    }
    let key = call.session.clone();
    let key = key.or_else(|| own_key(cx, &call.connection));
    // On 2026-07-28 a request without a handle belongs to no session.
    let key = key.unwrap_or_else(|| Key::new(&call.connection.number().to_be_bytes()));
    let slot = call.connection.slot::<OfConnection>(Place::Guardian);
    let mut last = lock(&slot.session);
    if let Some((known, name)) = &*last
        && *known == key
    {
        return name.clone();
    }
    let name = hex(&Sha256::digest(key.as_slice())[..16]);
    *last = Some((key, name.clone()));
    name
}

/// Returns the observed server with the client that calls it.
pub(super) fn agent(
    server: &Arc<Agent>,
    cx: &RequestContext<RoleServer>,
    call: &Call,
) -> Arc<Agent> {
    let slot = call.connection.slot::<OfConnection>(Place::Guardian);
    let with_client = || {
        let Some(name) = client_name(cx) else {
            return server.clone();
        };
        let version = cx.meta.client_info().map(|client| client.version);
        let version = version.or_else(|| Some(cx.peer.peer_info()?.client_info.version.clone()));
        let mut agent = Agent::clone(server);
        let metadata = agent.metadata.get_or_insert_with(|| json!({}));
        if metadata.is_null() {
            *metadata = json!({});
        }
        metadata["client"] = json!({"name": name, "version": version});
        Arc::new(agent)
    };
    slot.agent.get_or_init(with_client).clone()
}

/// Returns the principal that the HTTP layer or the settings of the sessions found for the request.
pub(super) fn user(
    of: Option<&Principal>,
    cx: &RequestContext<RoleServer>,
) -> Option<String> {
    match of {
        Some(of) => of(cx),
        None => principal(cx),
    }
}

/// Returns the trace of the request.
pub(super) fn trace_parent(cx: &RequestContext<RoleServer>) -> Option<&str> {
    let trace = cx.meta.get_traceparent();
    trace.filter(|trace| trace.len() <= LONGEST)
}
