//! Not public API: the one transport that generated code may use, with no promise about what is behind it.

pub use futures::future::BoxFuture;
pub use inventory;
pub use serde_json;

#[cfg(feature = "guardian-local")]
pub use crate::aos;
#[cfg(feature = "mcpl")]
pub use crate::mcpl;
#[cfg(feature = "policy-engine")]
pub use crate::{core::condition::Condition, plugin};
pub use crate::{
    core::{
        BuildErrors, Hook as CoreHook, HookError, Origin, Owner, Point, error::IntoHookError,
        machine, registry::Submission,
    },
    guidance, lifecycle,
};

/// Says of every type that it is no input. For a type that is one, the constant of the protocol's own `Is…Input` takes
/// precedence.
pub trait NoInput {
    /// Whether the type is an input.
    const ANSWER: bool = false;
}

impl<T: ?Sized> NoInput for T {}

/// Panics with `words` if something is `wrong`; in a constant this is a compile error at the caller.
#[track_caller]
pub const fn refuse(wrong: bool, words: &'static str) {
    if wrong {
        panic!("{}", words);
    }
}
