//! What the hooks of a call did, for the commands that say what would happen.

use crate::server::{dry::DryStep, pipeline::RequestState};

/// Returns what each hook of the call did, in order.
pub(in crate::server) fn steps(call: &RequestState) -> Vec<DryStep> {
    let running = call.plugin.chained.iter();
    let steps = running.flat_map(|running| &running.contexts.record().steps);
    let steps = steps.map(|step| {
        let reason = step.violation.as_ref().map(|violation| &violation.reason);
        DryStep {
            hook: step.hook.to_string(),
            point: step.point.as_str(),
            decision: step.decision.as_str(),
            why: step.note.as_ref().or(reason).cloned(),
        }
    });
    steps.collect()
}
