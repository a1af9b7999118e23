//! The HTTP headers of a request, as hooks see them.

#[cfg(feature = "http")]
use std::borrow::Cow;

use rmcp::{RoleServer, service::RequestContext};

use hooks_plugin::HttpHeaders;

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

/// Returns the headers that hooks see: each that holds no secret, and the exposed ones.
#[cfg(feature = "http")]
pub(super) fn visible(headers: &http::HeaderMap, exposed: &[Box<str>]) -> HttpHeaders {
    let is_seen =
        |name: &str| !SECRET.contains(&name) || exposed.iter().any(|exposed| **exposed == *name);
    let seen = headers.iter().filter(|(name, _)| is_seen(name.as_str()));
    seen.map(|(name, value)| (name.as_str(), text(value)))
        .collect()
}

/// Returns the value of a header as text: UTF-8, else each byte as the character of that number (ISO 8859-1). So no
/// value is hidden from a rule.
#[cfg(feature = "http")]
pub(super) fn text(value: &http::HeaderValue) -> Cow<'_, str> {
    let bytes = value.as_bytes();
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(bytes.iter().copied().map(char::from).collect()),
    }
}

#[cfg(not(feature = "http"))]
pub(super) fn headers(_: &RequestContext<RoleServer>, _: &[Box<str>]) -> Option<HttpHeaders> {
    None
}

#[cfg(all(test, feature = "http"))]
mod tests {
    use http::{HeaderMap, HeaderValue};

    use super::*;

    #[test]
    fn a_value_with_any_bytes_is_seen() {
        let mut headers = HeaderMap::new();
        let latin = HeaderValue::from_bytes(b"caf\xe9").unwrap();
        headers.append("x-a", latin);
        headers.append("x-a", HeaderValue::from_bytes("é".as_bytes()).unwrap());
        let seen = visible(&headers, &[]);
        let values: Vec<&str> = seen.get_all("X-A").collect();
        assert_eq!(values, ["café", "é"]);
    }
}
