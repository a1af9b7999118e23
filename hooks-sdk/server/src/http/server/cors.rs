//! What a browser needs before a web page of an allowed origin may call the server (CORS).

use axum::{body::Body, response::IntoResponse};
use http::{
    HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode,
    header::{
        ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
        ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS,
        ACCESS_CONTROL_REQUEST_METHOD, ORIGIN, VARY,
    },
};

use hooks_http::hosts::Origins;

const METHODS: HeaderValue = HeaderValue::from_static("GET, POST, DELETE");

/// The headers that clients of MCP send.
const SENT: &str = "accept, authorization, content-type, last-event-id, mcp-method, mcp-name, mcp-protocol-version, mcp-session-id";

/// The headers of an answer that a page may read.
const READ: HeaderValue =
    HeaderValue::from_static("mcp-protocol-version, mcp-session-id, retry-after, www-authenticate");

/// The prefix of the headers with the arguments of a call. Their names are the server's own.
const OF_ARGUMENT: &str = "mcp-param-";

/// The largest number of them in the answer to a preflight.
const MAX_ARGUMENTS: usize = 64;

/// The seconds for which a browser keeps the answer to a preflight. Chromium keeps none longer.
const AGE: HeaderValue = HeaderValue::from_static("7200");

/// What the answer to a preflight depends on.
const DEPENDS: HeaderValue = HeaderValue::from_static(
    "origin, access-control-request-method, access-control-request-headers",
);

/// A web page that sent a request, by its origin, which is allowed.
///
/// A page may send a token, but no cookie: the server sends no `access-control-allow-credentials`.
#[derive(Debug)]
pub(super) struct Page(HeaderValue);

impl Page {
    /// Returns the page that sent a request. Returns `None` for a request of another program, or of a page of another origin.
    pub(super) fn of(headers: &HeaderMap, allowed: &Origins) -> Option<Page> {
        let origin = headers.get(ORIGIN)?;
        allowed.admits(headers).then(|| Page(origin.clone()))
    }

    /// Answers a preflight: what a browser asks before it sends the page's own request, without a token. Returns `None` for
    /// any other request.
    pub(super) fn preflight(&self, method: &Method, headers: &HeaderMap) -> Option<Response<Body>> {
        if method != Method::OPTIONS || !headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD) {
            return None;
        }
        let own = [
            (ACCESS_CONTROL_ALLOW_METHODS, METHODS),
            (ACCESS_CONTROL_ALLOW_HEADERS, allowed_headers(headers)),
            (ACCESS_CONTROL_MAX_AGE, AGE),
            (VARY, DEPENDS),
        ];
        Some((StatusCode::NO_CONTENT, own).into_response())
    }

    /// Lets the page read an answer. Headers of the same names, which a hook has set, stay.
    pub(super) fn open(self, response: &mut Response<Body>) {
        let headers = response.headers_mut();
        headers.entry(ACCESS_CONTROL_ALLOW_ORIGIN).or_insert(self.0);
        headers.entry(ACCESS_CONTROL_EXPOSE_HEADERS).or_insert(READ);
        if !headers.contains_key(VARY) {
            headers.insert(VARY, HeaderValue::from_name(ORIGIN));
        } else if headers.get(VARY) != Some(&DEPENDS) {
            headers.append(VARY, HeaderValue::from_name(ORIGIN));
        }
    }
}

/// Returns the headers that a page may send: those of MCP, and the arguments that it asks for.
fn allowed_headers(headers: &HeaderMap) -> HeaderValue {
    let asked = headers.get_all(ACCESS_CONTROL_REQUEST_HEADERS).iter();
    let asked = asked.filter_map(|value| value.to_str().ok());
    let names = asked.flat_map(|value| value.split(',')).map(str::trim);
    let names = names.filter_map(|name| HeaderName::try_from(name).ok());
    let mut allowed = SENT.to_owned();
    for name in names
        .filter(|name| name.as_str().starts_with(OF_ARGUMENT))
        .take(MAX_ARGUMENTS)
    {
        allowed.push_str(", ");
        allowed.push_str(name.as_str());
    }
    HeaderValue::try_from(allowed).unwrap_or(HeaderValue::from_static(SENT))
}
