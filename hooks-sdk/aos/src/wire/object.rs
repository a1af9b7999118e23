//! The form of the document's objects: required members, optional ones, `metadata`, and members that it does not define.

/// Defines objects of the document. Each becomes a public struct that is read and written as JSON, in the order of its
/// members, with their names in camel case.
///
/// | member | on the wire |
/// |---|---|
/// | `pub name: T` | always there |
/// | `pub name?: T` | may be absent, but not `null`: an `Option<T>` |
/// | `name: T = value` | always there, and made with this value |
/// | `pub metadata` | further facts: an object, `null`, or absent |
///
/// Behind the struct may stand the constructor `pub fn new(…);`, which takes the required members.
macro_rules! objects {
    () => {};
    (
        $(#[$doc:meta])+
        pub struct $name:ident { $($members:tt)+ }
        $(#[$new_doc:meta])+
        pub fn new($($argument:ident: $type:ty),+ $(,)?);
        $($others:tt)*
    ) => {
        $crate::wire::object::object! {
            @ [[$(#[$doc])+] $name { $(#[$new_doc])+ $($argument: $type),+ }] [] [] $($members)+
        }
        $crate::wire::object::objects! { $($others)* }
    };
    ($(#[$doc:meta])+ pub struct $name:ident { $($members:tt)+ } $($others:tt)*) => {
        $crate::wire::object::object! { @ [[$(#[$doc])+] $name] [] [] $($members)+ }
        $crate::wire::object::objects! { $($others)* }
    };
}

/// Takes one member after the other: as a field, and as its value in the constructor.
macro_rules! object {
    (@ $head:tt [$($fields:tt)*] [$($values:tt)*] pub metadata, $($rest:tt)*) => {
        $crate::wire::object::object! { @ $head [
            $($fields)*
            /// Further facts: an object, or `null`.
            #[serde(
                default,
                deserialize_with = "crate::wire::present::metadata",
                skip_serializing_if = "Option::is_none"
            )]
            pub metadata: Option<Option<serde_json::Map<String, serde_json::Value>>>,
        ] [$($values)* metadata: None,] $($rest)* }
    };
    (
        @ $head:tt [$($fields:tt)*] [$($values:tt)*]
        $(#[$attribute:meta])+ pub $name:ident?: $type:ty, $($rest:tt)*
    ) => {
        $crate::wire::object::object! { @ $head [
            $($fields)*
            $(#[$attribute])+
            #[serde(
                default,
                deserialize_with = "crate::wire::present::present",
                skip_serializing_if = "Option::is_none"
            )]
            pub $name: Option<$type>,
        ] [$($values)* $name: None,] $($rest)* }
    };
    (
        @ $head:tt [$($fields:tt)*] [$($values:tt)*]
        $(#[$attribute:meta])* $visible:vis $name:ident: $type:ty = $value:expr, $($rest:tt)*
    ) => {
        $crate::wire::object::object! { @ $head [
            $($fields)* $(#[$attribute])* $visible $name: $type,
        ] [$($values)* $name: $value,] $($rest)* }
    };
    (
        @ $head:tt [$($fields:tt)*] $values:tt
        $(#[$attribute:meta])+ pub $name:ident: $type:ty, $($rest:tt)*
    ) => {
        $crate::wire::object::object! {
            @ $head [$($fields)* $(#[$attribute])+ pub $name: $type,] $values $($rest)*
        }
    };
    (@ [[$(#[$doc:meta])+] $name:ident $($new:tt)?] [$($fields:tt)*] $values:tt) => {
        $(#[$doc])+
        #[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        #[serde(rename_all = "camelCase")]
        #[non_exhaustive]
        pub struct $name {
            $($fields)*
            /// Members that the document does not define.
            #[serde(flatten)]
            pub other: serde_json::Map<String, serde_json::Value>,
        }

        $($crate::wire::object::object! { @new $name $values $new })?
    };
    (@new $name:ident [$($values:tt)*] { $(#[$doc:meta])+ $($argument:ident: $type:ty),+ }) => {
        impl $name {
            $(#[$doc])+
            pub fn new($($argument: $type),+) -> $name {
                $name {
                    $($argument: $argument.into(),)+
                    $($values)*
                    other: serde_json::Map::new(),
                }
            }
        }
    };
}
pub(super) use {object, objects};
