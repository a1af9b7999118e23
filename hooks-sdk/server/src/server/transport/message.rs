//! A message that cannot be read: its id, and the answer to it.

use std::borrow::Cow;

use rmcp::{
    ErrorData,
    model::{JsonRpcMessage, RequestId},
};
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{MapAccess, Visitor},
};
use serde_json::value::RawValue;

/// A line that is not a message, and the error to answer.
#[derive(Debug)]
pub(crate) struct Malformed {
    pub(crate) error: ErrorData,
    pub(crate) id: Option<Id>,
}

/// The id of a request as the client wrote it: a string or a number, with every digit.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub(crate) struct Id(Box<RawValue>);

impl Id {
    /// Returns the id of the message on a line.
    pub(in crate::server) fn on(line: &[u8]) -> Option<Id> {
        head(line).id
    }

    fn of(raw: &RawValue) -> Option<Id> {
        let is_id = raw
            .get()
            .starts_with(|first: char| first == '"' || first == '-' || first.is_ascii_digit());
        is_id.then(|| Id(raw.to_owned()))
    }

    /// Returns the id as rmcp's type, if that type can hold it.
    pub(in crate::server) fn as_rmcp(&self) -> Option<RequestId> {
        RequestId::deserialize(&*self.0).ok()
    }
}

/// Returns whether the answer on a line has the id of a request in another form than the server sent it, such as the text `"0"` or
/// the number `0.0` for 0. rmcp takes these for the same id.
pub(super) fn is_respelt(id: &RequestId, line: &[u8]) -> bool {
    match id {
        // The ids that rmcp sends are numbers, and it reads such a text as one.
        RequestId::String(text) => text.parse::<i64>().is_ok(),
        RequestId::Number(number) => {
            Id::on(line).is_some_and(|id| id.0.get() != number.to_string())
        }
    }
}

impl From<RequestId> for Id {
    fn from(id: RequestId) -> Id {
        let id = serde_json::value::to_raw_value(&id);
        Id(id.unwrap_or_else(|_| RawValue::NULL.to_owned()))
    }
}

/// The answer to a message that rmcp cannot read as a request.
#[derive(Serialize)]
pub(super) struct UnreadableMessage {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<Option<Id>>,
    error: ErrorData,
}

impl UnreadableMessage {
    /// Creates an answer. `id_is_due` is whether every answer has an `id`, even `null`.
    pub(super) fn new(error: ErrorData, id: Option<Id>, id_is_due: bool) -> UnreadableMessage {
        let id_is_due = id.is_some() || id_is_due;
        UnreadableMessage {
            jsonrpc: "2.0",
            id: id_is_due.then_some(id),
            error,
        }
    }
}

/// Returns the id of the request that a message answers.
pub(in crate::server) fn answers<R, A, N>(message: &JsonRpcMessage<R, A, N>) -> Option<&RequestId> {
    match message {
        JsonRpcMessage::Response(response) => Some(&response.id),
        JsonRpcMessage::Error(error) => error.id.as_ref(),
        JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
    }
}

/// Returns the error for a request with the id of an earlier request that still runs.
pub(super) fn in_use() -> ErrorData {
    let message = "an earlier request with this id still runs; use a new id for each request";
    ErrorData::invalid_request(message, None)
}

/// The members of a message that decide which side waits for an answer.
#[derive(Default)]
struct Head {
    id: Option<Id>,
    has_method: bool,
    /// The message has `result` or `error`.
    has_outcome: bool,
}

/// Returns whether the message on a line has a method.
pub(in crate::server) fn has_method(line: &[u8]) -> bool {
    head(line).has_method
}

/// A message that was too long to keep.
pub(in crate::server) enum TooLong {
    /// A request, with its id if the id could be read.
    Request(Option<Id>),
    /// The answer to the server's own request with this id.
    Answer(RequestId),
}

impl TooLong {
    /// Reads the beginning of a message. Most clients write the id there.
    pub(in crate::server) fn of(beginning: &[u8]) -> TooLong {
        match head(beginning) {
            Head {
                id: Some(id),
                has_method: true,
                ..
            } => TooLong::Request(Some(id)),
            Head {
                id: Some(id),
                has_outcome: true,
                ..
            } => (id.as_rmcp()).map_or(TooLong::Request(None), TooLong::Answer),
            // If the message may be an answer, its id is the server's.
            _ => TooLong::Request(None),
        }
    }
}

/// Reads the members at the beginning of a message, as far as they are complete.
fn head(beginning: &[u8]) -> Head {
    let mut head = Head::default();
    let mut reader = serde_json::Deserializer::from_slice(beginning);
    // An error only ends the reading: complete members before it count.
    _ = reader.deserialize_map(Members(&mut head));
    head
}

/// Reads members one by one. A member counts when the next one, or the end of the object, is read.
struct Members<'h>(&'h mut Head);

impl<'de> Visitor<'de> for Members<'_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a JSON-RPC message")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let head = self.0;
        let mut id = None;
        loop {
            let name = members.next_key::<Cow<'de, str>>()?;
            head.id = id.take().or(head.id.take());
            match name.as_deref() {
                None => return Ok(()),
                Some("method") => head.has_method = true,
                Some("result" | "error") => head.has_outcome = true,
                _ => {}
            }
            let value = members.next_value::<&RawValue>()?;
            if name.as_deref() == Some("id") {
                id = Id::of(value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(head: &Head) -> Option<&str> {
        head.id.as_ref().map(|id| id.0.get())
    }

    #[test]
    fn an_id_is_kept_as_it_came() {
        for (line, expected) in [
            (r#"{"id": 1.50, "method": "x"}"#, Some("1.50")),
            (
                r#"{"method":"x","id":123456789012345678901234567890}"#,
                Some("123456789012345678901234567890"),
            ),
            (r#"{"id":"a\u0062"}"#, Some(r#""a\u0062""#)),
            (r#"{"id":null}"#, None),
            (r#"{"id":{"id":7}}"#, None),
            (r#"{"params":{"id":7}}"#, None),
            ("[]", None),
        ] {
            assert_eq!(id(&head(line.as_bytes())), expected, "{line}");
        }
    }

    #[test]
    fn the_beginning_of_a_message_counts_as_far_as_it_was_read_whole() {
        let cut = |text: &str| head(text.as_bytes());
        let whole = cut(r#"{"jsonrpc":"2.0","id":12,"method":"tools/call","params":{"a":"xx"#);
        assert_eq!((id(&whole), whole.has_method), (Some("12"), true));
        assert_eq!(id(&cut(r#"{"jsonrpc":"2.0","id":12"#)), None);
        let ours = cut(r#"{"id":0,"result":{"content":"xx"#);
        assert_eq!(
            (id(&ours), ours.has_method, ours.has_outcome),
            (Some("0"), false, true)
        );
    }
}
