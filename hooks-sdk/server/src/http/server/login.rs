//! The login of a server: which tokens it accepts, and which scopes a request needs.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use axum::{Router, body::Body, response::IntoResponse, routing::any};
use http::{Request, request::Parts};

use super::{Server, TransportSettings, pipeline::EntryChecks};
#[cfg(feature = "plugin")]
use crate::server::HttpPoints;
use crate::{
    http::Principal,
    server::{HookedService, is_listening},
};
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
    pub(super) fn login(
        &mut self,
        hooked: &HookedService,
    ) -> Result<Option<LoginChecks>, HttpError> {
        let Some(oauth) = self.oauth.take() else {
            return Ok(None);
        };
        if self.principal.is_some() || !self.tokens.is_empty() {
            return Err(HttpError::setting(
                "the server has a login, and also `bearer` or `principal`",
                "remove `bearer` and `principal`: the token says who sends a request",
            ));
        }
        #[cfg(not(feature = "plugin"))]
        let _ = hooked;
        Ok(Some(LoginChecks {
            login: oauth.login(&self.path)?,
            #[cfg(feature = "plugin")]
            points: hooked.http_points(),
        }))
    }
}

/// Checks the tokens of requests, and the scopes that the server and the rules of its policy ask for.
pub(super) struct LoginChecks {
    login: Login,
    #[cfg(feature = "plugin")]
    points: Option<HttpPoints>,
}

impl LoginChecks {
    /// Checks the token of a request, and tells the layers behind who sends it. Returns how long the token is still good.
    pub(super) async fn admit(&self, parts: &mut Parts) -> Result<Option<Duration>, HttpRefusal> {
        let admitted = self.login.admit(parts).await?;
        parts.extensions.insert(admitted.principal);
        Ok(admitted.lasts)
    }

    /// Refuses a request whose sender lacks a scope that the server asks for, or that a rule of the policy asks for the item that
    /// the body names.
    pub(super) fn check_scopes(&self, parts: &Parts, body: &[u8]) -> Result<(), HttpRefusal> {
        let Some(principal) = parts.extensions.get::<Principal>() else {
            return Ok(());
        };
        #[cfg(feature = "plugin")]
        if let Some(points) = &self.points {
            let policy = points.policy();
            let scopes = points.scopes_for(&policy, principal, body);
            return self.login.check_scopes(principal, &scopes);
        }
        _ = body;
        self.login.check_scopes(principal, &[])
    }

    /// Returns the scopes that the rules of the policy ask for.
    fn scopes_of_rules(&self) -> BTreeSet<String> {
        #[cfg(feature = "plugin")]
        if let Some(points) = &self.points {
            let policy = points.policy();
            let scopes = policy.chain.hooks().flat_map(|hook| hook.its_scopes());
            return scopes.map(str::to_owned).collect();
        }
        BTreeSet::new()
    }
}

/// Returns how long the answer to a message may last: a stream that has no end of its own ends with its token.
pub(super) fn lasting(lasts: Option<Duration>, body: &[u8]) -> Option<Duration> {
    lasts.filter(|_| is_listening(body))
}

/// Adds the metadata of the login to the routes.
pub(super) fn mounted(
    mut router: Router<Arc<EntryChecks>>,
    pipeline: &Arc<EntryChecks>,
) -> Router<Arc<EntryChecks>> {
    let Some(login) = &pipeline.login else {
        return router;
    };
    for path in login.login.paths() {
        let pipeline = pipeline.clone();
        let answer = move |request: Request<Body>| async move {
            if let Err(refusal) = pipeline.admits_name(&request) {
                return refusal.response(request.method());
            }
            let Some(login) = &pipeline.login else {
                return http::StatusCode::NOT_FOUND.into_response();
            };
            login.login.metadata(&request, login.scopes_of_rules())
        };
        router = router.route(path, any(answer));
    }
    router
}
