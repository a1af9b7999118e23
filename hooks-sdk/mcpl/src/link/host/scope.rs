//! `scope/elevate`, and whether the host's lists already permit a label (MCPL 0.4.1 §7).

use super::Host;
use crate::{
    Elevation, Link, Scope, Scoped, SendError, Version,
    link::cx::is_in_hook,
    wire::{ScopeElevate, method},
};

impl Host {
    /// Asks the host for permission to act in a scope. Use the payload of the answer: the host may have completed it.
    ///
    /// # Errors
    ///
    /// A [`SendError`], as for every request. 0.5 has no scopes, so there the request is always refused.
    pub async fn elevate<F: Scoped>(&self, scope: Scope) -> Result<Elevation, SendError> {
        self.connected()?.elevate(F::DEFINITION.name, scope).await
    }

    /// Whether the host's whitelist for a set contains exactly this label, and no pattern of its blacklist can match
    /// it. Only the host knows what its patterns match, so for every other label [ask it](Host::elevate).
    pub fn is_whitelisted<F: Scoped>(&self, label: &str) -> bool {
        let name = F::DEFINITION.name;
        self.link()
            .is_some_and(|link| link.is_whitelisted(name, label))
    }
}

impl Link {
    pub(crate) async fn elevate(
        &self,
        name: &'static str,
        scope: Scope,
    ) -> Result<Elevation, SendError> {
        if is_in_hook() {
            return Err(SendError::InsideHook);
        }
        if self.version != Version::V04 {
            return Err(SendError::NotInVersion {
                method: method::SCOPE_ELEVATE,
                version: self.version.as_str(),
            });
        }
        self.can_ask(method::SCOPE_ELEVATE)?;
        self.gate(name, None)?;
        self.ask(method::SCOPE_ELEVATE, &ScopeElevate::new(name, scope))
            .await
    }

    pub(crate) fn is_whitelisted(&self, name: &str, label: &str) -> bool {
        let live = self.live();
        let Some(lists) = live.policy.scopes().get(name) else {
            return false;
        };
        let mut white = lists.whitelist.iter().flatten();
        let mut black = lists.blacklist.iter().flatten();
        // The blacklist takes precedence (MCPL 0.4.1 §7.6), and only the host knows what its patterns match.
        white.any(|each| each == label) && black.all(|each| each != label && is_literal(each))
    }
}

/// Whether a list entry matches only itself, both as a glob and as a regular expression.
fn is_literal(entry: &str) -> bool {
    !entry.contains([
        '*', '?', '[', ']', '{', '}', '(', ')', '|', '^', '$', '+', '!', '\\',
    ])
}
