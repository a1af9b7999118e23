//! The check of a request, the challenges, and the metadata by which clients find the issuers (RFC 9728).

use std::{
    collections::BTreeSet,
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use axum::body::Body;
use http::{
    HeaderMap, HeaderValue, Request, Response, StatusCode, header::AUTHORIZATION, request::Parts,
};
use reqwest::Url;
use serde_json::{Value, json};

use super::{
    introspection::Introspection,
    keys::IssuerKeys,
    token::{self, MAX_TOKEN, Rejection},
};
use crate::{bearer::credentials, document, refusal::HttpRefusal};
use hooks_core::Principal;

/// Where the metadata of a resource is.
const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// The headers that a page may send with a request for the metadata. A client of MCP sends the last one.
const SENT: &str = "Content-Type, If-None-Match, MCP-Protocol-Version";

/// Checks the tokens of requests.
#[derive(Debug)]
pub struct Login {
    pub(super) resource: String,
    pub(super) audiences: Vec<String>,
    pub(super) issuers: Vec<Arc<IssuerKeys>>,
    pub(super) introspection: Option<Arc<Introspection>>,
    pub(super) scopes: Vec<String>,
    /// The public URL of the metadata.
    pub(super) metadata: String,
    /// The paths of the metadata at this server.
    pub paths: BTreeSet<String>,
}

/// Returns where the metadata of a login is: its public URL, and its paths at a server that has MCP at `path`.
pub(super) fn metadata_places(resource: &Url, path: &str) -> (String, BTreeSet<String>) {
    let public = match resource.path() {
        "/" => WELL_KNOWN.to_owned(),
        path => format!("{WELL_KNOWN}{path}"),
    };
    let mut url = resource.clone();
    url.set_path(&public);
    let own = format!("{WELL_KNOWN}{path}");
    let paths = BTreeSet::from([public, own, WELL_KNOWN.to_owned()]);
    (url.into(), paths)
}

impl Login {
    /// Checks the token of a request, and takes it out of the request: nothing behind the check sees it. The sender, its issuer
    /// and its subject with the claims of its token, becomes the [`Principal`] of the request. Returns how long the token is
    /// still good, or `None` for one without an end.
    ///
    /// # Errors
    ///
    /// There is no token, or it is wrong.
    pub async fn admit(&self, parts: &mut Parts) -> Result<Option<Duration>, HttpRefusal> {
        let sent = token_of(&parts.headers).map_err(|why| self.invalid(why))?;
        let token = sent.ok_or_else(|| self.challenge())?.to_owned();
        parts.headers.remove(AUTHORIZATION);
        let claims = match self.claims(&token).await {
            Ok(claims) => claims,
            Err(Rejection::Invalid(why)) => return Err(self.invalid(why)),
            Err(Rejection::Unavailable(why)) => {
                return Err(HttpRefusal::new(
                    StatusCode::SERVICE_UNAVAILABLE,
                    format!("the token cannot be checked: {why}; send the request again"),
                ));
            }
        };
        let text = |name: &str| claims.get(name).and_then(Value::as_str).unwrap_or_default();
        // An issuer has no fragment, so two pairs never have the same name.
        let name = format!("{}#{}", text("iss"), text("sub"));
        let expires = claims.get("exp").and_then(Value::as_f64);
        (parts.extensions).insert(Principal::new(name).with_claims(claims));
        Ok(expires.map(until))
    }

    async fn claims(&self, token: &str) -> Result<serde_json::Map<String, Value>, Rejection> {
        match &self.introspection {
            Some(asked) if !token::is_jwt(token) => asked.claims(token).await,
            _ => token::claims(token, &self.issuers, &self.audiences).await,
        }
    }

    /// Refuses a sender who lacks a scope of the server or one of `more`.
    ///
    /// # Errors
    ///
    /// The refusal names all scopes that the request needs.
    pub fn check_scopes(&self, principal: &Principal, more: &[&str]) -> Result<(), HttpRefusal> {
        let own = self.scopes.iter().map(String::as_str);
        let mut needed: Vec<&str> = Vec::new();
        for scope in own.chain(more.iter().copied()) {
            if !needed.contains(&scope) {
                needed.push(scope);
            }
        }
        if needed.iter().all(|scope| principal.has_scope(scope)) {
            return Ok(());
        }
        let all = needed.join(" ");
        let sentence = format!("the token lacks a scope: this request needs `{all}`");
        let challenge = format!(
            "Bearer error=\"insufficient_scope\", scope=\"{all}\", resource_metadata=\"{}\"",
            self.metadata
        );
        Err(refused(StatusCode::FORBIDDEN, sentence, challenge))
    }

    /// Refuses a request without a token.
    fn challenge(&self) -> HttpRefusal {
        let challenge = format!("Bearer {}", self.pointer());
        let sentence =
            "this server needs an access token: send it as `Authorization: Bearer <token>`";
        refused(StatusCode::UNAUTHORIZED, sentence, challenge)
    }

    /// Refuses a wrong token.
    fn invalid(&self, why: &str) -> HttpRefusal {
        let challenge = format!(
            "Bearer error=\"invalid_token\", error_description=\"{why}\", {}",
            self.pointer()
        );
        let sentence = format!("the access token is not accepted: {why}");
        refused(StatusCode::UNAUTHORIZED, sentence, challenge)
    }

    /// Returns what tells a client where to get a token.
    fn pointer(&self) -> String {
        let url = &self.metadata;
        match self.scopes.is_empty() {
            true => format!("resource_metadata=\"{url}\""),
            false => {
                let scopes = self.scopes.join(" ");
                format!("resource_metadata=\"{url}\", scope=\"{scopes}\"")
            }
        }
    }

    /// Answers a request for the metadata. `more` are the scopes of rules.
    pub fn metadata<B>(&self, request: &Request<B>, more: BTreeSet<String>) -> Response<Body> {
        let mut scopes = self.scopes.clone();
        let is_new = |scope: &String| !self.scopes.contains(scope);
        scopes.extend(more.into_iter().filter(is_new));
        let mut metadata = json!({
            "resource": self.resource,
            "authorization_servers": self.issuers.iter().map(|keys| &keys.issuer).collect::<Vec<_>>(),
            "bearer_methods_supported": ["header"],
        });
        if !scopes.is_empty() {
            metadata["scopes_supported"] = scopes.into();
        }
        let text = metadata.to_string();
        document::answer(request, "application/json", SENT, text)
    }
}

/// Returns the token of a request, or `None` if there is none.
///
/// # Errors
///
/// Says why it cannot be used.
fn token_of(headers: &HeaderMap) -> Result<Option<&str>, &'static str> {
    if headers.get_all(AUTHORIZATION).iter().count() > 1 {
        return Err("the request has two tokens");
    }
    let Some(token) = credentials(headers, "Bearer") else {
        return Ok(None);
    };
    if token.len() > MAX_TOKEN {
        return Err("it is too long");
    }
    // RFC 6750 §2.1: what a token may consist of.
    let is_allowed = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(byte);
    match str::from_utf8(token) {
        Ok(text) if !text.is_empty() && token.iter().all(is_allowed) => Ok(Some(text)),
        _ => Err("it is empty, or has a character that no token has"),
    }
}

/// Returns the time until a moment in seconds since 1970.
fn until(seconds: f64) -> Duration {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let left = seconds - now.as_secs_f64();
    Duration::try_from_secs_f64(left.max(0.0)).unwrap_or(Duration::MAX)
}

/// Refuses a request with a challenge. Every part of it was checked: the URL, the scopes, and sentences of ours.
fn refused(status: StatusCode, sentence: impl Into<String>, challenge: String) -> HttpRefusal {
    let challenge = HeaderValue::try_from(challenge);
    let challenge = challenge.unwrap_or(HeaderValue::from_static("Bearer"));
    HttpRefusal::new(status, sentence).challenging(challenge)
}
