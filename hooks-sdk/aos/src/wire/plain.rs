//! JSON as it is written: no name in it has a meaning of its own to the reader.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, Error, MapAccess, SeqAccess, Visitor},
};
use serde_json::{Map, Value};

use super::AosError;

/// `serde_json` reads an object with such a name as the JSON in its text. A guardian would judge that, and the agent would
/// use the object.
const RESERVED: &str = "$serde_json::";

/// A value in which no name is reserved. A name that is there twice has its last value.
pub(super) struct Plain(pub(super) Value);

impl<'de> Deserialize<'de> for Plain {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Plain, D::Error> {
        deserializer.deserialize_any(PlainVisitor).map(Plain)
    }
}

struct PlainVisitor;

macro_rules! values {
    ($($visit:ident: $type:ty,)+) => {
        $(fn $visit<E: Error>(self, value: $type) -> Result<Value, E> {
            Ok(value.into())
        })+
    };
}

impl<'de> Visitor<'de> for PlainVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value of JSON")
    }

    values! {
        visit_bool: bool,
        visit_i64: i64,
        visit_u64: u64,
        visit_f64: f64,
        visit_str: &str,
        visit_string: String,
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Plain(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            if name.starts_with(RESERVED) {
                return Err(A::Error::custom(format_args!(
                    "no name may begin with `{RESERVED}`: rename the member"
                )));
            }
            let Plain(value) = members.next_value()?;
            map.insert(name, value);
        }
        Ok(Value::Object(map))
    }
}

/// Takes a member of the params that is there.
pub(super) fn take<T: DeserializeOwned>(
    params: &mut Map<String, Value>,
    name: &str,
) -> Result<T, AosError> {
    let at = format!("params.{name}");
    match params.remove(name) {
        Some(value) => decode(value, at),
        None => Err(AosError::invalid(at, "it is missing")),
    }
}

/// Decodes a value, and says where it is wrong.
pub(super) fn decode<T: DeserializeOwned>(value: Value, at: String) -> Result<T, AosError> {
    serde_path_to_error::deserialize(value).map_err(|wrong| {
        let path = wrong.path().to_string();
        let at = match path.as_str() {
            "." => at,
            path => format!("{at}.{path}"),
        };
        AosError::invalid(at, wrong.inner())
    })
}
