//! The macros that write what is the same of every builder and of every word of an attribute.

/// Writes methods that take a builder by value, change it by their block, and return it.
///
/// ```ignore
/// setters! {
///     /// Sets the order within its level, higher first.
///     fn priority(mut self, priority: i64) { self.priority = Some(priority) }
/// }
/// ```
#[doc(hidden)]
#[macro_export]
macro_rules! __setters {
    ($(
        $(#[$attribute:meta])+
        fn $name:ident $(<$generic:ident: $bound:path>)? (mut $self:ident $(, $value:ident: $ty:ty)*) $change:block
    )+) => {$(
        $(#[$attribute])+
        #[must_use]
        #[allow(clippy::double_must_use, reason = "some of the builders are marked themselves")]
        pub fn $name $(<$generic: $bound>)? (mut $self $(, $value: $ty)*) -> Self {
            $change;
            $self
        }
    )+};
}

/// Writes `Debug` for a type that shows some of its fields only.
///
/// ```ignore
/// debugs!(Checkpoints<S> { limits });
/// ```
#[doc(hidden)]
#[macro_export]
macro_rules! __debugs {
    ($name:ident $(<$($generic:ident),+>)? { $($field:ident),* }) => {
        impl $(<$($generic),+>)? ::std::fmt::Debug for $name $(<$($generic),+>)? {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.debug_struct(stringify!($name))
                    $(.field(stringify!($field), &self.$field))*
                    .finish_non_exhaustive()
            }
        }
    };
}

/// Defines an enum whose values have words: `as_str` returns the word, and `Display` writes it. With `ALL`, a constant has every
/// value.
///
/// ```ignore
/// words! {
///     /// How strongly the server wants the agent to act.
///     #[derive(Clone, Copy, Debug)]
///     pub enum Strength: "Returns the priority's word on the wire." {
///         /// The agent may consider the context.
///         Suggestion = "suggestion",
///     }
/// }
/// ```
#[doc(hidden)]
#[macro_export]
macro_rules! __words {
    ($(#[$about:meta])* $vis:vis enum $name:ident, ALL: $says:literal { $($values:tt)+ }) => {
        $crate::__words! { $(#[$about])* $vis enum $name: $says { $($values)+ } }
        $crate::__words! { ALL $name { $($values)+ } }
    };
    (ALL $name:ident { $($(#[$doc:meta])* $value:ident = $word:literal,)+ }) => {
        impl $name {
            /// Every value, in the order of this page.
            pub const ALL: &'static [$name] = &[$($name::$value),+];
        }
    };
    ($(#[$about:meta])* $vis:vis enum $name:ident: $says:literal {
        $($(#[$doc:meta])* $value:ident = $word:literal,)+
    }) => {
        $(#[$about])*
        $vis enum $name {
            $($(#[$doc])* $value,)+
        }

        impl $name {
            #[doc = $says]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $($name::$value => $word,)+
                }
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.as_str())
            }
        }
    };
}

/// Writes constants that are named after the words of an attribute.
///
/// ```ignore
/// constants! {
///     /// The agent may consider the context.
///     suggestion: Strength = Suggestion;
/// }
/// ```
#[doc(hidden)]
#[macro_export]
macro_rules! __constants {
    ($($(#[$attribute:meta])* $word:ident: $vocabulary:ident = $value:ident;)+) => {
        #[cfg(test)]
        #[allow(dead_code, reason = "most tests compare them with the list of the macros")]
        pub(crate) const WORDS: &[&str] = &[$(stringify!($word)),+];
    $(
        $(#[$attribute])*
        #[doc = concat!("[`", stringify!($vocabulary), "::", stringify!($value), "`].")]
        #[allow(non_upper_case_globals, reason = "named after its word in an attribute")]
        pub const $word: $vocabulary = $vocabulary::$value;
    )+};
}

pub use {__constants as constants, __debugs as debugs, __setters as setters, __words as words};
