//! Where a step happens: the session, the turn, the client and its user.

use std::sync::{Arc, Mutex, OnceLock};

use rmcp::{RoleServer, service::RequestContext};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::unseen::hex;
use crate::{
    aos::{GuardedCall, GuardianClient, StepIds, User},
    server::{
        lock::lock,
        request::{client_name, own_client_session, own_key, principal, trace_context},
        way::{Call, Place},
    },
    store::Key,
};

/// The member of `_meta` in which a client names the turn of its request.
const TURN_META: &str = "hooks-sdk/turn";

/// The longest id of a turn, in bytes, and the longest name and version of a client, in characters. The SDK ignores a longer
/// id, and cuts the others.
const LONGEST: usize = 256;

/// Returns the principal of a request.
pub(super) type Principal =
    Arc<dyn Fn(&RequestContext<RoleServer>) -> Option<String> + Send + Sync>;

/// What all steps of a connection share.
#[derive(Default)]
struct OfConnection {
    /// The guardian's client, which names the client of this server.
    client: OnceLock<GuardianClient>,
    /// The last session, and its name for guardians.
    session: Mutex<Option<(Key, String)>>,
}

/// Returns the step that a request is.
pub(super) fn guarded(
    client: &GuardianClient,
    of: Option<&Principal>,
    cx: &RequestContext<RoleServer>,
    call: &Call,
) -> GuardedCall {
    let slot = call.connection.slot::<OfConnection>(Place::Guardian);
    let client = slot.client.get_or_init(|| match client_name(cx) {
        Some(name) => {
            let own = cx.meta.client_info().map(|client| client.version);
            let version = own.or_else(|| Some(cx.peer.peer_info()?.client_info.version.clone()));
            let version = version.unwrap_or_default();
            client.clone().called_by(cut(&name), cut(&version))
        }
        None => client.clone(),
    });
    let session = session(cx, call, &slot.session);
    let turn = cx.meta.get(TURN_META).and_then(Value::as_str);
    let mut step = client.at(match turn.filter(|turn| fits(turn)) {
        Some(turn) => StepIds::in_turn(session, turn),
        None => StepIds::new(session),
    });
    let user = match of {
        Some(of) => of(cx),
        None => principal(cx),
    };
    if let Some(user) = user {
        step = step.user(User::new(user));
    }
    if let Some(trace) = trace_context(cx) {
        step = step.trace_parent(trace.parent());
    }
    if let Some(tool) = &call.tool {
        step = step.tool(&**tool);
    }
    GuardedCall::new(step)
}

/// Returns the beginning of what a client says of itself.
fn cut(text: &str) -> &str {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => &text[..end],
        None => text,
    }
}

fn fits(id: &str) -> bool {
    (1..=LONGEST).contains(&id.len())
}

/// Returns the client's own id of the session. Without one, returns a digest of the session's key, because the key itself
/// opens the session.
fn session(
    cx: &RequestContext<RoleServer>,
    call: &Call,
    last: &Mutex<Option<(Key, String)>>,
) -> String {
    if let Some(own) = own_client_session(cx, &call.connection) {
        return own.to_owned();
    }
    let key = call.session.clone();
    let key = key.or_else(|| own_key(cx, &call.connection));
    // On 2026-07-28 a request without a handle belongs to no session.
    let key = key.unwrap_or_else(|| Key::new(&call.connection.number().to_be_bytes()));
    let mut last = lock(last);
    if let Some((known, name)) = &*last
        && *known == key
    {
        return name.clone();
    }
    let name = hex(&Sha256::digest(key.as_slice())[..16]);
    *last = Some((key, name.clone()));
    name
}
