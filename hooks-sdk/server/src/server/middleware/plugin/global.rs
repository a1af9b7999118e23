//! What all hooks of one request share: who sent it, and what it is about.

use std::{hash::BuildHasher, sync::Arc};

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::{active::PolicyVersion, built::Built};
use crate::server::{
    McpContext, hex,
    pipeline::{Pipeline, RequestState},
    request::{claims, principal, sender, tenant, text_of},
};
use hooks_plugin::{GlobalContext, ListOf};

/// The member of the shared metadata that is the request's own.
const REQUEST: &str = "request";

/// What begins the names of this SDK's own members.
const OURS: &str = "hooks-sdk/";

/// Returns the `_meta` of a request, without our own members.
fn sent(cx: &McpContext) -> Option<Value> {
    let theirs = cx.meta.iter().filter(|(name, _)| !name.starts_with(OURS));
    let sent: Map<String, Value> = theirs
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    (!sent.is_empty()).then_some(Value::Object(sent))
}

impl Built {
    /// Returns what all hooks of a request share, without the definition of its item. `outer` is what those of its HTTP request
    /// share.
    pub(super) fn global(
        &self,
        cx: &McpContext,
        call: &RequestState,
        outer: Option<GlobalContext>,
    ) -> GlobalContext {
        let number = call.connection.number;
        let new = || GlobalContext::new(format!("{number:032x}-{}", cx.id));
        let mut global = outer.unwrap_or_else(new);
        global.user = text_of(cx, self.policy.user.as_ref(), principal);
        global.tenant_id = text_of(cx, self.policy.tenant.as_ref(), tenant);
        global = global.with_claims(claims(cx));
        global.server_id.clone_from(&self.policy.server_id);
        #[cfg(feature = "cli")]
        if let Some(dry) = &self.policy.dry {
            dry.tell(&mut global);
        }
        // The key itself opens the session.
        let session = call.session_key(cx);
        global.session = session.map(|key| hex(&Sha256::digest(key.as_slice())[..12]));
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
    policy: &Arc<PolicyVersion>,
    (list, name): (ListOf, &str),
    pipeline: &Pipeline,
) -> GlobalContext {
    let (pipeline, name) = (pipeline.clone(), name.to_owned());
    let (own, policy) = (policy.clone(), policy.clone());
    let find = move || own.lists.definition(list, &name, Some(&pipeline));
    let global = global.defined_by(move || find().map(Value::Object));
    if policy.lists.is_empty() {
        // The definition is shown as it is.
        return global.shown_as_defined();
    }
    global.shown_by(move |definition| {
        let members = definition.as_object()?.clone();
        policy.lists.shown(list, members).map(Value::Object)
    })
}
