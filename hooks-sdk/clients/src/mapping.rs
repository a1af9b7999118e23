//! The behaviour of a client at an event.

use std::time::Duration;

use super::{Limit, capabilities::DEADLINE};

pub(super) const NO_TEXT_AT_THE_END: &str = "No text reaches the agent at the end of a session. The nearest alternative is a `post_request` \
     hook, which fires each time the agent has finished.";

pub(super) const ONE_REQUEST_MORE: &str = "The text is the reason why the agent may not stop yet: it costs one request to the model, and is \
     sent once for each message of the user.";

/// The behaviour of a client at one of the six events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mapping {
    /// The client's own name for the event.
    pub native: &'static str,
    /// The client's other events that are the same event here, such as the one after a failed call.
    pub also: &'static [&'static str],
    /// How a text reaches the agent at this event.
    pub delivery: Delivery,
    /// Where the text is in the request to the model, such as `system` or `tool result`; `None` if it is in none.
    pub role: Option<&'static str>,
    /// The length that the client takes whole; `None` if no limit is known.
    pub limit: Option<Limit>,
    /// The maximum that the entry sets in the place of the limit's, in the limit's unit; `None` if an entry cannot set it.
    pub raised: Option<usize>,
    /// The time after which the client ends a hook.
    pub deadline: Duration,
    /// The difference at this event, and the nearest alternative, in a sentence or two for people.
    pub note: Option<&'static str>,
    /// Whether a text also reaches the client's subagents; `None` if that was not measured.
    pub subagents: Option<bool>,
    /// The recording of this event, below `tests/fixtures/clients`; `None` if the client was not run.
    pub recording: Option<&'static str>,
}

impl Mapping {
    /// Makes a mapping to an event of this name, with a time-out of 10 s. A text that does not reach the agent does not
    /// reach a subagent.
    pub const fn new(native: &'static str, delivery: Delivery) -> Mapping {
        Mapping {
            native,
            also: &[],
            delivery,
            role: None,
            limit: None,
            raised: None,
            deadline: DEADLINE,
            note: None,
            subagents: match delivery.reaches_agent() {
                false => Some(false),
                true => None,
            },
            recording: None,
        }
    }

    /// Sets the client's other events that are the same event here.
    #[must_use]
    pub const fn also(mut self, natives: &'static [&'static str]) -> Mapping {
        self.also = natives;
        self
    }

    /// Sets where the text is in the request to the model.
    #[must_use]
    pub const fn role(mut self, role: &'static str) -> Mapping {
        self.role = Some(role);
        self
    }

    /// Sets the length that the client takes whole.
    #[must_use]
    pub const fn limit(mut self, limit: Limit) -> Mapping {
        self.limit = Some(limit);
        self
    }

    /// Sets the maximum that the entry sets.
    #[must_use]
    pub const fn raised(mut self, most: usize) -> Mapping {
        self.raised = Some(most);
        self
    }

    /// Sets the time after which the client ends a hook.
    #[must_use]
    pub const fn deadline(mut self, deadline: Duration) -> Mapping {
        self.deadline = deadline;
        self
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

    /// Sets the recording of this event, below `tests/fixtures/clients`.
    #[must_use]
    pub const fn recording(mut self, file: &'static str) -> Mapping {
        self.recording = Some(file);
        self
    }

    /// Returns the client's names for the event, of which each has an entry.
    pub fn natives(&self) -> impl Iterator<Item = &'static str> + use<> {
        [self.native].into_iter().chain(self.also.iter().copied())
    }
}

/// How a text reaches the agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Delivery {
    /// As context, beside the agent's other input.
    Context,
    /// As context with the client's next event that takes one: the text is kept until then.
    Next,
    /// As the reason why the agent may not stop yet; only once, so that the agent does not continue for ever.
    Continue,
    /// Not at all, but a hook can refuse or change what the agent does.
    Gates,
    /// Not at all.
    Never,
}

impl Delivery {
    /// Returns whether a text reaches the agent at all.
    pub const fn reaches_agent(self) -> bool {
        !matches!(self, Delivery::Gates | Delivery::Never)
    }
}
