//! Reading the arguments of a call so that a mistake is explained.

use std::{borrow::Cow, fmt, sync::Arc};

use rmcp::{
    ErrorData,
    handler::server::{
        common::{FromContextPart, schema_for_input},
        tool::ToolCallContext,
    },
    model::JsonObject,
    schemars::{JsonSchema, Schema, SchemaGenerator, json_schema},
};
use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, SeqAccess, Visitor},
};

use crate::store::Error;

/// The arguments of a call, or what is wrong with them.
///
/// rmcp's own extractor names neither the argument nor the remedy.
#[derive(Debug)]
pub(crate) struct Arguments<T>(pub(crate) Result<T, Error>);

impl<S, T: DeserializeOwned> FromContextPart<ToolCallContext<'_, S>> for Arguments<T> {
    fn from_context_part(context: &mut ToolCallContext<'_, S>) -> Result<Self, ErrorData> {
        let given = context.arguments.take().unwrap_or_default();
        Ok(Self(read(given)))
    }
}

fn read<T: DeserializeOwned>(given: JsonObject) -> Result<T, Error> {
    serde_path_to_error::deserialize(serde_json::Value::Object(given)).map_err(|error| {
        let path = error.path().to_string();
        // Rust's words for numbers mean nothing to the caller.
        let said = error
            .into_inner()
            .to_string()
            .replace("i64", "a whole number")
            .replace("f64", "a number");
        let what = match path.as_str() {
            "." => said,
            argument => format!("`{argument}`: {said}"),
        };
        Error::refused(what, "send the arguments as the tool's input schema says")
    })
}

pub(crate) fn schema<T: JsonSchema + 'static>() -> Arc<JsonObject> {
    schema_for_input::<T>().unwrap_or_default()
}

/// A list of strings; one string alone counts as a list of one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct OneOrMany(pub(crate) Vec<String>);

impl<'de> Deserialize<'de> for OneOrMany {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = OneOrMany;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of strings or one string")
            }

            fn visit_str<E>(self, one: &str) -> Result<OneOrMany, E> {
                Ok(OneOrMany(vec![one.to_owned()]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<OneOrMany, A::Error> {
                let mut many = Vec::new();
                while let Some(one) = list.next_element()? {
                    many.push(one);
                }
                Ok(OneOrMany(many))
            }
        }
        deserializer.deserialize_any(Either)
    }
}

impl JsonSchema for OneOrMany {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "OneOrMany".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "anyOf": [{ "type": "array", "items": { "type": "string" } }, { "type": "string" }]
        })
    }
}
