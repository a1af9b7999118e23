//! `scope/elevate`, and whether a label is in scope already (MCPL 0.4.1 §7).

use super::Host;
use crate::mcpl::{
    Elevation, Link, Scope, ScopeElevate, Scoped, SendError, Version, cx::is_in_hook, method,
};

impl Host {
    /// Asks the host for its leave to act in a scope. What is to be used is the payload that comes back, which the host
    /// may have completed.
    ///
    /// # Errors
    ///
    /// As every request; 0.5 has no scopes, so there it is always refused.
    pub async fn elevate<F: Scoped>(&self, scope: Scope) -> Result<Elevation, SendError> {
        self.connected()?.elevate(F::DEFINITION.name, scope).await
    }

    /// Whether the host's whitelist for a set has this very label. Patterns are the host's own, so for every other
    /// label it is to be [asked](Host::elevate).
    pub fn is_whitelisted<F: Scoped>(&self, label: &str) -> bool {
        let name = F::DEFINITION.name;
        self.link()
            .is_some_and(|link| link.is_whitelisted(name, label))
    }
}

impl Link {
    pub(in crate::mcpl) async fn elevate(
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
        self.gate(name, None)?;
        self.ask(method::SCOPE_ELEVATE, &ScopeElevate::new(name, scope))
            .await
    }

    pub(in crate::mcpl) fn is_whitelisted(&self, name: &str, label: &str) -> bool {
        let live = self.live();
        let Some(lists) = live.policy.scopes().get(name) else {
            return false;
        };
        let has = |list: &Option<Vec<String>>| list.iter().flatten().any(|each| each == label);
        has(&lists.whitelist) && !has(&lists.blacklist)
    }
}
