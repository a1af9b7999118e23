//! Reads the body of a request within its limits.

use std::time::Duration;

use axum::BoxError;
use bytes::Bytes;
use http::{
    HeaderMap, StatusCode,
    header::{CONTENT_LENGTH, CONTENT_TYPE},
};
use http_body::Body;
use http_body_util::{LengthLimitError, Limited};
use tokio::time::timeout;

use super::{refusal::HttpRefusal, whole::whole};

/// The limits of a request's body.
#[derive(Clone, Copy, Debug)]
pub struct BodyLimits {
    pub bytes: usize,
    pub time: Duration,
}

impl BodyLimits {
    /// Refuses a body whose announced length is too large.
    pub fn check(self, headers: &HeaderMap) -> Result<(), HttpRefusal> {
        let length = headers.get(CONTENT_LENGTH);
        let length = length.and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
        match length {
            Some(length) if length > self.bytes as u64 => Err(self.too_large()),
            _ => Ok(()),
        }
    }

    /// Reads the whole body.
    pub async fn read<B>(self, body: B) -> Result<Bytes, HttpRefusal>
    where
        B: Body<Data = Bytes>,
        B::Error: Into<BoxError>,
    {
        let body = whole(Limited::new(body, self.bytes));
        match timeout(self.time, body).await {
            Ok(Ok(body)) => Ok(body),
            Ok(Err(error)) if is_too_long(&*error) => Err(self.too_large()),
            Ok(Err(error)) => {
                tracing::debug!(%error, "a body broke off");
                let sentence = "the body of the request broke off, or is not as long as announced";
                Err(HttpRefusal::new(StatusCode::BAD_REQUEST, sentence))
            }
            Err(_) => Err(HttpRefusal::new(
                StatusCode::REQUEST_TIMEOUT,
                format!(
                    "the body of the request did not arrive within {:?}: the operator of the server sets the time with `body_timeout`",
                    self.time
                ),
            )),
        }
    }

    fn too_large(self) -> HttpRefusal {
        HttpRefusal::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            format!(
                "the body of the request is larger than {} bytes: the operator of the server sets the limit with `max_body`",
                self.bytes
            ),
        )
    }
}

fn is_too_long(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut next = Some(error);
    while let Some(error) = next {
        if error.is::<LengthLimitError>() {
            return true;
        }
        next = error.source();
    }
    false
}

/// Refuses a request whose body is not JSON.
pub fn is_json(headers: &HeaderMap) -> Result<(), HttpRefusal> {
    let kind = headers.get(CONTENT_TYPE).map(|kind| kind.as_bytes());
    let essence = kind.and_then(|kind| kind.split(|byte| *byte == b';').next());
    if essence.is_some_and(|kind| kind.trim_ascii().eq_ignore_ascii_case(b"application/json")) {
        return Ok(());
    }
    Err(HttpRefusal::new(
        StatusCode::UNSUPPORTED_MEDIA_TYPE,
        "the body of a POST is JSON: send `Content-Type: application/json`",
    ))
}
