//! The HTTP headers of a request, as hooks see them.

use std::borrow::Cow;

use super::built::Built;
use crate::server::McpContext;
use hooks_plugin::HttpHeaders;

/// The headers that hooks do not see unless the author exposes them.
const SECRET: [&str; 5] = [
    "authorization",
    "cookie",
    "proxy-authorization",
    "set-cookie",
    "x-api-key",
];

impl Built {
    /// Returns the headers of a request that hooks see. A dry call has them without an HTTP request.
    pub(super) fn headers(&self, cx: &McpContext) -> Option<HttpHeaders> {
        #[cfg(feature = "cli")]
        if let Some(dry) = &self.policy.dry {
            let given = dry.headers()?;
            let named = given
                .iter()
                .map(|(name, value)| (name.to_ascii_lowercase(), value));
            let seen = named.filter(|(name, _)| is_seen(name, &self.policy.headers));
            return Some(seen.collect());
        }
        #[cfg(feature = "http")]
        {
            let parts = cx.extensions.get::<http::request::Parts>()?;
            Some(visible(&parts.headers, &self.policy.headers))
        }
        #[cfg(not(feature = "http"))]
        None
    }
}

/// Returns whether hooks see a header: it holds no secret, or it is exposed.
fn is_seen(name: &str, exposed: &[Box<str>]) -> bool {
    !SECRET.contains(&name) || exposed.iter().any(|exposed| **exposed == *name)
}

/// Returns the headers that hooks see.
#[cfg(feature = "http")]
pub(super) fn visible(headers: &http::HeaderMap, exposed: &[Box<str>]) -> HttpHeaders {
    let seen = headers.iter();
    let seen = seen.filter(|(name, _)| is_seen(name.as_str(), exposed));
    seen.map(|(name, value)| (name.as_str(), text(value)))
        .collect()
}

/// Returns the value of a header as text: UTF-8, else each byte as the character of that number (ISO 8859-1). So no
/// value is hidden from a rule.
#[cfg(feature = "http")]
pub(crate) fn text(value: &http::HeaderValue) -> Cow<'_, str> {
    let bytes = value.as_bytes();
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(bytes.iter().copied().map(char::from).collect()),
    }
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
