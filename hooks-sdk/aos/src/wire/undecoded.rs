//! The members of an object before they are decoded: each is decoded once, by the type that its name asks for.

use std::{
    borrow::{Borrow, Cow},
    collections::BTreeMap,
    fmt,
};

use serde::{
    Deserialize, Deserializer,
    de::{
        DeserializeOwned, Error, MapAccess, SeqAccess, Visitor,
        value::{MapAccessDeserializer, SeqAccessDeserializer},
    },
};
use serde_json::{Map, Value, value::RawValue};

use super::AosError;

/// The members of a request. A name that is there twice has its last value.
pub(super) type Whole<'a> = BTreeMap<Name<'a>, Part<'a>>;

/// The name of a member.
#[derive(PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(transparent)]
pub(super) struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

impl Borrow<str> for Name<'_> {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl From<Name<'_>> for String {
    fn from(name: Name<'_>) -> String {
        name.0.into_owned()
    }
}

/// A member of a request.
pub(super) enum Part<'a> {
    Object(Undecoded<'a>),
    Value(Value),
}

impl Part<'_> {
    pub(super) fn value(self) -> Result<Value, AosError> {
        match self {
            Part::Object(members) => members.decoded().map(Value::Object),
            Part::Value(value) => Ok(value),
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Part<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Part<'a>, D::Error> {
        deserializer.deserialize_any(PartVisitor)
    }
}

struct PartVisitor;

macro_rules! values {
    ($($visit:ident: $type:ty,)+) => {
        $(fn $visit<E: Error>(self, value: $type) -> Result<Part<'de>, E> {
            Ok(Part::Value(value.into()))
        })+
    };
}

impl<'de> Visitor<'de> for PartVisitor {
    type Value = Part<'de>;

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

    fn visit_unit<E: Error>(self) -> Result<Part<'de>, E> {
        Ok(Part::Value(Value::Null))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Part<'de>, A::Error> {
        Value::deserialize(SeqAccessDeserializer::new(items)).map(Part::Value)
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Part<'de>, A::Error> {
        Undecoded::deserialize(MapAccessDeserializer::new(members)).map(Part::Object)
    }
}

/// The members of an object, as text. A name that is there twice has its last value.
#[derive(Default, Deserialize)]
#[serde(transparent)]
pub(super) struct Undecoded<'a>(#[serde(borrow)] BTreeMap<Name<'a>, &'a RawValue>);

impl<'a> Undecoded<'a> {
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    pub(super) fn get(&self, name: &str) -> Option<&'a RawValue> {
        self.0.get(name).copied()
    }

    pub(super) fn remove(&mut self, name: &str) -> Option<&'a RawValue> {
        self.0.remove(name)
    }

    /// Takes a member of the params that is there.
    pub(super) fn take<T: DeserializeOwned>(&mut self, name: &str) -> Result<T, AosError> {
        match self.remove(name) {
            Some(text) => decode(text, format_args!("params.{name}")),
            None => Err(AosError::invalid(format!("params.{name}"), "it is missing")),
        }
    }

    /// Decodes the members that are left.
    pub(super) fn decoded(self) -> Result<Map<String, Value>, AosError> {
        let decoded = |(name, text): (Name<'_>, &RawValue)| Ok((name.into(), json(text)?));
        self.0.into_iter().map(decoded).collect()
    }
}

/// Decodes a value of any kind.
fn json(text: &RawValue) -> Result<Value, AosError> {
    // Its text was not decoded before: it can be nested too deep, or have a number that is too large.
    serde_json::from_str(text.get()).map_err(AosError::not_json)
}

/// Decodes a value, and says where it is wrong.
pub(super) fn decode<T: DeserializeOwned>(
    text: &RawValue,
    at: impl fmt::Display,
) -> Result<T, AosError> {
    // Only what fails is read twice: to follow the path costs a string for each member.
    serde_json::from_str(text.get()).or_else(|_| decode_value(json(text)?, at))
}

/// As [`decode`].
pub(super) fn decode_value<T: DeserializeOwned>(
    value: Value,
    at: impl fmt::Display,
) -> Result<T, AosError> {
    serde_path_to_error::deserialize(value).map_err(|wrong| {
        let path = wrong.path().to_string();
        let at = match path.as_str() {
            "." => at.to_string(),
            path => format!("{at}.{path}"),
        };
        AosError::invalid(at, wrong.inner())
    })
}
