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
///
/// Behind the members may stand functions:
/// - `fn new(name: impl Into<Type>, …);` makes the object from its required members. It leaves the others empty.
/// - `fn name(value: impl Into<Type>) => member;` sets a member of the form `member?`.
macro_rules! objects {
    ($($(#[$meta:meta])* pub struct $name:ident { $($members:tt)* })+) => {
        $(objects!(@members {$(#[$meta])* $name} {} {} {} $($members)*);)+
    };
    (@members {$(#[$outer:meta])* $name:ident} $members:tt {$($empty:tt)*} {$($functions:tt)*}
        $(#[$meta:meta])* fn new($($argument:ident: $type:ty),*); $($rest:tt)*
    ) => {
        objects!(@members {$(#[$outer])* $name} $members {$($empty)*} {
            $($functions)*

            $(#[$meta])*
            pub fn new($($argument: $type),*) -> $name {
                $name { $($argument: $argument.into(),)* $($empty)* other: Map::new() }
            }
        } $($rest)*);
    };
    (@members {$(#[$outer:meta])* $name:ident} $members:tt $empty:tt {$($functions:tt)*}
        $(#[$meta:meta])* fn $function:ident($argument:ident: $type:ty) => $member:ident; $($rest:tt)*
    ) => {
        objects!(@members {$(#[$outer])* $name} $members $empty {
            $($functions)*

            $(#[$meta])*
            #[must_use]
            pub fn $function(mut self, $argument: $type) -> $name {
                self.$member = Some($argument.into());
                self
            }
        } $($rest)*);
    };
    (@members $head:tt {$($members:tt)*} {$($empty:tt)*} $functions:tt
        $(#[$meta:meta])* $member:ident?: $type:ty, $($rest:tt)*
    ) => {
        objects!(@members $head {
            $($members)*
            $(#[$meta])*
            #[serde(skip_serializing_if = "Option::is_none")]
            pub $member: Option<$type>,
        } {$($empty)* $member: None,} $functions $($rest)*);
    };
    (@members $head:tt {$($members:tt)*} {$($empty:tt)*} $functions:tt
        $(#[$meta:meta])* $member:ident: $type:ty = default, $($rest:tt)*
    ) => {
        objects!(@members $head {
            $($members)*
            $(#[$meta])*
            #[serde(default, deserialize_with = "crate::wire::objects::or_default")]
            pub $member: $type,
        } {$($empty)* $member: Default::default(),} $functions $($rest)*);
    };
    (@members $head:tt {$($members:tt)*} $empty:tt $functions:tt
        $(#[$meta:meta])* $member:ident: $type:ty, $($rest:tt)*
    ) => {
        objects!(@members $head {
            $($members)*
            $(#[$meta])*
            pub $member: $type,
        } $empty $functions $($rest)*);
    };
    (@members {$(#[$meta:meta])* $name:ident} {$($members:tt)*} $empty:tt {$($functions:tt)*}) => {
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

        impl $name {
            $($functions)*
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
