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
///     pub enum Strength: "Returns the word on the wire." {
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
    (ALL $name:ident { $($(#[$doc:meta])* $value:ident = $word:expr,)+ }) => {
        impl $name {
            /// Every value, in the order of this page.
            pub const ALL: &'static [$name] = &[$($name::$value),+];
        }
    };
    ($(#[$about:meta])* $vis:vis enum $name:ident: $says:literal {
        $($(#[$doc:meta])* $value:ident = $word:expr,)+
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

/// Writes the conversion of a protocol's hook into one of the registry, with its place and its owner.
///
/// ```ignore
/// entry!(AosHook: PROTOCOL, |hook| hook.at.as_str(), format!("aos:{}", hook.id));
/// ```
#[doc(hidden)]
#[macro_export]
macro_rules! __entry {
    ($name:ident: $protocol:expr, |$hook:ident| $point:expr, $id:expr) => {
        impl From<$name> for $crate::Hook {
            fn from($hook: $name) -> $crate::Hook {
                let (owner, origin, point, id) = ($hook.owner, $hook.origin, $point, $id);
                $crate::Hook::standing_at($protocol, point, id, $hook)
                    .at(origin)
                    .owned_by(owner)
            }
        }
    };
}

/// Writes the traits by which an author's function receives the input of its point, and the context behind it.
#[doc(hidden)]
#[macro_export]
macro_rules! __receives {
    (
        $input:ident at $at:ident, $is_input:ident: $label:literal, $note:literal;
        $surround:ident of $context:ident by $reference:tt $($mutable:ident)?: $message:literal, $given:literal;
    ) => {
        /// A type that a hook at the point `P` may take as its input.
        #[diagnostic::on_unimplemented(
            message = "`{P}` hooks do not receive `{Self}`",
            label = $label,
            note = $note
        )]
        #[doc(hidden)]
        pub trait $input<P: $at> {
            fn receive(input: &P::In) -> &Self;
        }

        /// Its `ANSWER` says whether `T` is an input of the point `P`. The attribute asks it about a type in the wrong place.
        #[doc(hidden)]
        #[derive(Debug)]
        pub struct $is_input<T, P>(::std::marker::PhantomData<(T, P)>, ::std::convert::Infallible);

        impl<T: $input<P>, P: $at> $is_input<T, P> {
            pub const ANSWER: bool = true;
        }

        /// A type that a hook may take as its last argument.
        #[diagnostic::on_unimplemented(message = $message, label = "not the context", note = $given)]
        #[doc(hidden)]
        pub trait $surround {
            fn surround(cx: $reference $($mutable)? $context) -> $reference $($mutable)? Self;
        }

        // The note says it already, without the insides of this macro.
        #[diagnostic::do_not_recommend]
        impl $surround for $context {
            fn surround(cx: $reference $($mutable)? $context) -> $reference $($mutable)? $context {
                cx
            }
        }
    };
}

/// Writes a point whose hooks receive its input by reference: the type, and what its hooks receive and answer with.
#[doc(hidden)]
#[macro_export]
macro_rules! __point {
    ($(#[$about:meta])+ $word:ident: $in:ty => $out:ty, $protocol:expr, $method:expr, $input:ident) => {
        $(#[$about])+
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub struct $word;

        impl $crate::Point for $word {
            type In = $in;
            type Out = $out;
            const PROTOCOL: &'static str = $protocol;
            const METHOD: &'static str = $method;
        }

        impl sealed::Sealed for $word {}

        // Each impl is written out: the compiler then suggests the one that the author probably meant.
        impl $input<$word> for $in {
            fn receive(input: &$in) -> &$in {
                input
            }
        }
    };
}

pub use {
    __constants as constants, __debugs as debugs, __entry as entry, __point as point,
    __receives as receives, __setters as setters, __words as words,
};
