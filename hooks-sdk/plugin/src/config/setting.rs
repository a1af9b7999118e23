//! What a file says about a hook's place and power: mode, posture, priority and deadline.

use std::time::Duration;

use super::{
    super::{PluginHook, PluginMode, rule},
    fault::Faults,
    fields::TableFields,
};
use hooks_core::OnFailure;

/// The keys of a [`Setting`].
pub(super) const KEYS: [&str; 4] = ["mode", "on_failure", "priority", "deadline"];

const MODES: [&str; 9] = [
    "enforce",
    "permissive",
    "audit",
    "concurrent",
    "fire_and_forget",
    "disabled",
    "enforce_ignore_error",
    "sequential",
    "transform",
];

/// What a file changes about a hook. What it does not mention stays as it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Setting {
    pub(super) mode: Option<PluginMode>,
    pub(super) on_failure: Option<OnFailure>,
    pub(super) priority: Option<i32>,
    pub(super) deadline: Option<Duration>,
}

impl Setting {
    pub(super) fn read(fields: &TableFields<'_>, faults: &mut Faults) -> Setting {
        let mut setting = Setting {
            on_failure: on_failure(fields, faults),
            priority: fields.whole("priority", (i32::MIN, i32::MAX), faults),
            deadline: fields.time("deadline", faults),
            ..Setting::default()
        };
        let Some(word) = fields.text("mode", faults) else {
            return setting;
        };
        let posture = fields.line_of("on_failure");
        setting.mode = match word.text {
            // The document's word for two settings at once.
            "enforce_ignore_error" => {
                if let Some(line) = posture {
                    let message = "`mode: enforce_ignore_error` says `on_failure: ignore` already";
                    faults.add(
                        line,
                        message,
                        "remove `on_failure`, or write `mode: enforce`",
                    );
                }
                setting.on_failure = Some(OnFailure::Ignore);
                Some(PluginMode::Enforce)
            }
            "sequential" => Some(PluginMode::Enforce),
            "transform" => Some(PluginMode::Transform),
            "enforce" => Some(PluginMode::Enforce),
            "permissive" => Some(PluginMode::Permissive),
            "audit" => Some(PluginMode::Audit),
            "concurrent" => Some(PluginMode::Concurrent),
            "fire_and_forget" => Some(PluginMode::FireAndForget),
            "disabled" => Some(PluginMode::Disabled),
            other => {
                faults.unknown(word.line, "mode", other, MODES);
                None
            }
        };
        setting
    }

    /// Reports a posture in a mode in which no failure can stop a request.
    pub(super) fn check(
        &self,
        fields: &TableFields<'_>,
        now: Option<PluginMode>,
        faults: &mut Faults,
    ) {
        let mode = self.mode.or(now).unwrap_or_default();
        let (Some(line), true) = (fields.line_of("on_failure"), self.on_failure.is_some()) else {
            return;
        };
        if let Some(problem) = rule::failure_in(mode) {
            faults.add(line, problem.message(), problem.help());
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
        hook
    }
}

fn on_failure(fields: &TableFields<'_>, faults: &mut Faults) -> Option<OnFailure> {
    let word = fields.text("on_failure", faults)?;
    match word.text {
        "fail" => Some(OnFailure::Fail),
        "ignore" => Some(OnFailure::Ignore),
        "disable" => {
            let message = "a hook is never switched off by its own failures";
            faults.add(word.line, message, "write `fail` or `ignore`");
            None
        }
        other => {
            faults.unknown(word.line, "posture", other, ["fail", "ignore"]);
            None
        }
    }
}
