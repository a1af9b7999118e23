//! Not public API: the one door that generated code may use, with no promise about what is behind it.

pub use futures::future::BoxFuture;
pub use inventory;
pub use serde_json;

#[cfg(feature = "mcpl")]
pub use crate::mcpl;
pub use crate::{
    core::{
        BuildErrors, Hook as CoreHook, HookError, Origin, Owner, Point, machine,
        registry::Submission,
    },
    guidance, lifecycle,
};
