//! What a client makes of an event, and which version of it was found to.

use std::fmt;

/// The version of a client that was run to find out what it does, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tested {
    /// The version, such as `2.1.329`.
    pub version: &'static str,
    /// The day, such as `2026-11-22`.
    pub date: &'static str,
}

impl Tested {
    /// This version, on this day.
    pub const fn new(version: &'static str, date: &'static str) -> Tested {
        Tested { version, date }
    }
}

impl fmt::Display for Tested {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "version {} ({})", self.version, self.date)
    }
}

/// What a client makes of one of the six events, as it was found by running the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mapping {
    /// The client's own name for the event.
    pub native: &'static str,
    /// How a text reaches the agent there.
    pub delivery: Delivery,
    /// What is different there, and the nearest thing that works, in a sentence or two for people.
    pub note: Option<&'static str>,
    /// Whether a text reaches the client's subagents too; `None` where none was run.
    pub subagents: Option<bool>,
}

impl Mapping {
    /// An event of this name. A text that reaches no agent reaches no subagent; of others nothing is said yet.
    pub const fn new(native: &'static str, delivery: Delivery) -> Mapping {
        Mapping {
            native,
            delivery,
            note: None,
            subagents: match delivery {
                Delivery::Never => Some(false),
                _ => None,
            },
        }
    }

    /// Says whether a text reaches the client's subagents too.
    #[must_use]
    pub const fn subagents(mut self, reached: bool) -> Mapping {
        self.subagents = Some(reached);
        self
    }

    /// Says what is different there.
    #[must_use]
    pub const fn note(mut self, note: &'static str) -> Mapping {
        self.note = Some(note);
        self
    }
}

/// How a text reaches the agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Delivery {
    /// As context beside what the agent reads anyway.
    Context,
    /// As the reason for which the agent may not stop yet; once, so that it does not go on for ever.
    Continue,
    /// Not at all.
    Never,
}
