//! Who sent a request.

use std::{
    hash::{Hash, Hasher},
    sync::Arc,
};

use serde_json::{Map, Value};

use crate::macros::{debugs, setters};

/// The authenticated sender of an HTTP request.
///
/// The sessions, the policy and the guardian of a server read it from the extensions of the request. An
/// authentication layer of your own may insert it there.
///
/// Two principals are equal if they have the same name and tenant, whatever their claims are.
#[derive(Clone)]
pub struct Principal {
    name: Arc<str>,
    tenant: Option<Arc<str>>,
    claims: Option<Arc<Map<String, Value>>>,
}

impl Principal {
    /// Names a sender. Two senders never have the same name, whatever their tenants are.
    pub fn new(name: impl Into<Arc<str>>) -> Principal {
        Principal {
            name: name.into(),
            tenant: None,
            claims: None,
        }
    }

    setters! {
        /// Sets the tenant of the sender, for the hooks of the policy.
        fn of_tenant(mut self, tenant: impl Into<Arc<str>>) { self.tenant = Some(tenant.into()) }

        /// Sets the checked claims of the sender's token, for hooks, conditions and guardians.
        fn with_claims(mut self, claims: Map<String, Value>) { self.claims = Some(Arc::new(claims)) }
    }

    /// Returns the sender without its claims, which are those of one token.
    #[must_use]
    pub fn without_claims(&self) -> Principal {
        Principal {
            claims: None,
            ..self.clone()
        }
    }

    /// Returns the name.
    pub fn as_str(&self) -> &str {
        &self.name
    }

    /// Returns the tenant.
    pub fn tenant(&self) -> Option<&str> {
        self.tenant.as_deref()
    }

    /// Returns the checked claims of the sender's token.
    pub fn claims(&self) -> Option<&Arc<Map<String, Value>>> {
        self.claims.as_ref()
    }

    /// Returns whether the sender's token has a scope, in its claim `scope` (a text with spaces) or `scp` (a text or an
    /// array).
    pub fn has_scope(&self, scope: &str) -> bool {
        let claims = self.claims.as_deref();
        claims.is_some_and(|claims| has_scope(claims, scope))
    }
}

/// Returns whether the claims of a token have a scope.
pub fn has_scope(claims: &Map<String, Value>, scope: &str) -> bool {
    let among = |text: &str| text.split(' ').any(|own| own == scope);
    ["scope", "scp"].iter().any(|name| match claims.get(*name) {
        Some(Value::String(text)) => among(text),
        Some(Value::Array(all)) => all.iter().any(|own| own.as_str() == Some(scope)),
        _ => false,
    })
}

impl From<String> for Principal {
    fn from(name: String) -> Principal {
        Principal::new(name)
    }
}

impl PartialEq for Principal {
    fn eq(&self, other: &Principal) -> bool {
        (&self.name, &self.tenant) == (&other.name, &other.tenant)
    }
}

impl Eq for Principal {}

impl Hash for Principal {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.name, &self.tenant).hash(state);
    }
}

// Without the claims: they are about a person.
debugs!(Principal { name, tenant });
