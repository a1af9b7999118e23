//! The HTTP headers of a request, as hooks see them.

use rmcp::{RoleServer, service::RequestContext};

use super::Policy;
use crate::plugin::HttpHeaders;

/// The headers that hooks do not see unless the author exposes them.
#[cfg(any(feature = "cli", feature = "http"))]
const SECRET: [&str; 5] = [
    "authorization",
    "cookie",
    "proxy-authorization",
    "set-cookie",
    "x-api-key",
];

/// Returns the headers of the HTTP request, without those that hold secrets.
pub(super) fn headers(cx: &RequestContext<RoleServer>, policy: &Policy) -> Option<HttpHeaders> {
    #[cfg(feature = "cli")]
    if let Some(dry) = &policy.dry {
        let headers = dry.headers()?;
        // HTTP has them in lower case.
        let headers = headers
            .iter()
            .map(|(name, value)| (name.to_ascii_lowercase(), value));
        let seen = headers.filter(|(name, _)| is_seen(name, &policy.headers));
        return Some(seen.collect());
    }
    of_request(cx, &policy.headers)
}

#[cfg(feature = "http")]
fn of_request(cx: &RequestContext<RoleServer>, exposed: &[Box<str>]) -> Option<HttpHeaders> {
    let parts = cx.extensions.get::<http::request::Parts>()?;
    Some(visible(&parts.headers, exposed))
}

#[cfg(not(feature = "http"))]
fn of_request(_: &RequestContext<RoleServer>, _: &[Box<str>]) -> Option<HttpHeaders> {
    None
}

/// Returns the headers that hooks see: each that is text and holds no secret, and the exposed ones.
#[cfg(feature = "http")]
pub(super) fn visible(headers: &http::HeaderMap, exposed: &[Box<str>]) -> HttpHeaders {
    let seen = headers
        .iter()
        .filter(|(name, _)| is_seen(name.as_str(), exposed));
    let texts = seen.filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)));
    texts.collect()
}

/// `name` is in lower case.
#[cfg(any(feature = "cli", feature = "http"))]
fn is_seen(name: &str, exposed: &[Box<str>]) -> bool {
    !SECRET.contains(&name) || exposed.iter().any(|exposed| **exposed == *name)
}
