//! Reads the HTTP answer to a question.

use std::{error::Error, fmt::Write};

use reqwest::{Response, StatusCode, header::CONTENT_TYPE};

use super::super::{FailureClass, MissingDecision, Unaskable, Unruled};

/// Reads the body of an answer: status 200, JSON by its content type, and at most `max` bytes.
pub(super) async fn read(
    answer: reqwest::Result<Response>,
    max: usize,
) -> Result<Vec<u8>, Unruled> {
    let mut answer = answer.map_err(unreachable)?;
    check_status(answer.status())?;
    let kind = answer.headers().get(CONTENT_TYPE);
    if !kind.is_some_and(|kind| is_json(kind.as_bytes())) {
        return Err(malformed("its content type is not application/json").into());
    }
    if answer
        .content_length()
        .is_some_and(|length| length > max as u64)
    {
        return Err(too_long(max).into());
    }
    let mut body = Vec::new();
    while let Some(chunk) = answer.chunk().await.map_err(unreachable)? {
        if body.len() + chunk.len() > max {
            return Err(too_long(max).into());
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

fn check_status(status: StatusCode) -> Result<(), Unruled> {
    let class = match status {
        StatusCode::OK => return Ok(()),
        // What the server says of this one question, whose contents the caller has chosen.
        StatusCode::PAYLOAD_TOO_LARGE => return Err(Unaskable::TooLarge.into()),
        StatusCode::BAD_REQUEST | StatusCode::UNPROCESSABLE_ENTITY => {
            return Err(Unaskable::Unreadable.into());
        }
        StatusCode::TOO_MANY_REQUESTS => return Err(Unaskable::TooMany.into()),
        StatusCode::REQUEST_TIMEOUT => FailureClass::Timeout,
        // The words of a proxy whose guardian is gone.
        StatusCode::BAD_GATEWAY | StatusCode::SERVICE_UNAVAILABLE | StatusCode::GATEWAY_TIMEOUT => {
            FailureClass::Unreachable
        }
        status if status.is_server_error() => FailureClass::GuardianError,
        status if status.is_client_error() => FailureClass::Rejected,
        _ => FailureClass::MalformedResponse,
    };
    let detail = match status {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => "check the guardian's bearer secret",
        StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED => "check the path of its URL",
        status if status.is_redirection() => "a redirect, which is never followed",
        _ => "a decision has the status 200",
    };
    let status = status.as_u16();
    let detail = format!("HTTP status {status}: {detail}");
    Err(MissingDecision::new(class, detail).of_status(status).into())
}

/// Whether a content type is `application/json`, with or without parameters.
fn is_json(kind: &[u8]) -> bool {
    let kind = kind.split(|byte| *byte == b';').next().unwrap_or_default();
    kind.trim_ascii().eq_ignore_ascii_case(b"application/json")
}

fn malformed(detail: impl Into<String>) -> MissingDecision {
    MissingDecision::new(FailureClass::MalformedResponse, detail)
}

fn too_long(max: usize) -> MissingDecision {
    malformed(format!("it has more than {max} bytes"))
}

/// The cause without the URL, which may contain a secret.
fn unreachable(error: reqwest::Error) -> MissingDecision {
    let error = error.without_url();
    let mut detail = error.to_string();
    let mut cause = error.source();
    while let Some(deeper) = cause {
        _ = write!(detail, ": {deeper}");
        cause = deeper.source();
    }
    let undecided = MissingDecision::new(FailureClass::Unreachable, detail);
    match error.is_connect() {
        true => undecided.of_no_step(),
        false => undecided,
    }
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
            match check_status(status) {
                Ok(()) => None,
                Err(Unruled::NoDecision(undecided)) => {
                    assert_eq!(undecided.status, Some(status.as_u16()));
                    Some(undecided.class)
                }
                Err(Unruled::Unaskable(unaskable)) => panic!("{unaskable}"),
            }
        };
        assert_eq!(class(200), None);
        for status in [201, 204, 302, 307, 308] {
            assert_eq!(
                class(status),
                Some(FailureClass::MalformedResponse),
                "{status}"
            );
        }
        for status in [401, 403, 404, 405, 415] {
            assert_eq!(class(status), Some(FailureClass::Rejected), "{status}");
        }
        assert_eq!(class(408), Some(FailureClass::Timeout));
        assert_eq!(class(500), Some(FailureClass::GuardianError));
        for status in [502, 503, 504] {
            assert_eq!(class(status), Some(FailureClass::Unreachable), "{status}");
        }
    }
}
