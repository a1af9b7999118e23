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
    pub(crate) fn clean(&self, method: &str, loose: Loose, value: &mut Value) -> bool {
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
            info!(
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
        use crate::server::pipeline::add_stop;
        use hooks_log::LogStop;

        let Some(log) = &self.log else {
            return;
        };
        let stop = |decision, posture| {
            let mut steps = record.steps.iter();
            let step = steps.find(|step| step.decision == decision)?;
            Some(LogStop::new("plugin", &*step.hook, "cleaning_failed").posture(posture))
        };
        let bypassed = stop(Decision::Bypassed, "proceed").into_iter().collect();
        let stop = stop(Decision::Failed, "deny");
        add_stop(log, (method.to_owned(), ""), stop, bypassed, |entry| {
            entry.steps = steps(record);
        });
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
