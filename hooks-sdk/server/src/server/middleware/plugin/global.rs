//! What all hooks of one request share: who sent it, and what it is about.

use std::{
    hash::BuildHasher,
    io::Write,
    sync::{Arc, Mutex, OnceLock},
};

use rmcp::{RoleServer, service::RequestContext};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::{built::Built, http::outer, lists::Lists, state::session_of};
use crate::server::{
    lock,
    pipeline::{Pipeline, RequestState},
    request::{claims, principal, sender, tenant},
};
use hooks_core::store::Key;
use hooks_plugin::{GlobalContext, ListOf};

/// The member of the shared metadata that is the request's own.
const REQUEST: &str = "request";

/// What begins the names of this SDK's own members.
const OURS: &str = "hooks-sdk/";

/// Returns the `_meta` of a request, without our own members.
fn sent(cx: &RequestContext<RoleServer>) -> Option<Value> {
    let theirs = cx.meta.iter().filter(|(name, _)| !name.starts_with(OURS));
    let sent: Map<String, Value> = theirs
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    (!sent.is_empty()).then_some(Value::Object(sent))
}

/// The texts that all requests of a connection share.
#[derive(Default)]
pub(in crate::server) struct SharedTexts {
    number: OnceLock<String>,
    /// The last session, and its name for hooks.
    session: Mutex<Option<(Key, String)>>,
}

impl Built {
    /// Returns what all hooks of a request share, without the definition of its item.
    pub(super) fn global(
        &self,
        cx: &RequestContext<RoleServer>,
        call: &RequestState,
    ) -> GlobalContext {
        let own = call.connection.names.get_or_init(Box::default);
        let mut global = match outer(cx) {
            Some(outer) => outer.global(),
            None => GlobalContext::new(own.id_of(cx, call)),
        };
        global.user = match &self.policy.user {
            Some(of) => of(cx),
            None => principal(cx),
        };
        global.tenant_id = match &self.policy.tenant {
            Some(of) => of(cx),
            None => tenant(cx),
        };
        global = global.with_claims(claims(cx));
        global.server_id.clone_from(&self.server_id);
        #[cfg(feature = "cli")]
        if let Some(dry) = &self.policy.dry {
            dry.tell(&mut global);
        }
        global.session = session_of(cx, call).map(|key| own.name_of(key));
        let (sender, session) = sender(cx, &call.connection);
        let peer = self.hasher.hash_one(sender);
        let mut global = global.sent_by(peer, self.hasher.hash_one(session));
        if let Some(sent) = sent(cx) {
            // Under a name of its own, so that no client writes what a hook has to have written.
            global.metadata.insert(REQUEST.to_owned(), sent);
        }
        global
    }
}

/// Sets where the definition of the item comes from.
pub(super) fn defined(
    global: GlobalContext,
    lists: &Lists,
    (list, name): (ListOf, &str),
    pipeline: &Pipeline,
) -> GlobalContext {
    let (pipeline, name) = (pipeline.clone(), name.to_owned());
    let (lists, hooked) = (lists.clone(), lists.clone());
    let global =
        global.defined_by(move || lists.definition(list, &name, &pipeline).map(Value::Object));
    if hooked.is_empty() {
        // The definition is shown as it is.
        return global.shown_as_defined();
    }
    global.shown_by(move |definition| {
        let members = definition.as_object()?.clone();
        hooked.shown(list, members).map(Value::Object)
    })
}

impl SharedTexts {
    /// Returns the id of a request that did not pass the points of HTTP.
    fn id_of(&self, cx: &RequestContext<RoleServer>, call: &RequestState) -> Arc<str> {
        let number = self
            .number
            .get_or_init(|| hex(&call.connection.number().to_be_bytes()));
        // The hexadecimal digits, a hyphen and a number of 64 bits.
        let mut text = [0; 64];
        let mut rest = &mut text[..];
        let is_whole = write!(rest, "{number}-{}", cx.id).is_ok();
        let length = 64 - rest.len();
        match str::from_utf8(&text[..length]) {
            Ok(id) if is_whole => id.into(),
            _ => format!("{number}-{}", cx.id).into(),
        }
    }

    /// Returns the name of a session for hooks. The key itself opens the session.
    fn name_of(&self, key: Key) -> String {
        let mut last = lock(&self.session);
        if let Some((known, name)) = &*last
            && *known == key
        {
            return name.clone();
        }
        let name = hex(&Sha256::digest(key.as_slice())[..12]);
        *last = Some((key, name.clone()));
        name
    }
}

pub(super) fn hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits
        .map(|digit| char::from(b"0123456789abcdef"[usize::from(digit)]))
        .collect()
}
