//! The HTTP headers of a request, as hooks see them.

use rmcp::{RoleServer, service::RequestContext};

use crate::plugin::HttpHeaders;

/// The headers that hooks do not see unless the author exposes them.
#[cfg(any(feature = "cli", feature = "http"))]
pub(super) const SECRET: [&str; 5] = [
    "authorization",
    "cookie",
    "proxy-authorization",
    "set-cookie",
    "x-api-key",
];

/// Returns the headers of the HTTP request, without those that hold secrets.
#[cfg(feature = "http")]
pub(super) fn headers(
    cx: &RequestContext<RoleServer>,
    exposed: &[Box<str>],
) -> Option<HttpHeaders> {
    let parts = cx.extensions.get::<http::request::Parts>()?;
    Some(visible(&parts.headers, exposed))
}

/// Returns the headers that hooks see: each that is text and holds no secret, and the exposed ones.
#[cfg(feature = "http")]
pub(super) fn visible(headers: &http::HeaderMap, exposed: &[Box<str>]) -> HttpHeaders {
    let is_seen =
        |name: &str| !SECRET.contains(&name) || exposed.iter().any(|exposed| **exposed == *name);
    let seen = headers.iter().filter(|(name, _)| is_seen(name.as_str()));
    let texts = seen.filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)));
    texts.collect()
}

#[cfg(not(feature = "http"))]
pub(super) fn headers(_: &RequestContext<RoleServer>, _: &[Box<str>]) -> Option<HttpHeaders> {
    None
}
