//! Who sent a request.

use std::{fmt, sync::Arc};

/// The authenticated sender of an HTTP request.
///
/// The sessions, the policy and the guardian of a server read it from the extensions of the request. An
/// authentication layer of your own may insert it there.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Principal {
    name: Arc<str>,
    tenant: Option<Arc<str>>,
}

impl Principal {
    /// Names a sender. Two senders never have the same name, whatever their tenants are.
    pub fn new(name: impl Into<Arc<str>>) -> Principal {
        Principal {
            name: name.into(),
            tenant: None,
        }
    }

    /// Sets the tenant of the sender, for the hooks of the policy.
    #[must_use]
    pub fn of_tenant(mut self, tenant: impl Into<Arc<str>>) -> Principal {
        self.tenant = Some(tenant.into());
        self
    }

    /// Returns the name.
    pub fn as_str(&self) -> &str {
        &self.name
    }

    /// Returns the tenant.
    pub fn tenant(&self) -> Option<&str> {
        self.tenant.as_deref()
    }
}

impl From<String> for Principal {
    fn from(name: String) -> Principal {
        Principal::new(name)
    }
}

impl fmt::Debug for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Principal")
            .field("name", &self.name)
            .field("tenant", &self.tenant)
            .finish()
    }
}
