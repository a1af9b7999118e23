//! What leaves and belongs to no item: plugins that replace texts clean it, and what they did is told.

use serde_json::{Map, Value};

use super::built::Built;
use crate::server::{methods, pipeline::Loose};
use hooks_plugin::{
    ChainRecord, ChainStep, Decision, PluginAt,
    internal::{Cleaning, CleaningEnd, LooseKind},
};

impl Built {
    /// Cleans a value that leaves and belongs to no item. Returns whether it is changed. A value that must not leave becomes
    /// `null`.
    pub(in crate::server) fn clean(&self, method: &str, loose: Loose, value: &mut Value) -> bool {
        if declares(method, loose) {
            return false;
        }
        let findings = self.now().chain.clean(value, leaving(method, loose));
        if findings.is_empty() {
            return false;
        }
        let is_changed = findings.iter().any(|finding| {
            matches!(
                finding.end,
                CleaningEnd::Changed(_) | CleaningEnd::Withheld(_)
            )
        });
        self.tell(method, findings);
        is_changed
    }

    /// Counts what plugins found, and writes it into the log and the decision log.
    fn tell(&self, method: &str, findings: Vec<Cleaning>) {
        let mut record = ChainRecord::default();
        for finding in findings {
            let (decision, outcome, note) = match finding.end {
                CleaningEnd::Changed(found) => (Decision::Modified, "changed", counts(&found)),
                CleaningEnd::Reported(found) => (Decision::Dropped, "reported", counts(&found)),
                CleaningEnd::Bypassed(error) => (Decision::Bypassed, "bypassed", error),
                CleaningEnd::Withheld(error) => (Decision::Failed, "withheld", error),
            };
            #[cfg(feature = "metrics")]
            metrics::counter!("mcp.server.cleaned", "outcome" => outcome).increment(1);
            tracing::info!(
                target: "hooks_sdk::server",
                method,
                hook = &*finding.hook,
                outcome,
                found = note,
                "a message had a secret or personal data"
            );
            record.add(ChainStep::new(
                finding.hook,
                PluginAt::ToolPostInvoke,
                decision,
                Some(note),
            ));
        }
        #[cfg(feature = "log")]
        self.log(method, &record);
        #[cfg(not(feature = "log"))]
        let _ = record;
    }

    /// Writes a line of its own, since the message belongs to no request that has one. Nobody waits for it.
    #[cfg(feature = "log")]
    fn log(&self, method: &str, record: &ChainRecord) {
        use super::logged::steps;
        use crate::server::pipeline::add_decision;
        use hooks_log::{DecisionEntry, LogDecision, LogKind, LogStop};

        let Some(log) = &self.log else {
            return;
        };
        let stop = |decision, posture| {
            let mut steps = record.steps.iter();
            let step = steps.find(|step| step.decision == decision)?;
            Some(LogStop::new("plugin", &*step.hook, "cleaning_failed").posture(posture))
        };
        let mut entry = DecisionEntry::new(LogKind::Stop, log.decision_id());
        entry.method = method.to_owned().into();
        entry.steps = steps(record);
        entry.stop = stop(Decision::Failed, "deny");
        entry.bypassed.extend(stop(Decision::Bypassed, "proceed"));
        entry.decision = Some(match (&entry.stop, &*entry.bypassed) {
            (Some(_), _) => LogDecision::Failed,
            (None, [_, ..]) => LogDecision::Bypassed,
            (None, []) => LogDecision::Allowed,
        });
        add_decision(log, entry);
    }
}

/// Returns what was found, as words: `ghp: 2, email_address: 1`.
fn counts(found: &Map<String, Value>) -> String {
    let found = found.iter().map(|(kind, count)| format!("{kind}: {count}"));
    found.collect::<Vec<_>>().join(", ")
}

/// Returns whether the value is what the author declares to a host of MCPL.
fn declares(method: &str, loose: Loose) -> bool {
    let is_declaration = method.starts_with("featureSets/") || method.starts_with("mcpl/");
    is_declaration && loose != Loose::Answer && is_mcpl(method)
}

fn leaving(method: &str, loose: Loose) -> LooseKind {
    match loose {
        Loose::Answer => LooseKind::Answer,
        Loose::Mcpl => LooseKind::Mcpl,
        Loose::McplError => LooseKind::McplError,
        Loose::Message if is_mcpl(method) => LooseKind::Mcpl,
        Loose::Message if methods::is_known(method) => LooseKind::Mcp,
        Loose::Message => LooseKind::Custom,
    }
}

#[cfg(feature = "mcpl")]
fn is_mcpl(method: &str) -> bool {
    hooks_mcpl::wire::method::ALL.contains(&method)
}

#[cfg(not(feature = "mcpl"))]
fn is_mcpl(_: &str) -> bool {
    false
}
