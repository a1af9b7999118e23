//! A decision in the log and in the metrics: both count the same.

use std::{borrow::Cow, sync::Arc};

use hooks_log::{DecisionEntry, DecisionLog, LogDecision, LogKind, LogStop};

/// Adds a line about a decision, and counts it. Nobody waits for the line.
pub(crate) fn add_decision(log: &DecisionLog, entry: DecisionEntry) {
    count_decision(&entry);
    log.add(entry);
}

/// Adds a line of its own about a message that belongs to no call: it was stopped, or checks of it failed while it went on. `fill`
/// writes what else the line says. A `stop` without a posture is a decision, one with a posture is a failed check. Returns the id of the decision.
pub(crate) fn add_stop(
    log: &DecisionLog,
    (method, item): (impl Into<Cow<'static, str>>, &str),
    stop: Option<LogStop>,
    bypassed: Vec<LogStop>,
    fill: impl FnOnce(&mut DecisionEntry),
) -> Arc<str> {
    let id = log.decision_id();
    let mut entry = DecisionEntry::call(id.clone(), method, item);
    entry.kind = LogKind::Stop;
    entry.decision = Some(match (&stop, &*bypassed) {
        // A check that decided has no posture.
        (Some(stop), _) if stop.posture.is_empty() => LogDecision::Denied,
        (Some(_), _) => LogDecision::Failed,
        (None, []) => LogDecision::Allowed,
        (None, _) => LogDecision::Bypassed,
    });
    (entry.stop, entry.bypassed) = (stop, bypassed);
    fill(&mut entry);
    add_decision(log, entry);
    id
}

/// Counts a decision, and the checks that were bypassed.
#[cfg(not(feature = "metrics"))]
pub fn count_decision(_: &DecisionEntry) {}

/// Counts a decision, and the checks that were bypassed.
#[cfg(feature = "metrics")]
pub fn count_decision(entry: &DecisionEntry) {
    let decision = entry.decision.map_or("", |decision| decision.as_str());
    let stop = entry.stop.as_ref();
    let named = |name: fn(&hooks_log::LogStop) -> &String| stop.map(name).cloned();
    let middleware = named(|stop| &stop.middleware).unwrap_or_default();
    let rule = named(|stop| &stop.rule).unwrap_or_default();
    let labels = [
        ("hooks.decision", decision.into()),
        ("hooks.middleware", middleware),
        ("hooks.rule", rule),
    ];
    match entry.kind {
        LogKind::Decision => metrics::counter!("mcp.server.decisions", &labels),
        _ => metrics::counter!("mcp.server.stops", &labels),
    }
    .increment(1);
    for stop in &entry.bypassed {
        metrics::counter!(
            "mcp.server.bypasses",
            "hooks.middleware" => stop.middleware.clone(),
            "hooks.rule" => stop.rule.clone(),
        )
        .increment(1);
    }
}
