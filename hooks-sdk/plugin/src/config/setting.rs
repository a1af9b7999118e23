//! What a file says about a hook's place and power: mode, posture, priority and deadline.

use std::time::Duration;

use super::{
    super::{GatePosture, PluginAt, PluginHook, PluginMode, rule},
    fault::Faults,
    fields::TableFields,
};
use hooks_core::OnFailure;

/// The keys of a [`Setting`].
pub(super) const KEYS: [&str; 5] = ["mode", "on_failure", "posture", "priority", "deadline"];

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
    pub(super) posture: Option<GatePosture>,
    pub(super) priority: Option<i32>,
    pub(super) deadline: Option<Duration>,
}

impl Setting {
    pub(super) fn read(fields: &TableFields<'_>, faults: &mut Faults) -> Setting {
        let mut setting = Setting {
            on_failure: on_failure(fields, faults),
            posture: posture(fields, faults),
            priority: fields.whole("priority", (i32::MIN, i32::MAX), faults),
            deadline: fields.time("deadline", faults),
            ..Setting::default()
        };
        let Some(word) = fields.text("mode", faults) else {
            return setting;
        };
        let policy = fields.line_of("on_failure");
        setting.mode = match word.text {
            // The document's word for two settings at once.
            "enforce_ignore_error" => {
                if let Some(line) = policy {
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

    /// Reports what a gate lacks, and what only a gate has. `points` are those of the entry's hooks, and `given` says
    /// whether they have a posture already.
    pub(super) fn check_gates(
        &self,
        fields: &TableFields<'_>,
        points: &[PluginAt],
        given: bool,
        faults: &mut Faults,
    ) {
        let line = |key: &str| fields.line_of(key).unwrap_or(fields.line);
        let has = |key: &str| fields.line_of(key).is_some();
        let mut note = |key: &str, problem: Option<rule::Problem>| {
            if let Some(problem) = problem {
                faults.add(line(key), problem.message(), problem.help());
            }
        };
        let gate = points.iter().find(|at| at.is_gate()).copied();
        match (gate, points.first()) {
            (Some(gate), _) => {
                note("posture", rule::posture_at(gate, given || has("posture")));
                let mode = self.mode.unwrap_or_default();
                note("mode", rule::mode_at(gate, mode));
                if let (true, Some(deadline)) = (has("deadline"), self.deadline) {
                    note("deadline", rule::gate_deadline(gate, deadline));
                }
            }
            (None, Some(at)) => note("posture", rule::posture_at(*at, has("posture"))),
            (None, None) => {}
        }
        if has("on_failure") {
            let problem = points.iter().find_map(|at| rule::failure_at(*at));
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
        match self
            .posture
            .or(hook.posture)
            .filter(|_| hook.at().is_gate())
        {
            Some(posture) => hook.gate(posture),
            None => hook,
        }
    }
}

fn posture(fields: &TableFields<'_>, faults: &mut Faults) -> Option<GatePosture> {
    let word = fields.text("posture", faults)?;
    let known = [GatePosture::Deny, GatePosture::Proceed];
    let posture = known.into_iter().find(|known| known.as_str() == word.text);
    if posture.is_none() {
        let words = known.iter().map(|known| known.as_str());
        faults.unknown(word.line, "posture", word.text, words);
    }
    posture
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
