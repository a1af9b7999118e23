//! What a file says about a hook's place and power: mode, posture, priority and deadline.

use std::time::Duration;

use super::{
    super::{PluginAt, PluginHook, PluginMode, rule},
    fault::Faults,
    node::Node,
};
use hooks_core::Posture;

/// Writes an entry of the file that sets a hook's place and power, beside its own members.
macro_rules! with_setting {
    ($(#[$about:meta])* struct $name:ident { $($(#[$member:meta])* $field:ident: $type:ty,)+ }) => {
        $(#[$about])*
        #[derive(Default, serde::Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub(super) struct $name {
            $($(#[$member])* pub(super) $field: $type,)+
            mode: Option<$crate::PluginMode>,
            posture: Option<hooks_core::Posture>,
            priority: Option<super::fields::Whole<{ i32::MIN as i64 }, { i32::MAX as i64 }>>,
            #[serde(deserialize_with = "super::fields::time")]
            deadline: Option<std::time::Duration>,
        }

        impl $name {
            pub(super) fn setting(&self) -> super::setting::Setting {
                super::setting::Setting {
                    mode: self.mode,
                    posture: self.posture,
                    priority: self.priority.and_then(|number| number.0.try_into().ok()),
                    deadline: self.deadline,
                }
            }
        }
    };
}
pub(super) use with_setting;

/// What a file changes about a hook. What it does not mention stays as it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Setting {
    pub(super) mode: Option<PluginMode>,
    pub(super) posture: Option<Posture>,
    pub(super) priority: Option<i32>,
    pub(super) deadline: Option<Duration>,
}

impl Setting {
    /// Reports what a gate lacks, and a posture in a mode in which no failure can stop a request. `points` are those of the
    /// entry's hooks, `now` is their mode, and `given` says whether a gate of them has a posture already.
    pub(super) fn check(
        &mut self,
        node: &Node,
        points: &[PluginAt],
        (now, given): (PluginMode, bool),
        faults: &mut Faults,
    ) {
        let has_posture = node.has("posture");
        // The document's word for two settings at once.
        if node.text("mode") == Some("enforce_ignore_error") {
            if has_posture {
                let message = "`mode: enforce_ignore_error` says `posture: proceed` already";
                let help = "remove `posture`, or write `mode: enforce`";
                faults.add(node.line_of("posture"), message, help);
            }
            self.posture = Some(Posture::Proceed);
        }
        let mut note = |key: &str, problem| faults.rule(node.line_of(key), problem);
        match points.iter().find(|at| at.is_gate()) {
            Some(gate) => {
                let given = given || has_posture || self.posture.is_some();
                note("posture", rule::posture_at(gate.as_str(), given, false));
                let mode = self.mode.unwrap_or_default();
                note("mode", rule::mode_at(gate.as_str(), mode.as_str()));
                if let Some(deadline) = self.deadline.filter(|_| node.has("deadline")) {
                    note("deadline", rule::gate_deadline(gate.as_str(), deadline));
                }
            }
            None if has_posture => {
                let mode = self.mode.unwrap_or(now);
                let first = points.first().copied().unwrap_or(PluginAt::ToolPreInvoke);
                note("posture", rule::posture_in(first.as_str(), mode.as_str()));
            }
            None => {}
        }
    }

    pub(super) fn apply(&self, mut hook: PluginHook) -> PluginHook {
        if let Some(mode) = self.mode {
            hook = hook.mode(mode);
        }
        if let Some(priority) = self.priority {
            hook = hook.priority(priority);
        }
        if let Some(deadline) = self.deadline {
            hook = hook.deadline(deadline);
        }
        match self.posture.or(hook.posture) {
            Some(posture) => hook.posture(posture),
            None => hook,
        }
    }
}
