//! The message in a body, about which a guardian decides before anything reads it.

use axum::response::IntoResponse;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode};
use rmcp::{ErrorData, model::JsonObject};

use super::{
    headers::NAME,
    response::{Refused, json, json_error},
};
use crate::server::{
    HookedService,
    carried::{MessageAction, MessageDirection, read_alone, unreadable},
};

/// Returns the message that goes on. `headers` are those of its request.
///
/// # Errors
///
/// Returns the response if the message does not go on.
pub(super) async fn arrives(
    hooked: &HookedService,
    body: Bytes,
    session: &str,
    headers: &mut HeaderMap,
) -> Result<Bytes, Refused> {
    let Some(decider) = hooked.decider() else {
        return Ok(body);
    };
    let Ok(message) = serde_json::from_slice::<JsonObject>(&body) else {
        return Err(refusal(hooked, &body));
    };
    // What the guardian sees is what the server reads: of two members with one name, only the last.
    let seen = bytes(&message);
    let decided = decider.decide(MessageDirection::Server, message, session.as_bytes());
    match decided.await {
        MessageAction::On => Ok(seen),
        MessageAction::As(changed) => {
            name(&changed, headers);
            Ok(bytes(&changed))
        }
        MessageAction::Answered(answer) => Err(Box::new(json(StatusCode::OK, bytes(&answer)))),
        MessageAction::Dropped => Err(Box::new(StatusCode::ACCEPTED.into_response())),
    }
}

/// Answers a body that no guardian can read.
fn refusal(hooked: &HookedService, body: &[u8]) -> Refused {
    match read_alone(hooked, body) {
        Err(malformed) => Box::new(json(StatusCode::BAD_REQUEST, unreadable(malformed, true))),
        Ok(None) => Box::new(StatusCode::ACCEPTED.into_response()),
        Ok(Some(_)) => {
            let message = "the message cannot be shown to the guardian of this server: it is nested too deep, or has a \
                           number that is too large";
            let error = ErrorData::invalid_request(message, None);
            json_error(StatusCode::BAD_REQUEST, None, error)
        }
    }
}

/// Lets the header repeat the name in a changed message. The endpoint compares the two.
fn name(message: &JsonObject, headers: &mut HeaderMap) {
    if !headers.contains_key(&NAME) {
        return;
    }
    let params = message.get("params");
    let name = ["name", "uri", "taskId"]
        .iter()
        .find_map(|member| params?.get(*member)?.as_str());
    if let Some(Ok(name)) = name.map(HeaderValue::from_str) {
        headers.insert(NAME, name);
    }
}

fn bytes(message: &JsonObject) -> Bytes {
    // An object of JSON is always text.
    serde_json::to_vec(message).unwrap_or_default().into()
}
