//! The HTTP request around a request: its hooks and those of the call in it share their contexts.

use std::sync::{Arc, Mutex};

use super::{active::PolicyVersion, built::Built};
use crate::server::{McpContext, lock};
use hooks_plugin::Contexts;

/// Returns the contexts of the HTTP request around a request.
#[cfg(feature = "http")]
pub(super) fn outer(cx: &McpContext) -> Option<OuterContexts> {
    crate::server::request::http_extension(cx).cloned()
}

#[cfg(not(feature = "http"))]
pub(super) fn outer(_: &McpContext) -> Option<OuterContexts> {
    None
}

/// The contexts of one HTTP request. The layer around the transport puts them into the request's extensions, so
/// that the hooks of the call inside share them.
#[derive(Clone, Debug)]
#[cfg_attr(
    not(feature = "http"),
    allow(dead_code, reason = "HTTP alone makes them")
)]
pub(crate) struct OuterContexts {
    contexts: Arc<Mutex<Contexts>>,
    /// Whose hooks the HTTP request met, and their version.
    built: Arc<Built>,
    policy: Arc<PolicyVersion>,
}

impl OuterContexts {
    #[cfg(feature = "http")]
    pub(crate) fn new(
        contexts: Contexts,
        points: &super::HttpPoints,
        policy: Arc<PolicyVersion>,
    ) -> OuterContexts {
        OuterContexts {
            contexts: Arc::new(Mutex::new(contexts)),
            built: points.built.clone(),
            policy,
        }
    }

    /// Returns the version of this policy with which the HTTP request began.
    pub(super) fn policy_of(&self, built: &Built) -> Option<Arc<PolicyVersion>> {
        std::ptr::eq(&*self.built, built).then(|| self.policy.clone())
    }

    /// Returns a copy of the contexts as they are now.
    pub(crate) fn now(&self) -> Contexts {
        lock(&self.contexts).clone()
    }

    /// Keeps what the hooks of the call wrote.
    pub(super) fn keep(&self, inner: &Contexts) {
        lock(&self.contexts).take_from(inner);
    }
}
