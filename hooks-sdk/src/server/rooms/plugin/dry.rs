//! What the hooks of a call did, for the commands that say what would happen.

use super::{
    item::{Item, Prompts, Resources, Tools},
    pre::Running,
};
use crate::server::{DryStep, way::Call};

/// Returns what each hook of the call did, in order.
pub(in crate::server) fn steps(call: &mut Call) -> Vec<DryStep> {
    let steps = of::<Tools>(call).or_else(|| of::<Prompts>(call));
    steps.or_else(|| of::<Resources>(call)).unwrap_or_default()
}

fn of<I: Item>(call: &mut Call) -> Option<Vec<DryStep>> {
    let running = call.kept.get::<Running<I>>()?;
    let steps = running.contexts.record().steps.iter().map(|step| {
        let reason = step.violation.as_ref().map(|violation| &violation.reason);
        DryStep {
            hook: step.hook.to_string(),
            point: step.point.as_str(),
            decision: step.decision.as_str(),
            why: step.note.as_ref().or(reason).cloned(),
        }
    });
    Some(steps.collect())
}
