//! What a client makes of an event.

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
    /// Whether a text reaches the client's subagents too; `None` where that is not known.
    pub subagents: Option<bool>,
}

impl Mapping {
    /// An event of this name; nothing is known of subagents, except that a text that reaches no agent reaches none
    /// of them.
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
