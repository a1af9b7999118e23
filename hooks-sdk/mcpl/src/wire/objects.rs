//! The macro that defines the objects of the wire.

use serde::{Deserialize, Deserializer};

/// Defines structs that are one JSON object each, whose members are named in camelCase.
///
/// A member is written in one of three forms:
///
/// | form | read | written |
/// |---|---|---|
/// | `name: Type` | required, except for an `Option`, which `null` and an absent member leave empty | always |
/// | `name?: Type` | an `Option<Type>`: `None` for `null` and for an absent member | unless it is `None` |
/// | `name: Type = default` | the default of `Type` for `null` and for an absent member | always |
///
/// Each struct also gets `other`, which keeps the members that the document does not define.
macro_rules! objects {
    ($($(#[$meta:meta])* pub struct $name:ident { $($members:tt)* })+) => {
        $(objects!(@members {$(#[$meta])* $name} {} $($members)*);)+
    };
    (@members $head:tt {$($done:tt)*} $(#[$meta:meta])* $member:ident ?: $type:ty, $($rest:tt)*) => {
        objects!(@members $head {
            $($done)*
            $(#[$meta])*
            #[serde(skip_serializing_if = "Option::is_none")]
            pub $member: Option<$type>,
        } $($rest)*);
    };
    (@members $head:tt {$($done:tt)*} $(#[$meta:meta])* $member:ident: $type:ty = default, $($rest:tt)*) => {
        objects!(@members $head {
            $($done)*
            $(#[$meta])*
            #[serde(default, deserialize_with = "crate::wire::objects::or_default")]
            pub $member: $type,
        } $($rest)*);
    };
    (@members $head:tt {$($done:tt)*} $(#[$meta:meta])* $member:ident: $type:ty, $($rest:tt)*) => {
        objects!(@members $head {
            $($done)*
            $(#[$meta])*
            pub $member: $type,
        } $($rest)*);
    };
    (@members {$(#[$meta:meta])* $name:ident} {$($members:tt)*}) => {
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
        $(#[$meta])*
        #[serde(rename_all = "camelCase")]
        #[non_exhaustive]
        pub struct $name {
            $($members)*
            /// Members that the document does not define.
            #[serde(flatten)]
            pub other: Map<String, Value>,
        }
    };
}

/// Reads `null` as the default. `#[serde(default)]` beside it handles an absent member.
pub(super) fn or_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}
