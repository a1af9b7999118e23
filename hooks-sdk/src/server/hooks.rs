//! The hooks of a server, with what is made of them once.

use super::rooms::lifecycle::HookTools;
use crate::{core::Registry, lifecycle::Declarations};

/// The hooks of a server.
#[derive(Debug)]
pub(super) struct Hooks {
    pub(super) registry: Registry,
    pub(super) declarations: Declarations,
    pub(super) tools: HookTools,
}

impl Hooks {
    pub(super) fn of(registry: Registry) -> Hooks {
        Hooks {
            declarations: Declarations::of(&registry),
            tools: HookTools::of(&registry),
            registry,
        }
    }

    /// Whether there is a hook at an event of the agent's session.
    pub(super) fn has_lifecycle(&self) -> bool {
        !self.declarations.is_empty() || !self.tools.is_empty()
    }
}
