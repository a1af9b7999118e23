//! What the hooks of a call did, for the decision log.

use serde_json::{Value, json};

use super::chained::ChainedRequest;
use crate::server::pipeline::CallLog;
use hooks_log::LogStep;
use hooks_plugin::{ChainRecord, ChainStep, Decision};

/// Returns what each hook did.
pub(super) fn steps(record: &ChainRecord) -> Vec<LogStep> {
    let steps = record.steps.iter().map(|step| {
        let code = step.violation.as_ref().map(|violation| &*violation.code);
        LogStep::new(
            step.hook.clone(),
            step.point.as_str(),
            step.decision.as_str(),
            code.unwrap_or_default().to_owned(),
            step.cost,
        )
    });
    steps.collect()
}

/// Writes into the line of a call what its hooks did.
pub(super) fn fill(log: &mut CallLog, running: &ChainedRequest) {
    let record = running.contexts.record();
    fill_bypassed(log, record);
    let chain = &running.policy.chain;
    let mut said = serde_json::Map::new();
    for step in &record.steps {
        if matches!(step.decision, Decision::Denied | Decision::Failed) {
            let hook = chain.hooks().find(|hook| hook.id() == &*step.hook);
            log.posture = hook.map_or("", |hook| hook.its_posture().as_str());
        }
        // What each hook says about its own execution, such as how many secrets it replaced.
        let own = running.contexts.metadata(&step.hook);
        if let Some(own) = own.filter(|own| !own.is_empty()) {
            said.insert(step.hook.to_string(), json!(own));
        }
    }
    log.entry.steps = steps(record);
    if !said.is_empty() {
        let more = &mut log.entry.more;
        more.insert("hook_metadata".to_owned(), Value::Object(said));
    }
}

/// Writes into a line which hooks failed while the call went on.
pub(super) fn fill_bypassed(log: &mut CallLog, record: &ChainRecord) {
    let bypassed = |step: &&ChainStep| step.decision == Decision::Bypassed;
    for step in record.steps.iter().filter(bypassed) {
        log.bypassed("plugin", &step.hook, "hook_failed");
    }
}
