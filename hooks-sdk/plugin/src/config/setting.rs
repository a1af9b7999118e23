//! What a file says about a hook's place and power: mode, posture, priority and deadline.

use std::time::Duration;

use serde::{Deserialize, Deserializer};

use super::{
    super::{GatePosture, PluginAt, PluginHook, PluginMode, rule},
    fault::Faults,
    node::Node,
};
use hooks_core::OnFailure;

/// The words of `on_failure` in a file.
#[derive(Deserialize)]
#[serde(remote = "OnFailure", rename_all = "lowercase")]
enum FailureWord {
    Fail,
    Ignore,
}

pub(super) fn on_failure<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<OnFailure>, D::Error> {
    FailureWord::deserialize(deserializer).map(Some)
}

/// Writes an entry of the file that sets a hook's place and power, beside its own members.
macro_rules! with_setting {
    ($(#[$about:meta])* struct $name:ident { $($(#[$member:meta])* $field:ident: $type:ty,)+ }) => {
        $(#[$about])*
        #[derive(Default, serde::Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub(super) struct $name {
            $($(#[$member])* pub(super) $field: $type,)+
            mode: Option<$crate::PluginMode>,
            #[serde(deserialize_with = "super::setting::on_failure")]
            on_failure: Option<hooks_core::OnFailure>,
            posture: Option<$crate::GatePosture>,
            priority: Option<super::fields::Whole<{ i32::MIN as i64 }, { i32::MAX as i64 }>>,
            #[serde(deserialize_with = "super::fields::time")]
            deadline: Option<std::time::Duration>,
        }

        impl $name {
            pub(super) fn setting(&self) -> super::setting::Setting {
                super::setting::Setting {
                    mode: self.mode,
                    on_failure: self.on_failure,
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
    pub(super) on_failure: Option<OnFailure>,
    pub(super) posture: Option<GatePosture>,
    pub(super) priority: Option<i32>,
    pub(super) deadline: Option<Duration>,
}

impl Setting {
    /// Reports a posture in a mode in which no failure can stop a request. `now` is the mode of the hooks.
    pub(super) fn check(&mut self, node: &Node, now: Option<PluginMode>, faults: &mut Faults) {
        let line = node.line_of("on_failure");
        // The document's word for two settings at once.
        if node.text("mode") == Some("enforce_ignore_error") {
            if node.has("on_failure") {
                let message = "`mode: enforce_ignore_error` says `on_failure: ignore` already";
                let help = "remove `on_failure`, or write `mode: enforce`";
                faults.add(line, message, help);
            }
            self.on_failure = Some(OnFailure::Ignore);
        } else if self.on_failure.is_some() {
            let mode = self.mode.or(now).unwrap_or_default();
            faults.rule(line, rule::failure_in(mode.as_str()));
        }
    }

    /// Reports what a gate lacks, and what only a gate has. `points` are those of the entry's hooks, and `given` says
    /// whether they have a posture already.
    pub(super) fn check_gates(
        &self,
        node: &Node,
        points: &[PluginAt],
        given: bool,
        faults: &mut Faults,
    ) {
        let Some(first) = points.first() else {
            return;
        };
        let mut note = |key: &str, problem| faults.rule(node.line_of(key), problem);
        let has_posture = node.has("posture");
        match points.iter().find(|at| at.is_gate()) {
            Some(gate) => {
                note(
                    "posture",
                    rule::posture_at(gate.as_str(), given || has_posture),
                );
                note(
                    "mode",
                    rule::mode_at(gate.as_str(), self.mode.unwrap_or_default().as_str()),
                );
                if let Some(deadline) = self.deadline.filter(|_| node.has("deadline")) {
                    note("deadline", rule::gate_deadline(gate.as_str(), deadline));
                }
            }
            None => note("posture", rule::posture_at(first.as_str(), has_posture)),
        }
        if node.has("on_failure") {
            let problem = points.iter().find_map(|at| rule::failure_at(at.as_str()));
            note("on_failure", problem);
        }
    }

    pub(super) fn apply(&self, mut hook: PluginHook) -> PluginHook {
        if let Some(mode) = self.mode {
            hook = hook.mode(mode);
        }
        if let Some(on_failure) = self.on_failure {
            hook = hook.on_failure(on_failure);
        }
        if let Some(priority) = self.priority {
            hook = hook.priority(priority);
        }
        if let Some(deadline) = self.deadline {
            hook = hook.deadline(deadline);
        }
        let posture = self.posture.or(hook.posture);
        match posture.filter(|_| hook.at().is_gate()) {
            Some(posture) => hook.gate(posture),
            None => hook,
        }
    }
}
