//! Finds out for whom a message of a client is, without reading its content.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::server::carried::ReplicaId;

/// For whom a message of a client is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::http) enum Addressed {
    /// A request. Any replica may serve it. What is no JSON-RPC message counts as a request.
    Request,
    /// The answer to a request of a server, with the replica that sent the request. With `None` no replica sent it.
    Answer(Option<ReplicaId>),
    /// The cancellation of one of the client's own requests. The replica that serves the request needs it.
    Cancel,
    /// A report of progress on a request of a server, with the replica that sent the request.
    Progress(Option<ReplicaId>),
    /// Another notification.
    Notification,
}

impl Addressed {
    /// Returns whether a call that runs may wait for the message.
    pub(in crate::http) fn is_for_a_running_call(self) -> bool {
        !matches!(self, Addressed::Request | Addressed::Notification)
    }
}

/// Returns for whom the message in a body is.
pub(in crate::http) fn addressed_to(body: &[u8]) -> Addressed {
    let Ok(envelope) = serde_json::from_slice::<Address<'_>>(body) else {
        return Addressed::Request;
    };
    match envelope.method.as_deref() {
        None if envelope.result.is_some() || envelope.error.is_some() => {
            Addressed::Answer(envelope.id.and_then(replica))
        }
        Some("notifications/cancelled") if envelope.id.is_none() => Addressed::Cancel,
        Some("notifications/progress") if envelope.id.is_none() => {
            let params = envelope.params.map(RawValue::get);
            let progress =
                params.and_then(|params| serde_json::from_str::<ProgressParams<'_>>(params).ok());
            Addressed::Progress(progress.and_then(|progress| replica(progress.token?)))
        }
        Some(_) if envelope.id.is_none() => Addressed::Notification,
        _ => Addressed::Request,
    }
}

/// The members of a message. Their content is not read.
#[derive(Deserialize)]
struct Address<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

/// Reads a member that may be `null`.
fn present<'de, D: serde::Deserializer<'de>>(value: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(value).map(Some)
}

#[derive(Deserialize)]
struct ProgressParams<'a> {
    #[serde(borrow, rename = "progressToken")]
    token: Option<&'a RawValue>,
}

fn replica(id: &RawValue) -> Option<ReplicaId> {
    let id: Cow<'_, str> = serde_json::from_str(id.get()).ok()?;
    ReplicaId::of(&id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_told_by_its_members() {
        let replica = ReplicaId([0xab; 16]);
        let ours = format!(r#""{replica}.{replica}""#);
        let own = Some(replica);
        for (body, expected) in [
            (
                r#"{"id":1,"method":"tools/call","params":{"result":{}}}"#.to_owned(),
                Addressed::Request,
            ),
            (
                format!(r#"{{"id":{ours},"result":{{"method":"x"}}}}"#),
                Addressed::Answer(own),
            ),
            (
                format!(r#"{{"id":{ours},"result":null}}"#),
                Addressed::Answer(own),
            ),
            (
                format!(r#"{{"error":{{}},"id":{ours}}}"#),
                Addressed::Answer(own),
            ),
            (
                r#"{"id":0,"result":{}}"#.to_owned(),
                Addressed::Answer(None),
            ),
            (
                r#"{"id":"0","result":{}}"#.to_owned(),
                Addressed::Answer(None),
            ),
            (
                r#"{"error":{"code":1}}"#.to_owned(),
                Addressed::Answer(None),
            ),
            (
                r#"{"method":"notifications/cancelled","params":{"requestId":1}}"#.to_owned(),
                Addressed::Cancel,
            ),
            (
                format!(
                    r#"{{"method":"notifications/progress","params":{{"progressToken":{ours}}}}}"#
                ),
                Addressed::Progress(own),
            ),
            (
                r#"{"method":"notifications/progress","params":{"progressToken":3}}"#.to_owned(),
                Addressed::Progress(None),
            ),
            (
                r#"{"method":"notifications/progress","params":[]}"#.to_owned(),
                Addressed::Progress(None),
            ),
            (
                r#"{"method":"a/b","id":null}"#.to_owned(),
                Addressed::Notification,
            ),
            (r#"{"id":1}"#.to_owned(), Addressed::Request),
            ("[]".to_owned(), Addressed::Request),
            ("{".to_owned(), Addressed::Request),
            (
                format!(r#"{{"id":1,"id":{ours},"result":{{}}}}"#),
                Addressed::Request,
            ),
        ] {
            assert_eq!(addressed_to(body.as_bytes()), expected, "{body}");
        }
    }
}
