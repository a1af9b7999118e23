//! Who sent a request.

use std::{fmt, sync::Arc};

/// The authenticated sender of an HTTP request.
///
/// The sessions, the policy and the guardian of a server read it from the extensions of the request. An
/// authentication layer of your own may insert it there.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Principal(Arc<str>);

impl Principal {
    /// Names a sender.
    pub fn new(name: impl Into<Arc<str>>) -> Principal {
        Principal(name.into())
    }

    /// Returns the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Principal").field(&self.0).finish()
    }
}
