//! Documents that everybody may read, also a web page: a server card, and the metadata of a login.

use axum::{body::Body, response::IntoResponse};
use http::{
    HeaderMap, Method, Request, Response, StatusCode,
    header::{
        ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
        ACCESS_CONTROL_EXPOSE_HEADERS, CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH,
    },
};
use sha2::{Digest, Sha256};

use super::refusal::HttpRefusal;
use hooks_core::internal::hex;

/// Answers a request for a document of JSON of this media type. `sent` are the headers that a page may send for it.
pub(crate) fn answer<B>(
    request: &Request<B>,
    kind: &str,
    sent: &str,
    text: String,
) -> Response<Body> {
    let method = request.method();
    let tag = format!("\"{}\"", hex(&Sha256::digest(&text)[..16]));
    let about = [
        (CONTENT_TYPE, kind),
        (CACHE_CONTROL, "public, max-age=3600"),
        (ETAG, &*tag),
    ];
    let response = match *method {
        Method::GET | Method::HEAD if is_known(request.headers(), &tag) => {
            (StatusCode::NOT_MODIFIED, about).into_response()
        }
        Method::GET | Method::HEAD => (about, text).into_response(),
        // A browser asks before it sends a header that it does not send by itself.
        Method::OPTIONS => StatusCode::NO_CONTENT.into_response(),
        _ => {
            let sentence = "this document is read with GET";
            HttpRefusal::of_method("GET, HEAD, OPTIONS", sentence).response(method)
        }
    };
    let of_all = [
        (ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
        (ACCESS_CONTROL_ALLOW_METHODS, "GET"),
        (ACCESS_CONTROL_ALLOW_HEADERS, sent),
        (ACCESS_CONTROL_EXPOSE_HEADERS, "ETag"),
    ];
    (of_all, response).into_response()
}

/// Returns whether the client has the document with this tag already.
fn is_known(headers: &HeaderMap, tag: &str) -> bool {
    let named = headers.get_all(IF_NONE_MATCH).iter();
    let mut named = named.filter_map(|value| value.to_str().ok());
    named.any(|list| {
        let mut tags = list.split(',').map(str::trim);
        tags.any(|known| known == "*" || known.trim_start_matches("W/") == tag)
    })
}
