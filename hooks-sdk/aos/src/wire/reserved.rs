//! Names to which the reader of JSON gives a meaning of its own.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{Error, MapAccess, SeqAccess, Visitor},
};

use super::AosError;

/// `serde_json` reads an object with such a name as the JSON in its text. A guardian would judge that, and the agent would
/// use the object.
const RESERVED: &str = "$serde_json::";

/// Refuses a request with a reserved name at any depth.
pub(super) fn check_names(body: &str) -> Result<(), AosError> {
    // Each letter of a name can be written as an escape.
    if !body.contains(RESERVED) && !body.contains("\\u") {
        return Ok(());
    }
    serde_json::from_str(body)
        .map(|Names| ())
        .map_err(AosError::not_json)
}

/// A value of JSON in which no name is reserved.
struct Names;

impl<'de> Deserialize<'de> for Names {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Names, D::Error> {
        deserializer.deserialize_any(Names)
    }
}

macro_rules! values {
    ($($visit:ident: $type:ty,)+) => {
        $(fn $visit<E: Error>(self, _: $type) -> Result<Names, E> {
            Ok(Names)
        })+
    };
}

impl<'de> Visitor<'de> for Names {
    type Value = Names;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value of JSON")
    }

    values! {
        visit_bool: bool,
        visit_i64: i64,
        visit_u64: u64,
        visit_f64: f64,
        visit_str: &str,
    }

    fn visit_unit<E: Error>(self) -> Result<Names, E> {
        Ok(Names)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Names, A::Error> {
        while items.next_element::<Names>()?.is_some() {}
        Ok(Names)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Names, A::Error> {
        while let Some(name) = members.next_key::<Cow<'_, str>>()? {
            if name.starts_with(RESERVED) {
                return Err(A::Error::custom(format_args!(
                    "no name may begin with `{RESERVED}`: rename the member"
                )));
            }
            members.next_value::<Names>()?;
        }
        Ok(Names)
    }
}
