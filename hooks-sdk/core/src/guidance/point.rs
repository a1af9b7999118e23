//! The types and lifecycles as Rust types, named after their words on the wire, for use in attributes.

use super::{HookType, Lifecycle};
use crate::point::sealed;

/// A hook's type as a Rust type: the first word in an attribute.
///
/// Implemented by `session`, `action`, `storage` and `config` of [`point`](self), and by nothing else.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no hook type",
    label = "not a type",
    note = "the first word is the type: `session`, `action`, `storage` or `config`"
)]
pub trait TypeWord: sealed::Sealed {
    /// The type.
    const TYPE: HookType;
}

/// A lifecycle as a Rust type: the second word in an attribute.
///
/// Implemented by `start`, `running`, `progress`, `cancel` and `end` of [`point`](self), and by nothing else.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no lifecycle",
    label = "not a lifecycle",
    note = "the second word is the lifecycle: `start`, `running`, `progress`, `cancel` or `end`"
)]
pub trait LifecycleWord: sealed::Sealed {
    /// The lifecycle.
    const LIFECYCLE: Lifecycle;
}

macro_rules! words {
    ($($trait:ident::$const:ident: $vocabulary:ident { $($(#[$doc:meta])+ $word:ident = $variant:ident;)+ })+) => {
        #[cfg(test)]
        const WORDS: &[&[&str]] = &[$(&[$(stringify!($word)),+]),+];
    $($(
        $(#[$doc])+
        #[expect(non_camel_case_types, reason = "named after its wire word")]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub struct $word;

        impl sealed::Sealed for $word {}

        impl $trait for $word {
            const $const: $vocabulary = $vocabulary::$variant;
        }
    )+)+};
}

words! {
    TypeWord::TYPE: HookType {
        /// Session lifecycle events.
        session = Session;
        /// Tool and operation execution.
        action = Action;
        /// Storage backend context.
        storage = Storage;
        /// Configuration guidance.
        config = Config;
    }
    LifecycleWord::LIFECYCLE: Lifecycle {
        /// The process begins.
        start = Start;
        /// During execution.
        running = Running;
        /// A progress update.
        progress = Progress;
        /// Cancellation was requested.
        cancel = Cancel;
        /// The process is complete.
        end = End;
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_macros_know_every_word() {
        let known = [hooks_text::TYPES.words, hooks_text::LIFECYCLES.words];
        assert_eq!(super::WORDS, known);
    }
}
