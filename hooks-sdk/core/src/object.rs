//! The macro that defines the JSON objects of a protocol's document.

use serde::{Deserialize, Deserializer};

/// Defines structs that are one JSON object each. Their members are public, and named in camelCase on the wire.
///
/// | member | read | written |
/// |---|---|---|
/// | `name: Type` | required, except for an `Option`, which `null` and an absent member leave empty | always |
/// | `name?: Type` | an `Option<Type>`, `None` if the member is absent; `null` is absent too, or an error after `[strict]` | unless it is `None` |
/// | `name: Type = default` | the default of `Type` for `null` and for an absent member | always |
/// | `name: Type = value` | required; constructors set this value | always |
/// | `private name: Type = value` | the same, for a member that is not public | always |
/// | `metadata` | an object, `null`, or absent | unless it is absent |
///
/// Each struct also gets `other`, which keeps the members that the document does not define.
///
/// Behind the members may stand functions:
/// - `fn new(name: impl Into<Type>, …);` makes the object from its required members.
/// - `fn refused(name: Type, …) { member: value, … };` makes the object from these values.
/// - `fn name(value: impl Into<Type>) => member;` sets a member of the form `member?`.
///
/// A constructor leaves every other member empty.
#[doc(hidden)]
#[macro_export]
macro_rules! __objects {
    ([$mode:ident] $($(#[$about:meta])* pub struct $name:ident { $($members:tt)* })+) => {
        $($crate::__objects!(@ [$mode {$(#[$about])*} $name] {} {} {} {} $($members)*);)+
    };

    (@ $head:tt $fields:tt {$($set:tt)*} $all:tt {$($functions:tt)*}
        $(#[$about:meta])* fn new($($argument:ident: $type:ty),* $(,)?); $($rest:tt)*
    ) => {
        $crate::__objects!(@ $head $fields {$($set)*} $all {
            $($functions)*

            $(#[$about])*
            pub fn new($($argument: $type),*) -> Self {
                Self { $($argument: $argument.into(),)* $($set)* other: ::serde_json::Map::new() }
            }
        } $($rest)*);
    };
    (@ $head:tt $fields:tt $set:tt {$($all:tt)*} {$($functions:tt)*}
        $(#[$about:meta])* fn $function:ident($($argument:ident: $type:ty),*) {
            $($member:ident: $value:expr),+ $(,)?
        }; $($rest:tt)*
    ) => {
        $crate::__objects!(@ $head $fields $set {$($all)*} {
            $($functions)*

            $(#[$about])*
            pub fn $function($($argument: $type),*) -> Self {
                let mut made = Self { $($all)* other: ::serde_json::Map::new() };
                $(made.$member = $value;)+
                made
            }
        } $($rest)*);
    };
    (@ $head:tt $fields:tt $set:tt $all:tt {$($functions:tt)*}
        $(#[$about:meta])* fn $function:ident($argument:ident: $type:ty) => $member:ident; $($rest:tt)*
    ) => {
        $crate::__objects!(@ $head $fields $set $all {
            $($functions)*

            $(#[$about])*
            #[must_use]
            pub fn $function(mut self, $argument: $type) -> Self {
                self.$member = Some($argument.into());
                self
            }
        } $($rest)*);
    };

    (@ $head:tt {$($fields:tt)*} {$($set:tt)*} {$($all:tt)*} $functions:tt metadata, $($rest:tt)*) => {
        $crate::__objects!(@ $head {
            $($fields)*
            /// Further facts: an object, or `null`.
            #[serde(
                default,
                deserialize_with = "::hooks_core::internal::present",
                skip_serializing_if = "Option::is_none"
            )]
            pub metadata: Option<Option<::serde_json::Map<String, ::serde_json::Value>>>,
        } {$($set)* metadata: None,} {$($all)* metadata: None,} $functions $($rest)*);
    };
    (@ [strict $about:tt $name:ident] {$($fields:tt)*} {$($set:tt)*} {$($all:tt)*} $functions:tt
        $(#[$meta:meta])* $member:ident?: $type:ty, $($rest:tt)*
    ) => {
        $crate::__objects!(@ [strict $about $name] {
            $($fields)*
            $(#[$meta])*
            #[serde(
                default,
                deserialize_with = "::hooks_core::internal::present",
                skip_serializing_if = "Option::is_none"
            )]
            pub $member: Option<$type>,
        } {$($set)* $member: None,} {$($all)* $member: None,} $functions $($rest)*);
    };
    (@ [lenient $about:tt $name:ident] {$($fields:tt)*} {$($set:tt)*} {$($all:tt)*} $functions:tt
        $(#[$meta:meta])* $member:ident?: $type:ty, $($rest:tt)*
    ) => {
        $crate::__objects!(@ [lenient $about $name] {
            $($fields)*
            $(#[$meta])*
            #[serde(skip_serializing_if = "Option::is_none")]
            pub $member: Option<$type>,
        } {$($set)* $member: None,} {$($all)* $member: None,} $functions $($rest)*);
    };
    (@ $head:tt {$($fields:tt)*} {$($set:tt)*} {$($all:tt)*} $functions:tt
        $(#[$meta:meta])* $member:ident: $type:ty = default, $($rest:tt)*
    ) => {
        $crate::__objects!(@ $head {
            $($fields)*
            $(#[$meta])*
            #[serde(default, deserialize_with = "::hooks_core::internal::or_default")]
            pub $member: $type,
        } {$($set)* $member: Default::default(),} {$($all)* $member: Default::default(),} $functions $($rest)*);
    };
    (@ $head:tt $fields:tt {$($set:tt)*} {$($all:tt)*} $functions:tt
        $(#[$meta:meta])* private $member:ident: $type:ty = $value:expr, $($rest:tt)*
    ) => {
        $crate::__objects!(@field () $head $fields {$($set)* $member: $value,} {$($all)* $member: $value,} $functions
            {$(#[$meta])*} $member $type, $($rest)*);
    };
    (@ $head:tt $fields:tt {$($set:tt)*} {$($all:tt)*} $functions:tt
        $(#[$meta:meta])* $member:ident: $type:ty = $value:expr, $($rest:tt)*
    ) => {
        $crate::__objects!(@field (pub) $head $fields {$($set)* $member: $value,} {$($all)* $member: $value,} $functions
            {$(#[$meta])*} $member $type, $($rest)*);
    };
    (@ $head:tt $fields:tt $set:tt {$($all:tt)*} $functions:tt
        $(#[$meta:meta])* $member:ident: $type:ty, $($rest:tt)*
    ) => {
        $crate::__objects!(@field (pub) $head $fields $set {$($all)* $member: Default::default(),} $functions
            {$(#[$meta])*} $member $type, $($rest)*);
    };
    (@field ($($public:tt)?) $head:tt {$($fields:tt)*} $set:tt $all:tt $functions:tt
        {$(#[$meta:meta])*} $member:ident $type:ty, $($rest:tt)*
    ) => {
        $crate::__objects!(@ $head {$($fields)* $(#[$meta])* $($public)? $member: $type,} $set $all $functions $($rest)*);
    };

    (@ [$mode:ident {$(#[$about:meta])*} $name:ident] {$($fields:tt)*} $set:tt $all:tt {$($functions:tt)*}) => {
        #[derive(Clone, Debug, PartialEq, Eq, ::serde::Serialize, ::serde::Deserialize)]
        $(#[$about])*
        #[serde(rename_all = "camelCase")]
        #[non_exhaustive]
        pub struct $name {
            $($fields)*
            /// Members that the document does not define.
            #[serde(flatten)]
            pub other: ::serde_json::Map<String, ::serde_json::Value>,
        }

        $crate::__objects!(@functions $name {$($functions)*});
    };
    (@functions $name:ident {}) => {};
    (@functions $name:ident {$($functions:tt)+}) => {
        impl $name {
            $($functions)+
        }
    };
}

pub use __objects as objects;

/// Reads `null` as the default. `#[serde(default)]` beside it handles an absent member.
///
/// # Errors
///
/// The value is no `T`.
pub fn or_default<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(
    deserializer: D,
) -> Result<T, D::Error> {
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}

/// Reads a member that is there: also `null`, where `T` can be that. `#[serde(default)]` beside it handles an absent member.
///
/// # Errors
///
/// The value is no `T`.
pub fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}
