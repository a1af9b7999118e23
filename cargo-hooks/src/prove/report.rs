//! What a trial shows: which texts reached the model, and where that differs from the table.

use serde::Serialize;

use super::Where;
use hooks_clients::{Client, GateTrial, Gates};
use hooks_core::{Timestamp, lifecycle::Event};

/// The observations of one client.
#[derive(Debug, Default, Serialize)]
pub struct Proof {
    /// The client's name on a command line.
    pub client: &'static str,
    /// The client's name for people.
    #[serde(skip)]
    pub title: &'static str,
    /// What the client says at `--version`.
    pub version: Option<String>,
    /// The day, in UTC.
    pub date: String,
    /// The version to which the table applies.
    pub recorded: &'static str,
    /// Whether both versions are the same.
    pub is_recorded: bool,
    /// How long the trial took.
    pub seconds: f64,
    /// How many requests the agent sent to its model.
    pub requests: usize,
    /// How the trial ended.
    pub outcome: ProofOutcome,
    /// Why the trial could not be run to its end.
    pub problem: Option<String>,
    /// The last lines of the client's standard error, if there is a problem.
    pub stderr: Vec<String>,
    /// What happened to the probe of each event.
    pub events: Vec<AtEvent>,
    /// What happened to the server's instructions; `None` without instructions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<OfInstructions>,
    /// What happened to each hook of the author.
    pub hooks: Vec<OfHook>,
    /// The mode in which the client ran beside a gate, for people.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub gate_mode: &'static str,
    /// Which calls ran beside a gate, if the server has gates.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gates: Vec<GateCell>,
    /// Why the server does not start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// The firings that could not be answered: why.
    pub unanswered: Vec<String>,
    /// What else was seen, as sentences.
    pub notes: Vec<String>,
}

impl Proof {
    /// Makes the proof of a client that has not run yet.
    pub fn of(client: &'static Client) -> Proof {
        Proof {
            client: client.name,
            title: client.title,
            date: Timestamp::now().to_string()[..10].to_owned(),
            recorded: client.tested.version,
            ..Proof::default()
        }
    }

    /// Makes the proof of a client that was not started.
    pub fn failed(client: &'static Client, problem: String) -> Proof {
        Proof {
            problem: Some(problem),
            ..Proof::of(client)
        }
    }

    /// Sets what the client says at `--version`.
    pub fn set_version(&mut self, version: Option<String>) {
        self.is_recorded = version.as_deref() == Some(self.recorded);
        self.version = version;
    }

    /// Returns the number of findings.
    pub fn findings(&self) -> usize {
        let events = self.events.iter().filter(|at| at.finding.is_some()).count();
        let hooks = self
            .hooks
            .iter()
            .filter(|each| each.finding.is_some())
            .count();
        let gates = self.gates.iter().filter(|cell| cell.finding.is_some());
        let instructions = self.instructions.iter();
        let instructions = instructions.filter(|each| each.finding.is_some());
        let refused = usize::from(self.refused.is_some()) + instructions.count();
        events + hooks + gates.count() + self.unanswered.len() + refused
    }

    /// Sets the outcome.
    pub fn conclude(&mut self) {
        self.outcome = match (&self.problem, self.findings()) {
            // What was found stays found, however the client ended.
            (_, 1..) => ProofOutcome::Differs,
            (Some(_), 0) => ProofOutcome::NotRun,
            (None, 0) => ProofOutcome::AsTheTableSays,
        };
    }

    /// Returns whether a text that should have arrived may have.
    pub fn has_unknown(&self) -> bool {
        let unknown = |fate| fate == Fate::NotKnown;
        self.events.iter().any(|at| at.expected && unknown(at.fate))
            || self.hooks.iter().any(|each| unknown(each.fate))
    }
}

/// The outcome for one client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ProofOutcome {
    /// All texts arrived that should, as the table says.
    AsTheTableSays,
    /// The trial could not be run to its end.
    #[default]
    NotRun,
    /// A text did not arrive, or something else differs from the table.
    Differs,
}

/// What happened to a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// It reached the model.
    Reached,
    /// The hook fired, and its text is in no request.
    Dropped,
    /// The hook fired, and had no text for this event.
    Silent,
    /// No hook fired.
    DidNotFire,
    /// The client ended, or was ended, before this could be seen.
    NotKnown,
}

/// What happened to the probe of an event.
#[derive(Debug, PartialEq, Serialize)]
pub struct AtEvent {
    /// The event.
    pub event: Event,
    /// The client's name of the event.
    pub native: &'static str,
    /// Whether a text reaches the agent there, by the table.
    pub expected: bool,
    /// What happened to the text.
    pub fate: Fate,
    /// How many times the client fired.
    pub fired: usize,
    /// Where the text was found.
    #[serde(flatten)]
    pub place: Option<Where>,
    /// How it differs from the table.
    pub finding: Option<String>,
}

/// What happened to the server's instructions.
#[derive(Debug, PartialEq, Serialize)]
pub struct OfInstructions {
    /// Whether the model receives them, by the table; `None` if that was not run.
    pub expected: Option<bool>,
    /// What happened to them.
    pub fate: Fate,
    /// Where they were found.
    #[serde(flatten)]
    pub place: Option<Where>,
    /// How that differs from the table.
    pub finding: Option<String>,
}

/// What happened to two calls beside a gate: one that it lets run, and one that it refuses.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct GateCell {
    /// The trial.
    pub trial: GateTrial,
    /// Whether the call that the gate lets run left its mark; `None` if there was no such call.
    pub control: Option<bool>,
    /// Whether the client asked the gate about the call that it refuses.
    pub asked: bool,
    /// Whether that call left its mark.
    pub ran: bool,
    /// How it differs from what a gate holds by the table.
    pub finding: Option<String>,
}

impl GateCell {
    /// Judges what the calls left.
    pub fn judged(
        gates: &Gates,
        trial: GateTrial,
        (control, asked, ran): (Option<bool>, bool, bool),
    ) -> GateCell {
        let finding = match (ran, gates.is_open(trial)) {
            (true, false) => Some("the call ran, and the gate had to stop it"),
            (false, true) if control != Some(false) => {
                Some("the call was stopped, and the table says that it runs")
            }
            // Without it, a call that was stopped shows nothing.
            _ if control == Some(false) && !gates.has_no_tool(trial) => {
                Some("the call that the gate lets run did not run")
            }
            _ => None,
        };
        GateCell {
            trial,
            control,
            asked,
            ran,
            finding: finding.map(str::to_owned),
        }
    }

    /// Returns the word of the matrix.
    pub fn word(&self) -> &'static str {
        match (self.ran, self.control, self.asked) {
            (true, ..) => "ran",
            (false, Some(true) | None, _) => "stopped",
            (false, Some(false), true) => "refused, no control",
            (false, Some(false), false) => "not run",
        }
    }
}

/// What happened to a hook of the author.
#[derive(Debug, PartialEq, Serialize)]
pub struct OfHook {
    /// The hook's id.
    pub hook: String,
    /// The event.
    pub event: Event,
    /// What happened to the text.
    pub fate: Fate,
    /// Where the text was found.
    #[serde(flatten)]
    pub place: Option<Where>,
    /// Why there is no text, where that is as the author wants it.
    pub note: Option<String>,
    /// How it differs from the table.
    pub finding: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use hooks_clients::by_name;

    #[test]
    fn a_cell_that_the_table_does_not_name_is_a_finding() {
        let gates = |client| by_name(client).unwrap().gates.as_ref().unwrap();
        let finds = |client, trial, seen| {
            GateCell::judged(gates(client), trial, seen)
                .finding
                .is_some()
        };
        let (ran, stopped) = ((Some(true), true, true), (Some(true), true, false));
        for trial in GateTrial::ALL {
            for client in [
                "claude-code",
                "codex",
                "gemini",
                "copilot",
                "qwen",
                "opencode",
                "cline",
                "kimi",
            ] {
                let is_open = gates(client).is_open(*trial);
                assert_eq!(finds(client, *trial, ran), !is_open, "{client} {trial:?}");
                assert_eq!(
                    finds(client, *trial, stopped),
                    is_open,
                    "{client} {trial:?}"
                );
                let has_tool = !gates(client).has_no_tool(*trial);
                let nothing = (Some(false), true, false);
                assert_eq!(
                    finds(client, *trial, nothing),
                    has_tool,
                    "{client} {trial:?}"
                );
            }
        }
        assert!(gates("qwen").is_open(GateTrial::Hang) && !gates("cline").is_open(GateTrial::Hang));
        assert!(!finds("cline", GateTrial::Missing, (None, false, false)));
    }
}
