//! Ids of requests: strings or integers.

use std::fmt;

use serde::Serialize;
use serde_json::{Number, Value};

/// The id of a request: a string, or an integer of 64 bits.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct RequestId(Id);

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(untagged)]
enum Id {
    Text(String),
    Integer(Number),
}

impl RequestId {
    /// Reads an id. Any other value is none.
    pub fn read(id: &Value) -> Option<RequestId> {
        match id {
            Value::String(text) => Some(text.as_str().into()),
            Value::Number(number) if !number.is_f64() => {
                Some(RequestId(Id::Integer(number.clone())))
            }
            _ => None,
        }
    }
}

impl From<&str> for RequestId {
    fn from(id: &str) -> RequestId {
        RequestId(Id::Text(id.to_owned()))
    }
}

impl From<String> for RequestId {
    fn from(id: String) -> RequestId {
        RequestId(Id::Text(id))
    }
}

impl From<i64> for RequestId {
    fn from(id: i64) -> RequestId {
        RequestId(Id::Integer(id.into()))
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Id::Text(text) => f.write_str(text),
            Id::Integer(number) => number.fmt(f),
        }
    }
}
