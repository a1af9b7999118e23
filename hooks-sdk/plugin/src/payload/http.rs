//! The payloads of HTTP requests and responses.

use serde::{Deserialize, Serialize};

use super::{HttpHeaders, Payload, Writable, guard, measure::Measure};
use hooks_core::condition::Subject;

/// An HTTP request that arrives (`HttpPreRequestPayload`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct HttpRequest {
    /// The path of the request.
    pub path: String,
    /// The method, such as `POST`.
    pub method: String,
    /// The address of the client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_host: Option<String>,
    /// The port of the client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_port: Option<u16>,
    /// The headers.
    #[serde(default)]
    pub headers: HttpHeaders,
}

/// An HTTP response that is about to be sent, with its request (`HttpPostRequestPayload`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct HttpResponse {
    /// The request.
    #[serde(flatten)]
    pub request: HttpRequest,
    /// The headers of the response.
    #[serde(default)]
    pub response_headers: HttpHeaders,
    /// The status of the response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status_code: Option<u16>,
}

/// The headers of a request that the server is about to handle (document §5.2, `http_pre_forwarding_call`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
#[non_exhaustive]
pub struct ForwardedRequest {
    /// The headers.
    pub root: HttpHeaders,
}

/// The headers of a response that the server made (document §5.2, `http_post_forwarding_call`).
///
/// ```
/// use hooks_sdk::plugin::{ForwardedResponse, HttpHeaders};
///
/// let mut headers = HttpHeaders::new();
/// headers.set("Content-Type", "application/json");
/// let response = ForwardedResponse::from(headers);
/// assert!(response.root.contains("content-type"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
#[non_exhaustive]
pub struct ForwardedResponse {
    /// The headers.
    pub root: HttpHeaders,
}

impl From<HttpHeaders> for ForwardedRequest {
    fn from(root: HttpHeaders) -> ForwardedRequest {
        ForwardedRequest { root }
    }
}

impl From<HttpHeaders> for ForwardedResponse {
    fn from(root: HttpHeaders) -> ForwardedResponse {
        ForwardedResponse { root }
    }
}

macro_rules! of_http {
    ($payload:ident, $field:literal, $headers:ident $(. $more:ident)*, $path:expr) => {
        impl Payload for $payload {
            type Change = HttpHeaders;

            fn item(&self) -> &str {
                let path: fn(&$payload) -> &str = $path;
                path(self)
            }

            fn size(&self, limit: usize) -> usize {
                Measure::new(limit).headers([&self.$headers$(.$more)*]).ended()
            }

            fn changed(
                &self,
                mut change: HttpHeaders,
                writable: Writable<'_>,
            ) -> ($payload, Vec<&'static str>) {
                let mut kept = Vec::new();
                let own = &self.$headers$(.$more)*;
                guard($field, own, &mut change, writable, &mut kept);
                let mut changed = self.clone();
                changed.$headers$(.$more)* = change;
                (changed, kept)
            }

            fn root(&self, _: &str) -> Option<Subject<'_>> {
                None
            }

            fn headers(&self) -> Option<&HttpHeaders> {
                Some(&self.$headers$(.$more)*)
            }
        }
    };
}

of_http!(HttpRequest, "headers", headers, |request| &request.path);
of_http!(
    HttpResponse,
    "response_headers",
    response_headers,
    |response| &response.request.path
);
of_http!(ForwardedRequest, "headers", root, |_| "");
of_http!(ForwardedResponse, "headers", root, |_| "");
