//! What a trial shows: which texts reached the model, and where that differs from the table.

use serde::Serialize;

use super::Where;
use crate::{clients::Client, lifecycle::Event};

/// What was seen of one client.
#[derive(Debug, Serialize)]
pub(crate) struct Proof {
    pub(crate) client: &'static str,
    #[serde(skip)]
    pub(crate) title: &'static str,
    /// What the client says at `--version`.
    pub(crate) version: Option<String>,
    /// The version to which the table applies.
    pub(crate) recorded: &'static str,
    pub(crate) is_recorded: bool,
    pub(crate) seconds: f64,
    /// How many requests the agent sent to its model.
    pub(crate) requests: usize,
    pub(crate) outcome: Outcome,
    /// Why the trial could not be run to its end.
    pub(crate) problem: Option<String>,
    /// The last lines of the client's standard error, if there is a problem.
    pub(crate) stderr: Vec<String>,
    pub(crate) events: Vec<AtEvent>,
    pub(crate) hooks: Vec<OfHook>,
    /// What happened to long texts, and to the texts of a resumed session.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) deep: Vec<Deep>,
    /// The firings that could not be answered: why.
    pub(crate) unanswered: Vec<String>,
    /// What else was seen, as sentences.
    pub(crate) notes: Vec<String>,
}

impl Proof {
    pub(crate) fn of(client: &'static dyn Client) -> Proof {
        Proof {
            client: client.name(),
            title: client.title(),
            version: None,
            recorded: client.tested().version,
            is_recorded: false,
            seconds: 0.0,
            requests: 0,
            outcome: Outcome::NotRun,
            problem: None,
            stderr: Vec::new(),
            events: Vec::new(),
            hooks: Vec::new(),
            deep: Vec::new(),
            unanswered: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Makes the proof of a client that was not started.
    pub(crate) fn failed(client: &'static dyn Client, problem: String) -> Proof {
        Proof {
            problem: Some(problem),
            ..Proof::of(client)
        }
    }

    pub(crate) fn set_version(&mut self, version: Option<String>) {
        self.is_recorded = version.as_deref() == Some(self.recorded);
        self.version = version;
    }

    /// Returns the number of findings.
    pub(crate) fn findings(&self) -> usize {
        let events = self.events.iter().filter(|at| at.finding.is_some()).count();
        let hooks = self
            .hooks
            .iter()
            .filter(|each| each.finding.is_some())
            .count();
        let deep = self.deep.iter().filter(|each| each.finding.is_some());
        events + hooks + deep.count() + self.unanswered.len()
    }

    /// Sets the outcome.
    pub(crate) fn conclude(&mut self) {
        self.outcome = match (&self.problem, self.findings()) {
            // What was found stays found, however the client ended.
            (_, 1..) => Outcome::Differs,
            (Some(_), 0) => Outcome::NotRun,
            (None, 0) => Outcome::AsTheTableSays,
        };
    }

    /// Returns whether a text that should have arrived may have.
    pub(crate) fn has_unknown(&self) -> bool {
        let unknown = |fate| fate == Fate::NotKnown;
        self.events.iter().any(|at| at.expected && unknown(at.fate))
            || self.hooks.iter().any(|each| unknown(each.fate))
            || self.deep.iter().any(|each| unknown(each.fate))
    }
}

/// The outcome for one client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome {
    /// All texts arrived that should, as the table says.
    AsTheTableSays,
    /// The trial could not be run to its end.
    NotRun,
    /// A text did not arrive, or something else differs from the table.
    Differs,
}

/// What happened to a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Fate {
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
pub(crate) struct AtEvent {
    pub(crate) event: Event,
    pub(crate) native: &'static str,
    /// Whether a text reaches the agent there, by the table.
    pub(crate) expected: bool,
    pub(crate) fate: Fate,
    /// How many times the client fired.
    pub(crate) fired: usize,
    #[serde(flatten)]
    pub(crate) place: Option<Where>,
    /// How it differs from the table.
    pub(crate) finding: Option<String>,
}

/// What happened to the texts of one more start of the client, with `--deep`.
#[derive(Debug, PartialEq, Serialize)]
pub(crate) struct Deep {
    /// What was tried, such as `99 % of 10000 UTF-16 units in Cyrillic` or `resumed`.
    pub(crate) tried: String,
    pub(crate) event: Event,
    pub(crate) fate: Fate,
    /// How it went, where that is no finding.
    pub(crate) note: Option<String>,
    pub(crate) finding: Option<String>,
}

/// What happened to a hook of the author.
#[derive(Debug, PartialEq, Serialize)]
pub(crate) struct OfHook {
    pub(crate) hook: String,
    pub(crate) event: Event,
    pub(crate) fate: Fate,
    #[serde(flatten)]
    pub(crate) place: Option<Where>,
    /// Why there is no text, where that is as the author wants it.
    pub(crate) note: Option<String>,
    pub(crate) finding: Option<String>,
}
