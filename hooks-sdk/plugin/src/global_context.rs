//! What all hooks of a request share.

use std::{
    fmt,
    sync::{Arc, OnceLock},
};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::SharedMap;
use hooks_core::internal::{has_scope, setters};

/// What all hooks of one request share (document §5.1.2).
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct GlobalContext {
    /// The id of the request: opaque, and different for every request.
    pub request_id: Arc<str>,
    /// The user who sent the request, if the server knows users.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// The tenant of the user, if the server knows tenants.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant_id: Option<String>,
    /// The server: its name, unless the author set another id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_id: Option<Arc<str>>,
    /// The session of the request, if there is one. It is opaque.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// State that hooks share.
    #[serde(default, skip_serializing_if = "SharedMap::is_empty")]
    pub state: SharedMap,
    /// Metadata that hooks share. The member `request` is the `_meta` of the request as the client sent it, without the
    /// members of this SDK. The client chooses all of it.
    #[serde(default, skip_serializing_if = "SharedMap::is_empty")]
    pub metadata: SharedMap,
    /// The checked claims of the sender's token.
    #[serde(skip)]
    claims: Option<Same<Map<String, Value>>>,
    /// The peer and its session, as the server knows them.
    #[serde(skip)]
    sender: Option<(u64, u64)>,
    #[serde(skip)]
    definitions: Option<Same<Lookup<FindDefinition>>>,
    #[serde(skip)]
    shown: Option<Same<ShowMember>>,
}

type ShowMember = dyn Fn(&Value) -> Option<Value> + Send + Sync;

type FindDefinition = dyn Fn() -> Option<Value> + Send + Sync;

/// A definition that is made at its first use.
struct Lookup<F: ?Sized> {
    found: OnceLock<Option<Value>>,
    find: F,
}

/// What all copies share. Two are equal if they are the same one.
struct Same<T: ?Sized>(Arc<T>);

impl<T: ?Sized> Clone for Same<T> {
    fn clone(&self) -> Same<T> {
        Same(self.0.clone())
    }
}

impl<T: ?Sized> PartialEq for Same<T> {
    fn eq(&self, other: &Same<T>) -> bool {
        Arc::as_ptr(&self.0).cast::<()>() == Arc::as_ptr(&other.0).cast::<()>()
    }
}

impl<T: ?Sized> fmt::Debug for Same<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Same")
    }
}

impl GlobalContext {
    /// Creates the context of a request.
    pub fn new(request_id: impl Into<Arc<str>>) -> GlobalContext {
        GlobalContext {
            request_id: request_id.into(),
            ..GlobalContext::default()
        }
    }

    /// Returns the definition of the called tool, prompt or resource as JSON, if the server knows it: what its list
    /// says of it, before any list hook.
    ///
    /// It is made at the first use in a request.
    pub fn definition(&self) -> Option<&Value> {
        let Same(lookup) = self.definitions.as_ref()?;
        lookup.found.get_or_init(|| (lookup.find)()).as_ref()
    }

    /// Returns the definition of the item as its list shows it to clients: after list hooks. `None` if the definition is
    /// not known, or if a list hook hides the item.
    ///
    /// Each use makes it again.
    pub fn shown(&self) -> Option<Value> {
        let definition = self.definition()?;
        match &self.shown {
            Some(Same(show)) => show(definition),
            None => Some(definition.clone()),
        }
    }

    /// Returns whether the item's annotation `name` is `true`, in its definition or by a list hook. `None` if the
    /// definition is not known.
    pub fn has_hint(&self, name: &str) -> Option<bool> {
        let is_set = |of: &Value| of["annotations"][name] == true;
        let definition = self.definition()?;
        Some(is_set(definition) || self.shown().is_some_and(|shown| is_set(&shown)))
    }

    /// Returns the checked claims of the sender's token, if the server has a login.
    pub fn claims(&self) -> Option<&Map<String, Value>> {
        self.claims.as_ref().map(|claims| &*claims.0)
    }

    /// Returns whether the sender's token has a scope.
    pub fn has_scope(&self, scope: &str) -> bool {
        self.claims().is_some_and(|claims| has_scope(claims, scope))
    }

    /// Returns who sent the request: two opaque numbers, for its peer and for the session that the server gave the peer.
    pub fn sender(&self) -> Option<(u64, u64)> {
        self.sender
    }

    /// Returns whether the server knows the item. It knows every item if nothing says where definitions come from.
    #[cfg(feature = "policy")]
    pub(crate) fn is_known(&self) -> bool {
        self.definitions.is_none() || self.definition().is_some()
    }

    setters! {
        /// Sets how list hooks show the definition of the item.
        fn shown_by(mut self, show: impl Fn(&Value) -> Option<Value> + Send + Sync + 'static) {
            self.shown = Some(Same(Arc::new(show)));
        }

        /// Shows the definition of the item as it is.
        #[doc(hidden)]
        fn shown_as_defined(mut self) { self.shown = None }

        /// Sets the checked claims of the sender's token.
        fn with_claims(mut self, claims: Option<Arc<Map<String, Value>>>) { self.claims = claims.map(Same) }

        /// Sets who sent the request. Limits count by it where the request has no user, so nothing of it may be what a client
        /// chooses.
        fn sent_by(mut self, peer: u64, session: u64) { self.sender = Some((peer, session)) }

        /// Sets where the definition of the item comes from.
        fn defined_by(mut self, find: impl Fn() -> Option<Value> + Send + Sync + 'static) {
            self.definitions = Some(Same(Arc::new(Lookup {
                found: OnceLock::new(),
                find,
            })));
        }
    }

    /// Undoes what a hook changed about who sent the request and what it is about. Returns the changed fields.
    pub(super) fn restore_identity(&mut self, truth: &GlobalContext) -> Vec<&'static str> {
        let mut changed = Vec::new();
        macro_rules! restore {
            ($($field:ident as $name:literal),+) => {$(
                if self.$field != truth.$field {
                    self.$field.clone_from(&truth.$field);
                    changed.push($name);
                }
            )+};
        }
        restore!(
            request_id as "request_id",
            user as "user",
            tenant_id as "tenant_id",
            server_id as "server_id",
            session as "session",
            sender as "sender",
            claims as "claims",
            definitions as "definition",
            shown as "shown"
        );
        changed
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    type Change = fn(GlobalContext) -> GlobalContext;

    #[test]
    fn each_field_of_the_identity_is_restored_alone() {
        let truth = GlobalContext {
            user: Some("ann".to_owned()),
            ..GlobalContext::new("1")
        };
        let changes: [(&str, Change); 9] = [
            ("request_id", |cx| GlobalContext {
                request_id: "2".into(),
                ..cx
            }),
            ("user", |cx| GlobalContext {
                user: Some("root".to_owned()),
                ..cx
            }),
            ("tenant_id", |cx| GlobalContext {
                tenant_id: Some("all".to_owned()),
                ..cx
            }),
            ("server_id", |cx| GlobalContext {
                server_id: Some("another".into()),
                ..cx
            }),
            ("session", |cx| GlobalContext {
                session: Some("another".to_owned()),
                ..cx
            }),
            ("sender", |cx| cx.sent_by(1, 2)),
            ("claims", |cx| cx.with_claims(Some(Arc::default()))),
            ("definition", |cx| cx.defined_by(|| Some(json!({})))),
            ("shown", |cx| cx.shown_by(|_| None)),
        ];
        for (field, change) in changes {
            let mut changed = change(truth.clone());
            assert_eq!(changed.restore_identity(&truth), [field]);
            assert_eq!(changed.restore_identity(&truth), [""; 0], "{field}");
        }
        assert_eq!(truth.clone().restore_identity(&truth), [""; 0]);
    }
}
