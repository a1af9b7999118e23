//! The hooks of a server, with their declarations.

use crate::{core::Registry, lifecycle::Declarations};

/// The hooks of a server.
#[derive(Debug)]
pub(super) struct Hooks {
    pub(super) registry: Registry,
    pub(super) declarations: Declarations,
}

impl Hooks {
    pub(super) fn of(registry: Registry) -> Hooks {
        Hooks {
            declarations: Declarations::of(&registry),
            registry,
        }
    }
}
