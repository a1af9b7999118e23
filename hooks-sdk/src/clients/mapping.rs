//! The behaviour of a client at an event, and the version with which it was measured.

use std::fmt;

/// The version of a client with which its behaviour was measured, and the day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tested {
    /// The version, such as `2.1.329`.
    pub version: &'static str,
    /// The day, such as `2026-11-22`.
    pub date: &'static str,
}

impl Tested {
    /// Makes a version and a day.
    pub const fn new(version: &'static str, date: &'static str) -> Tested {
        Tested { version, date }
    }
}

impl fmt::Display for Tested {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "version {} ({})", self.version, self.date)
    }
}

/// The behaviour of a client at one of the six events, measured by running the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mapping {
    /// The client's own name for the event.
    pub native: &'static str,
    /// How a text reaches the agent at this event.
    pub delivery: Delivery,
    /// The difference at this event, and the nearest alternative, in a sentence or two for people.
    pub note: Option<&'static str>,
    /// Whether a text also reaches the client's subagents; `None` if that was not measured.
    pub subagents: Option<bool>,
}

impl Mapping {
    /// Makes a mapping to an event of this name. A text that does not reach the agent does not reach a subagent.
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

    /// Sets whether a text also reaches the client's subagents.
    #[must_use]
    pub const fn subagents(mut self, reached: bool) -> Mapping {
        self.subagents = Some(reached);
        self
    }

    /// Sets the difference at this event.
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
    /// As context, beside the agent's other input.
    Context,
    /// As the reason why the agent may not stop yet; only once, so that the agent does not continue for ever.
    Continue,
    /// Not at all.
    Never,
}
