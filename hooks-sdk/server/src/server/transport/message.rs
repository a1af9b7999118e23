//! A message that cannot be read: its id, and the answer to it.

use std::collections::BTreeMap;

use rmcp::{
    ErrorData,
    model::{JsonRpcMessage, RequestId},
};
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{IgnoredAny, MapAccess, Visitor},
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
    pub(crate) fn on(line: &[u8]) -> Option<Id> {
        let members = members(line);
        let raw = *members.get("id")?;
        let is_id = raw
            .get()
            .starts_with(|first: char| first == '"' || first == '-' || first.is_ascii_digit());
        is_id.then(|| Id(raw.to_owned()))
    }

    /// Returns the id as rmcp's type, if that type can hold it.
    pub(crate) fn as_rmcp(&self) -> Option<RequestId> {
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

impl Malformed {
    /// Returns the answer to the message. `id_is_due` is whether every answer has an `id`, even `null`.
    pub(super) fn answer(self, id_is_due: bool) -> Vec<u8> {
        #[derive(Serialize)]
        struct Answer {
            jsonrpc: &'static str,
            #[serde(skip_serializing_if = "Option::is_none")]
            id: Option<Option<Id>>,
            error: ErrorData,
        }
        let Malformed { error, id } = self;
        debug!(error = %error.message, "malformed message");
        let answer = Answer {
            jsonrpc: "2.0",
            id: (id.is_some() || id_is_due).then_some(id),
            error,
        };
        // An error of JSON-RPC is always text.
        serde_json::to_vec(&answer).unwrap_or_default()
    }
}

/// Returns the id of the request that a message answers.
pub(crate) fn answers<R, A, N>(message: &JsonRpcMessage<R, A, N>) -> Option<&RequestId> {
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

/// Returns the members of the message on a line, as they are written. Of a member that is given twice, the last one counts.
pub(super) fn members(line: &[u8]) -> BTreeMap<String, &RawValue> {
    serde_json::from_slice(line).unwrap_or_default()
}

/// Returns the request of the server that a message answers of which only the beginning was kept. Most clients write the `id` there.
pub(super) fn answered_by(beginning: &[u8]) -> Option<RequestId> {
    let mut answered = None;
    let mut reader = serde_json::Deserializer::from_slice(beginning);
    // An error only ends the reading.
    _ = reader.deserialize_map(Beginning(&mut answered));
    answered
}

/// Reads the members of a message up to its result or its error. An `id` before them is complete.
struct Beginning<'a>(&'a mut Option<RequestId>);

impl<'de> Visitor<'de> for Beginning<'_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a JSON-RPC message")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let mut id = None;
        while let Some(name) = members.next_key::<String>()? {
            match &*name {
                "result" | "error" => {
                    *self.0 = id;
                    break;
                }
                "method" => break,
                "id" => id = members.next_value()?,
                _ => _ = members.next_value::<IgnoredAny>()?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            let id = Id::on(line.as_bytes());
            assert_eq!(id.as_ref().map(|id| id.0.get()), expected, "{line}");
        }
    }

    #[test]
    fn the_beginning_of_an_answer_names_its_request() {
        let id = |text: &str| answered_by(text.as_bytes());
        let ours = Some(RequestId::Number(0));
        assert_eq!(
            id(r#"{"jsonrpc":"2.0","id":0,"result":{"content":"xx"#),
            ours
        );
        assert_eq!(id(r#"{"id":0,"error":{"message":"xx"#), ours);
        assert_eq!(id(r#"{"jsonrpc":"2.0","id":0"#), None);
        assert_eq!(id(r#"{"result":{"content":"xx","id":0"#), None);
        assert_eq!(
            id(r#"{"id":0,"method":"tools/call","params":{"a":"xx"#),
            None
        );
    }
}
