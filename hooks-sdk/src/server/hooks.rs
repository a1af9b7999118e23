//! The hooks of a server, with their declarations.

use crate::{core::Registry, lifecycle::Declarations};

/// The hooks of a server.
#[derive(Debug)]
pub(super) struct ServerHooks {
    pub(super) registry: Registry,
    pub(super) declarations: Declarations,
}

impl ServerHooks {
    pub(super) fn of(registry: Registry) -> ServerHooks {
        ServerHooks {
            declarations: Declarations::of(&registry),
            registry,
        }
    }
}
