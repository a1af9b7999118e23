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

/// Writes `as_str`, which returns the word of each variant of an enum, and `Display`, which writes it.
///
/// ```ignore
/// as_words! {
///     /// Returns the priority's word on the wire.
///     Strength: Suggestion = "suggestion", Required = "required"
/// }
/// ```
#[doc(hidden)]
#[macro_export]
macro_rules! __as_words {
    ($(#[$attribute:meta])+ $name:ident: $($variant:ident = $word:literal),+) => {
        impl $name {
            $(#[$attribute])+
            pub const fn as_str(self) -> &'static str {
                match self {
                    $($name::$variant => $word,)+
                }
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

/// Writes constants that are named after the words of an attribute.
macro_rules! words {
    ($($(#[$attribute:meta])+ $word:ident: $vocabulary:ident = $variant:ident;)+) => {
        #[cfg(test)]
        pub(super) const WORDS: &[&str] = &[$(stringify!($word)),+];
    $(
        $(#[$attribute])+
        #[allow(non_upper_case_globals, reason = "named after its word in an attribute")]
        pub const $word: $vocabulary = $vocabulary::$variant;
    )+};
}

pub(crate) use words;
pub use {__as_words as as_words, __debugs as debugs, __setters as setters};
