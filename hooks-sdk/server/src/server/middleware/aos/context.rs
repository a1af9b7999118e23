//! Where a step happens: the session, the turn, the client and its user.

use std::sync::{Mutex, OnceLock};

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use tracing::Span;

use crate::server::{
    McpContext, hex, lock,
    pipeline::RequestState,
    request::{
        self, TextOfRequest, claims, client_name, own_client_session, text_of, trace_context,
    },
};
use hooks_aos::{GuardedCall, GuardianClient, StepIds, User, internal as trace};
use hooks_core::store::Key;

/// The member of `_meta` in which a client names the turn of its request.
pub(super) const TURN_META: &str = "hooks-sdk/turn";

/// The longest id of a turn, in bytes, and the longest name and version of a client, in characters. The SDK ignores a longer
/// id, and cuts the others.
const LONGEST: usize = 256;

/// What all steps of a connection share.
#[derive(Default)]
pub(crate) struct ConnectionTexts {
    /// The guardian's client, which names the client of this server.
    client: OnceLock<GuardianClient>,
    /// The last session, and its name for guardians.
    session: Mutex<Option<Session>>,
}

/// The session of a connection, with its name for guardians and its span.
struct Session {
    key: Key,
    name: String,
    span: Span,
}

/// Returns the step that a request is.
pub(super) fn guarded(
    client: &GuardianClient,
    principal: Option<&TextOfRequest>,
    cx: &McpContext,
    call: &RequestState,
) -> GuardedCall {
    let slot = call.connection.guarded.get_or_init(Box::default);
    let client = slot.client.get_or_init(|| match client_name(cx) {
        Some(name) => {
            let own = cx.meta.client_info().map(|client| client.version);
            let version = own.or_else(|| Some(cx.peer.peer_info()?.client_info.version.clone()));
            let version = version.unwrap_or_default();
            client.clone().called_by(cut(&name), cut(&version))
        }
        None => client.clone(),
    });
    let (session, span) = session(cx, call, &slot.session);
    let ids = ids(session, cx.meta.get(TURN_META));
    let turn = trace::turn(&ids.turn_id, &ids.session_id, &span);
    let mut step = client.at(ids).turn_span(turn);
    if let Some(user) = text_of(cx, principal, request::principal) {
        let mut user = User::new(user);
        if let Some(claims) = claims(cx) {
            let claims = Value::Object((*claims).clone());
            let facts = Map::from_iter([("claims".to_owned(), claims)]);
            user.metadata = Some(Some(facts));
        }
        step = step.user(user);
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

/// Returns the ids of a step, in the turn that the client names.
pub(super) fn ids(session: String, turn: Option<&Value>) -> StepIds {
    let turn = turn.and_then(Value::as_str);
    match turn.filter(|turn| (1..=LONGEST).contains(&turn.len())) {
        Some(turn) => StepIds::in_turn(session, turn),
        None => StepIds::new(session),
    }
}

/// Returns the client's own id of the session, and the span of the session. Without an id, returns a digest of the
/// session's key, because the key itself opens the session.
fn session(cx: &McpContext, call: &RequestState, last: &Mutex<Option<Session>>) -> (String, Span) {
    let own = own_client_session(cx, &call.connection);
    let key = match own {
        Some(own) => Key::new(own.as_bytes()),
        // On 2026-07-28 a request without a handle belongs to no session.
        None => (call.session_key(cx))
            .unwrap_or_else(|| Key::new(&call.connection.number.to_be_bytes())),
    };
    let mut last = lock(last);
    if let Some(known) = &*last
        && known.key == key
    {
        return (known.name.clone(), known.span.clone());
    }
    let name = match own {
        Some(own) => own.to_owned(),
        None => hex(&Sha256::digest(key.as_slice())[..16]),
    };
    let span = trace::session(&name);
    *last = Some(Session {
        key,
        name: name.clone(),
        span: span.clone(),
    });
    (name, span)
}
