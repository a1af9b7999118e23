//! What a client makes of an event.

/// What a client makes of one of the six events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mapping {
    /// The client's own name for the event.
    pub native: &'static str,
    /// How a text reaches the agent there.
    pub delivery: Delivery,
    /// What is different there, and the nearest thing that works, in a sentence for people.
    pub note: Option<&'static str>,
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
