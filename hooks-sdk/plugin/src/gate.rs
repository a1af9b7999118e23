//! What only gates have: a posture, kinds of tools, and whether they look into commands.

use super::{AgentToolKind, GlobalContext, Payload, PluginHook, hook::Body};
use hooks_core::{Posture, condition::Condition, internal::setters};

impl PluginHook {
    setters! {
        /// Limits a hook at a point of agent clients to these kinds of tools.
        fn kinds(mut self, kinds: &[AgentToolKind]) { self.filter.kinds = kinds.to_vec() }

        /// Says that the gate decides without commands, paths and URLs, so that a call whose command cannot be read is no
        /// reason to refuse it.
        fn without_commands(mut self) { self.looks_inside = false }
    }

    /// Returns what a gate does when it cannot judge a call; `None` for a hook that is no gate.
    pub fn its_gate_posture(&self) -> Option<Posture> {
        self.posture.filter(|_| self.at.is_gate())
    }

    /// Returns the kind of the hook's plugin.
    pub fn its_plugin(&self) -> Option<&'static str> {
        self.kind.map(|(kind, _)| kind.word())
    }

    /// Returns the kinds of tools of agent clients that the hook is limited to; empty for every kind.
    pub fn its_kinds(&self) -> &[AgentToolKind] {
        &self.filter.kinds
    }

    /// Returns whether the gate has to refuse the call, because it cannot read the commands by which it decides.
    pub(super) fn cannot_judge(&self, payload: &impl Payload, global: &GlobalContext) -> bool {
        let may_deny = matches!(self.body, Body::Deny(_));
        let would_deny = || {
            let possible = payload.with_possible().filter(|_| may_deny);
            possible.is_some_and(|possible| self.filter.would_hold(payload, &possible, global))
        };
        self.mode.may_stop()
            && self.its_gate_posture() == Some(Posture::Deny)
            && self.filter.is_about(payload)
            && self.looks_inside()
            && (!payload.unread().is_empty() || would_deny())
    }

    /// Returns whether the hook decides by commands, paths or URLs, so that it cannot judge a call in which they cannot be
    /// read. A function without [`without_commands`](PluginHook::without_commands) counts as one that does.
    pub(super) fn looks_inside(&self) -> bool {
        const INSIDE: [&str; 3] = ["commands", "paths", "urls"];
        let reads = |condition: &Condition| {
            let mut roots = condition.roots().into_iter();
            roots.any(|root| INSIDE.contains(&root))
        };
        match &self.body {
            Body::Deny(_) => {
                let filter = &self.filter;
                filter.when.iter().chain(&filter.unless).any(reads)
            }
            Body::Call(_) => self.looks_inside,
        }
    }
}
