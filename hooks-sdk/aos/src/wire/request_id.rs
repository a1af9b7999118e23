//! Ids of requests: strings or integers.

use std::fmt;

use serde::Serialize;
use serde_json::Value;

/// The id of a request: a string, or an integer of 64 bits.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct RequestId(Value);

impl RequestId {
    /// Reads an id. Any other value is none.
    pub fn read(id: &Value) -> Option<RequestId> {
        let is_integer = id.as_number().is_some_and(|number| !number.is_f64());
        (id.is_string() || is_integer).then(|| RequestId(id.clone()))
    }
}

impl From<&str> for RequestId {
    fn from(id: &str) -> RequestId {
        RequestId(id.into())
    }
}

impl From<String> for RequestId {
    fn from(id: String) -> RequestId {
        RequestId(id.into())
    }
}

impl From<i64> for RequestId {
    fn from(id: i64) -> RequestId {
        RequestId(id.into())
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Value::String(text) => f.write_str(text),
            integer => integer.fmt(f),
        }
    }
}
