//! A decision in the log and in the metrics: both count the same.

#[cfg(feature = "metrics")]
use hooks_log::LogKind;
use hooks_log::{DecisionEntry, DecisionLog};

/// Adds a line about a decision, and counts it. Nobody waits for the line.
pub(in crate::server) fn add_decision(log: &DecisionLog, entry: DecisionEntry) {
    count_decision(&entry);
    log.add(entry);
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
