//! The check of a request, the challenges, and the metadata by which clients find the issuers (RFC 9728).

use std::{
    collections::BTreeSet,
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use axum::body::Body;
use http::{
    HeaderMap, HeaderValue, Method, Request, Response, StatusCode,
    header::{
        ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
        AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE,
    },
    request::Parts,
};
use reqwest::Url;
use serde_json::{Value, json};

use super::{
    introspection::Introspection,
    token::{self, MAX_TOKEN, Rejection, TrustedIssuer},
};
use crate::refusal::HttpRefusal;
use hooks_core::Principal;

/// Where the metadata of a resource is.
const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// Checks the tokens of requests.
#[derive(Debug)]
pub struct Login {
    resource: String,
    audiences: Vec<String>,
    issuers: Vec<TrustedIssuer>,
    introspection: Option<Arc<Introspection>>,
    scopes: Vec<String>,
    /// The public URL of the metadata.
    metadata_url: String,
    /// The paths of the metadata at this server.
    paths: Vec<String>,
}

/// The sender of a request whose token was checked.
#[derive(Debug)]
pub struct Admitted {
    /// The sender: its issuer and its subject, with the claims of its token.
    pub principal: Principal,
    /// How long the token is still good; `None` for one without an end.
    pub lasts: Option<Duration>,
}

impl Login {
    pub(super) fn new(
        resource: String,
        url: &Url,
        path: &str,
        audiences: Vec<String>,
        issuers: Vec<TrustedIssuer>,
        introspection: Option<Arc<Introspection>>,
        scopes: Vec<String>,
    ) -> Login {
        let public = match url.path() {
            "/" => WELL_KNOWN.to_owned(),
            path => format!("{WELL_KNOWN}{path}"),
        };
        let mut metadata_url = url.clone();
        metadata_url.set_path(&public);
        let own = format!("{WELL_KNOWN}{path}");
        let paths = BTreeSet::from([public, own, WELL_KNOWN.to_owned()]);
        Login {
            metadata_url: metadata_url.into(),
            paths: paths.into_iter().collect(),
            resource,
            audiences,
            issuers,
            introspection,
            scopes,
        }
    }

    /// Returns the paths at which the metadata is served.
    pub fn paths(&self) -> &[String] {
        &self.paths
    }

    /// Checks the token of a request, and takes it out of the request: nothing behind the check sees it.
    ///
    /// # Errors
    ///
    /// There is no token, or it is wrong.
    pub async fn admit(&self, parts: &mut Parts) -> Result<Admitted, HttpRefusal> {
        let token = match token_of(&parts.headers) {
            SentToken::One(token) => token.to_owned(),
            SentToken::None => return Err(self.challenge()),
            SentToken::Unusable(why) => return Err(self.invalid(why)),
        };
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
        let principal = Principal::new(name).with_claims(claims);
        Ok(Admitted {
            principal,
            lasts: expires.map(until),
        })
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
        let needed: Vec<&str> = own.chain(more.iter().copied()).collect();
        if needed.iter().all(|scope| principal.has_scope(scope)) {
            return Ok(());
        }
        let mut all: Vec<&str> = Vec::new();
        for scope in needed {
            if !all.contains(&scope) {
                all.push(scope);
            }
        }
        let all = all.join(" ");
        let sentence = format!("the token lacks a scope: this request needs `{all}`");
        let challenge = format!(
            "Bearer error=\"insufficient_scope\", scope=\"{all}\", resource_metadata=\"{}\"",
            self.metadata_url
        );
        Err(HttpRefusal::new(StatusCode::FORBIDDEN, sentence).challenging(header(&challenge)))
    }

    /// Refuses a request without a token.
    fn challenge(&self) -> HttpRefusal {
        let challenge = format!("Bearer {}", self.pointer());
        HttpRefusal::new(
            StatusCode::UNAUTHORIZED,
            "this server needs an access token: send it as `Authorization: Bearer <token>`",
        )
        .challenging(header(&challenge))
    }

    /// Refuses a wrong token.
    fn invalid(&self, why: &str) -> HttpRefusal {
        let challenge = format!(
            "Bearer error=\"invalid_token\", error_description=\"{why}\", {}",
            self.pointer()
        );
        let sentence = format!("the access token is not accepted: {why}");
        HttpRefusal::new(StatusCode::UNAUTHORIZED, sentence).challenging(header(&challenge))
    }

    /// Returns what tells a client where to get a token.
    fn pointer(&self) -> String {
        let url = &self.metadata_url;
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
        match *request.method() {
            Method::GET | Method::HEAD => {}
            Method::OPTIONS => return preflight(),
            _ => {
                let sentence = "the metadata is read with GET";
                let refusal = HttpRefusal::of_method("GET, HEAD, OPTIONS", sentence);
                return refusal.response(request.method());
            }
        }
        let mut scopes = self.scopes.clone();
        let is_new = |scope: &String| !self.scopes.contains(scope);
        scopes.extend(more.into_iter().filter(is_new));
        let mut metadata = json!({
            "resource": self.resource,
            "authorization_servers": self.issuers.iter().map(|issuer| &issuer.url).collect::<Vec<_>>(),
            "bearer_methods_supported": ["header"],
        });
        if !scopes.is_empty() {
            metadata["scopes_supported"] = scopes.into();
        }
        let mut response = Response::new(Body::from(metadata.to_string()));
        let headers = response.headers_mut();
        for (name, value) in [
            (CONTENT_TYPE, "application/json"),
            (CACHE_CONTROL, "public, max-age=3600"),
            // Clients in web pages read it, too. It has no secret.
            (ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
        ] {
            headers.insert(name, HeaderValue::from_static(value));
        }
        response
    }
}

/// Answers a browser that asks whether a page may read the metadata with the header that clients of MCP send.
fn preflight() -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    let headers = response.headers_mut();
    for (name, value) in [
        (ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
        (ACCESS_CONTROL_ALLOW_METHODS, "GET"),
        (ACCESS_CONTROL_ALLOW_HEADERS, "mcp-protocol-version"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// The token of a request.
enum SentToken<'h> {
    None,
    One(&'h str),
    Unusable(&'static str),
}

fn token_of(headers: &HeaderMap) -> SentToken<'_> {
    const SCHEME: &str = "Bearer ";
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let value = match (values.next(), values.next()) {
        (None, _) => return SentToken::None,
        (Some(_), Some(_)) => return SentToken::Unusable("the request has two tokens"),
        (Some(value), None) => value.as_bytes(),
    };
    let split = value.split_at_checked(SCHEME.len());
    let Some((_, token)) =
        split.filter(|(scheme, _)| scheme.eq_ignore_ascii_case(SCHEME.as_bytes()))
    else {
        return SentToken::None;
    };
    let token = token.trim_ascii();
    if token.len() > MAX_TOKEN {
        return SentToken::Unusable("it is too long");
    }
    // RFC 6750 §2.1: what a token may consist of.
    let is_allowed = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(byte);
    match str::from_utf8(token) {
        Ok(text) if !text.is_empty() && token.iter().all(is_allowed) => SentToken::One(text),
        _ => SentToken::Unusable("it is empty, or has a character that no token has"),
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

/// Every part of a challenge was checked: the URL, the scopes, and sentences of ours.
fn header(challenge: &str) -> HeaderValue {
    HeaderValue::try_from(challenge).unwrap_or(HeaderValue::from_static("Bearer"))
}
