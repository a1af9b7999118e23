//! Reads the HTTP answer to a question.

use std::{error::Error, fmt::Write};

use reqwest::{Response, StatusCode, header::CONTENT_TYPE};

use super::super::{FailureClass, Undecided};

/// Reads the body of an answer: status 200, JSON by its content type, and at most `max` bytes.
pub(super) async fn read(
    answer: reqwest::Result<Response>,
    max: usize,
) -> Result<Vec<u8>, Undecided> {
    let mut answer = answer.map_err(unreachable)?;
    check_status(answer.status())?;
    let kind = answer.headers().get(CONTENT_TYPE);
    if !kind.is_some_and(|kind| is_json(kind.as_bytes())) {
        return Err(malformed("its content type is not application/json"));
    }
    if answer
        .content_length()
        .is_some_and(|length| length > max as u64)
    {
        return Err(too_long(max));
    }
    let mut body = Vec::new();
    while let Some(chunk) = answer.chunk().await.map_err(unreachable)? {
        if body.len() + chunk.len() > max {
            return Err(too_long(max));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

fn check_status(status: StatusCode) -> Result<(), Undecided> {
    let class = match status {
        StatusCode::OK => return Ok(()),
        // The words of a proxy whose guardian is gone.
        StatusCode::BAD_GATEWAY | StatusCode::SERVICE_UNAVAILABLE | StatusCode::GATEWAY_TIMEOUT => {
            FailureClass::Unreachable
        }
        status if status.is_server_error() => FailureClass::GuardianError,
        _ => FailureClass::MalformedResponse,
    };
    let detail = if status.is_redirection() {
        "a redirect, which is never followed"
    } else {
        "a decision has the status 200"
    };
    Err(Undecided::new(
        class,
        format!("HTTP status {}: {detail}", status.as_u16()),
    ))
}

/// Whether a content type is `application/json`, with or without parameters.
fn is_json(kind: &[u8]) -> bool {
    let kind = kind.split(|byte| *byte == b';').next().unwrap_or_default();
    kind.trim_ascii().eq_ignore_ascii_case(b"application/json")
}

fn malformed(detail: impl Into<String>) -> Undecided {
    Undecided::new(FailureClass::MalformedResponse, detail)
}

fn too_long(max: usize) -> Undecided {
    malformed(format!("it has more than {max} bytes"))
}

/// The cause without the URL, which may contain a secret.
fn unreachable(error: reqwest::Error) -> Undecided {
    let error = error.without_url();
    let mut detail = error.to_string();
    let mut cause = error.source();
    while let Some(deeper) = cause {
        _ = write!(detail, ": {deeper}");
        cause = deeper.source();
    }
    Undecided::new(FailureClass::Unreachable, detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_json_is_read() {
        for good in [
            "application/json",
            "Application/JSON",
            "application/json; charset=utf-8",
        ] {
            assert!(is_json(good.as_bytes()), "{good}");
        }
        for bad in [
            "",
            "text/html",
            "application/json-rpc",
            "text/json",
            "application/jsonx; a=b",
        ] {
            assert!(!is_json(bad.as_bytes()), "{bad}");
        }
    }

    #[test]
    fn only_the_status_200_is_an_answer() {
        let class = |status| {
            let status = StatusCode::from_u16(status).unwrap();
            check_status(status).err().map(|undecided| undecided.class)
        };
        assert_eq!(class(200), None);
        for status in [201, 204, 302, 307, 308, 400, 401, 404, 415, 429] {
            assert_eq!(
                class(status),
                Some(FailureClass::MalformedResponse),
                "{status}"
            );
        }
        assert_eq!(class(500), Some(FailureClass::GuardianError));
        for status in [502, 503, 504] {
            assert_eq!(class(status), Some(FailureClass::Unreachable), "{status}");
        }
    }
}
