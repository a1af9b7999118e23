//! Reads the params of a method straight from the line, as rmcp reads them from its buffer.

use std::fmt;

use rmcp::model::JsonObject;
use serde::{
    Deserialize, Deserializer,
    de::{
        DeserializeSeed, Error, IgnoredAny, IntoDeserializer, MapAccess, Visitor,
        value::MapAccessDeserializer,
    },
    forward_to_deserialize_any,
};
use serde_json::Value;

use super::checked::Checked;

/// The members of params, with the members that their type lacks.
pub(in crate::server) struct Params<'p, A> {
    pub(super) members: A,
    pub(super) beside: &'p mut Beside,
    /// The names of wanted members that rmcp drops.
    pub(super) wanted: &'p [&'static str],
}

/// Members of params that are read beside their type.
#[derive(Debug, Default)]
pub(in crate::server) struct Beside {
    pub(super) meta: Option<JsonObject>,
    has_meta: bool,
    /// The wanted members that rmcp drops.
    pub(super) members: JsonObject,
}

impl<'de, A: MapAccess<'de>> Params<'_, A> {
    /// Reads params of a type without structs in it.
    pub(in crate::server) fn flat<P: Deserialize<'de>>(self) -> Result<P, A::Error> {
        P::deserialize(self)
    }

    /// Reads params of a type with structs in it. They are buffered, as rmcp does.
    pub(in crate::server) fn nested<P: Deserialize<'de>>(self) -> Result<P, A::Error> {
        let params = WithMeta::deserialize(MapAccessDeserializer::new(self.members))?;
        self.beside.meta = params.meta;
        Ok(params.rest)
    }

    /// Reads params of which only `_meta` counts.
    pub(in crate::server) fn none(self) -> Result<(), A::Error> {
        let mut fields = Fields {
            params: self,
            fields: &[],
        };
        while fields.next_key::<IgnoredAny>()?.is_some() {}
        Ok(())
    }

    /// Reads params of a method that MCP does not define.
    pub(super) fn custom(self) -> Result<JsonObject, A::Error> {
        let Params {
            mut members,
            beside,
            ..
        } = self;
        let mut all = JsonObject::new();
        while let Some(name) = members.next_key::<String>()? {
            if name == META {
                beside.take_meta(&mut members)?;
            } else if name.starts_with(RESERVED) {
                return Err(A::Error::custom("a reserved name"));
            } else {
                all.insert(name, members.next_value()?);
            }
        }
        Ok(all)
    }
}

const META: &str = "_meta";

/// `serde_json` gives such names a meaning of their own, which depends on their place.
const RESERVED: &str = "$serde_json::";

#[derive(Deserialize)]
struct WithMeta<P> {
    #[serde(rename = "_meta")]
    meta: Option<JsonObject>,
    #[serde(flatten)]
    rest: P,
}

impl Beside {
    fn take_meta<'de, A: MapAccess<'de>>(&mut self, members: &mut A) -> Result<(), A::Error> {
        // `null` counts as absent, and `null` twice counts as a duplicate.
        if std::mem::replace(&mut self.has_meta, true) {
            return Err(A::Error::duplicate_field(META));
        }
        self.meta = members.next_value()?;
        Ok(())
    }
}

impl<'de, A: MapAccess<'de>> Deserializer<'de> for Params<'_, A> {
    type Error = A::Error;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        visitor.visit_map(Fields {
            params: self,
            fields,
        })
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, A::Error> {
        Err(A::Error::custom("params that are no struct"))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// The members for which a type has a field.
struct Fields<'p, A> {
    params: Params<'p, A>,
    fields: &'static [&'static str],
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Fields<'_, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        let Params {
            members,
            beside,
            wanted,
        } = &mut self.params;
        loop {
            let names = MemberName {
                fields: self.fields,
                wanted,
            };
            match members.next_key_seed(names)? {
                None => return Ok(None),
                Some(Name::Field(name)) => {
                    return seed.deserialize(name.into_deserializer()).map(Some);
                }
                Some(Name::Meta) => beside.take_meta(members)?,
                Some(Name::Wanted(name)) => {
                    let value: Value = members.next_value()?;
                    beside.members.insert(name.to_owned(), value);
                }
                Some(Name::Unknown) => {
                    members.next_value::<Checked>()?;
                }
            }
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.params.members.next_value_seed(seed)
    }
}

/// Reads the name of a member of params.
struct MemberName<'n> {
    fields: &'static [&'static str],
    wanted: &'n [&'static str],
}

enum Name {
    Field(&'static str),
    Meta,
    Wanted(&'static str),
    Unknown,
}

impl<'de> DeserializeSeed<'de> for MemberName<'_> {
    type Value = Name;

    fn deserialize<D: Deserializer<'de>>(self, name: D) -> Result<Name, D::Error> {
        name.deserialize_str(self)
    }
}

impl Visitor<'_> for MemberName<'_> {
    type Value = Name;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Name, E> {
        let among = |names: &[&'static str]| names.iter().copied().find(|each| *each == name);
        Ok(if name == META {
            Name::Meta
        } else if let Some(field) = among(self.fields) {
            Name::Field(field)
        } else {
            among(self.wanted).map_or(Name::Unknown, Name::Wanted)
        })
    }
}
