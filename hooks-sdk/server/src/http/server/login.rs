//! The login of a server: which tokens it accepts, and which scopes a request needs.

use std::{collections::BTreeSet, sync::Arc};

use http::request::Parts;

use super::{Server, TransportSettings, pipeline::EntryChecks};
use crate::http::Principal;
use hooks_http::{OAuth, error::HttpError, oauth::Login, refusal::HttpRefusal};

impl Server {
    /// Puts a login before the server: it becomes an OAuth 2.1 resource server, as MCP's authorization of 2026-07-28 describes
    /// it. A request without an access token of one of the issuers is refused with 401, and one whose token lacks a scope
    /// with 403. Default: no login.
    ///
    /// The principal of a request is the issuer and the subject of its token, as `https://login.example.com#alice`. The token
    /// itself is removed from the request. The server answers at `/.well-known/oauth-protected-resource`, with and without the path
    /// of MCP behind it.
    ///
    /// It takes the place of [`bearer`](Server::bearer) and [`principal`](Server::principal).
    pub fn oauth(mut self, oauth: OAuth) -> Server {
        self.settings.oauth = Some(oauth);
        self
    }
}

impl TransportSettings {
    /// Makes the checks of the login, if the author has set one.
    ///
    /// # Errors
    ///
    /// A setting of the login has a wrong value, or another setting says who may ask, too.
    pub(super) fn login(&mut self) -> Result<Option<Arc<Login>>, HttpError> {
        let Some(oauth) = self.oauth.take() else {
            return Ok(None);
        };
        if self.principal.is_some() || !self.tokens.is_empty() {
            return Err(HttpError::setting(
                "the server has a login, and also `bearer` or `principal`",
                "remove `bearer` and `principal`: the token says who sends a request",
            ));
        }
        Ok(Some(Arc::new(oauth.login(&self.path)?)))
    }
}

impl EntryChecks {
    /// Refuses a request whose sender lacks a scope that the login asks for, or that a rule of the policy asks for the item that
    /// the body names.
    pub(super) fn check_scopes(&self, parts: &Parts, body: &[u8]) -> Result<(), HttpRefusal> {
        let principal = parts.extensions.get::<Principal>();
        let Some((login, principal)) = self.login.as_ref().zip(principal) else {
            return Ok(());
        };
        #[cfg(feature = "policy-engine")]
        if let Some(points) = &self.hooks.0 {
            let policy = points.policy();
            let scopes = points.scopes_for(&policy, principal, body);
            return login.check_scopes(principal, &scopes);
        }
        _ = body;
        login.check_scopes(principal, &[])
    }

    /// Returns the scopes that the rules of the policy ask for.
    pub(super) fn scopes_of_rules(&self) -> BTreeSet<String> {
        #[cfg(feature = "policy-engine")]
        if let Some(points) = &self.hooks.0 {
            let policy = points.policy();
            let scopes = policy.chain.hooks().flat_map(|hook| hook.its_scopes());
            return scopes.map(str::to_owned).collect();
        }
        BTreeSet::new()
    }
}
