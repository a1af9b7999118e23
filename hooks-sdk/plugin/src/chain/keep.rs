//! What a walk records, and what hooks keep between their points.

use std::{mem, sync::atomic::Ordering, time::Duration};

use serde_json::{Map, Value};

use super::{
    super::{PluginHook, PluginMode, PluginPoint, point::PROTOCOL},
    ChainEntry, ChainStep, Decision, Denial, End,
    run::ChainWalk,
};
use hooks_core::{Failure, Posture, Violation, observe};

impl<P: PluginPoint> ChainWalk<'_, P> {
    /// Returns whether a hook does not run: the configuration file keeps it out, or it is done with the request.
    #[inline]
    pub(super) fn passes_by(&self, index: usize) -> bool {
        self.out.contains(&index) || self.ran.contains(&index)
    }

    pub(super) fn add_metadata(&mut self, metadata: Map<String, Value>) {
        self.metadata.extend(metadata);
    }

    /// Records a stop.
    pub(super) fn deny(
        &mut self,
        entry: &ChainEntry,
        violation: Violation,
        cost: Duration,
    ) -> Denial {
        entry.tally.denied.fetch_add(1, Ordering::Relaxed);
        let violation = named(violation);
        self.report(entry, Decision::Denied, Some(violation.clone()), None, cost);
        Denial {
            hook: entry.hook.id.clone(),
            violation,
            failed: false,
            is_recorded: true,
        }
    }

    /// Records a stop, and returns it as the end of the walk.
    pub(super) fn stop(
        &mut self,
        entry: &ChainEntry,
        violation: Violation,
        cost: Duration,
    ) -> Box<End> {
        Box::new(End::Blocked(self.deny(entry, violation, cost)))
    }

    /// Records a failure, and stops the request unless the hook's failures are ignored.
    pub(super) fn failed(
        &mut self,
        entry: &ChainEntry,
        failure: &Failure,
        cost: Duration,
    ) -> Result<(), Box<End>> {
        let note = Some(failure.to_string());
        if entry.hook.its_posture() == Posture::Proceed {
            entry.tally.bypassed.fetch_add(1, Ordering::Relaxed);
            self.report(entry, Decision::Bypassed, None, note, cost);
            return Ok(());
        }
        let code = match failure {
            Failure::Panicked(_) => "plugin_panic",
            Failure::TimedOut(_) => "plugin_timeout",
            _ => "plugin_error",
        };
        let mut violation = Violation::new("a policy check failed, so the request was stopped");
        code.clone_into(&mut violation.code);
        violation.description = "the server's log says why".to_owned();
        let recorded = Some(violation.clone());
        self.report(entry, Decision::Failed, recorded, note, cost);
        Err(Box::new(End::Blocked(Denial {
            hook: entry.hook.id.clone(),
            violation,
            failed: true,
            is_recorded: true,
        })))
    }

    /// Records what nobody has to know unless every hook is recorded.
    pub(super) fn note(&mut self, entry: &ChainEntry, decision: Decision, cost: Duration) {
        if self.contexts.record.every {
            self.report(entry, decision, None, None, cost);
        }
    }

    pub(super) fn report(
        &mut self,
        entry: &ChainEntry,
        decision: Decision,
        violation: Option<Violation>,
        note: Option<String>,
        cost: Duration,
    ) {
        if decision == Decision::Dropped {
            entry.tally.dropped.fetch_add(1, Ordering::Relaxed);
        }
        if entry.hook.is_rule() && matches!(decision, Decision::Denied | Decision::Suppressed) {
            observe::ruled(PROTOCOL, P::AT.as_str(), &entry.hook.id, decision.as_str());
        }
        self.contexts.record.add(ChainStep {
            hook: entry.hook.id.clone(),
            point: P::AT,
            decision,
            cost,
            violation,
            note,
        });
    }

    /// Keeps what the hook left in its context.
    pub(super) fn keep_own(&mut self, hook: &PluginHook, known: bool) {
        if known || !self.cx.state.is_empty() || !self.cx.metadata.is_empty() {
            let own = self.contexts.own(&hook.id);
            own.state = mem::take(&mut self.cx.state);
            own.metadata = mem::take(&mut self.cx.metadata);
        }
    }

    /// Records a write that is dropped.
    pub(super) fn dropped(&mut self, entry: &ChainEntry, note: impl Into<String>) {
        let note = Some(note.into());
        self.report(entry, Decision::Dropped, None, note, Duration::ZERO);
    }

    /// Takes what a hook wrote for the other hooks, or drops it. Every hook that was given the walk's own context ends
    /// here. `contexts.global` is the truth: no hook holds it.
    pub(super) fn settle(&mut self, entry: &ChainEntry, wrote: Wrote) {
        let forged = self.cx.global.restore_identity(&self.contexts.global);
        let (shown, truth) = (&mut self.cx.global, &mut self.contexts.global);
        let is_same = shown.state == truth.state && shown.metadata == truth.metadata;
        if !is_same {
            let (from, to) = match wrote {
                Wrote::Taken => (shown, truth),
                Wrote::Forbidden | Wrote::Failed => (truth, shown),
            };
            to.state.clone_from(&from.state);
            to.metadata.clone_from(&from.metadata);
        }
        for field in forged {
            self.dropped(entry, format!("it may not change `global.{field}`"));
        }
        if !is_same && wrote == Wrote::Forbidden {
            self.dropped(entry, "its mode does not let it write what hooks share");
        }
    }
}

/// What becomes of what a hook wrote for the other hooks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wrote {
    /// Later hooks see it.
    Taken,
    /// The hook's mode does not let it write.
    Forbidden,
    /// The hook failed.
    Failed,
}

impl Wrote {
    /// Returns what becomes of the writes of a hook that did not fail.
    pub(super) fn by(hook: &PluginHook) -> Wrote {
        if hook.mode == PluginMode::Audit {
            Wrote::Forbidden
        } else {
            Wrote::Taken
        }
    }
}

/// A stop without a violation gets one, and a violation without a code too.
pub(super) fn named(mut violation: Violation) -> Violation {
    if violation.reason.is_empty() {
        violation.reason = "a policy of this server forbids it".to_owned();
    }
    if violation.code.is_empty() {
        violation.code = "plugin_deny".to_owned();
    }
    violation
}
