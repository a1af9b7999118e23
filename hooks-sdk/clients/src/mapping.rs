//! The behaviour of a client at an event.

use std::time::Duration;

use super::Limit;

pub(super) const NO_TEXT_AT_THE_END: &str = "No text reaches the agent at the end of a session. The nearest alternative is a `post_request` \
     hook, which fires each time the agent has finished.";

pub(super) const NO_END_WITHOUT_TERMINAL: &str = "No text reaches the agent at the end of a session, and the event did not \
     occur in a run without a terminal. The nearest alternative is a `post_request` hook, which fires each time the agent has \
     finished.";

const ONE_REQUEST_MORE: &str = "The text is the reason why the agent may not stop yet: it costs one request to the model, and is \
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
    /// The client's name for the event in another form of its input; no entry is written for it.
    pub(crate) other_form: Option<&'static str>,
    /// The JSON members that [`synthesize`](super::synthesize::synthesize) adds to the input of the event.
    pub(crate) described: &'static str,
}

impl Mapping {
    /// No text reaches the agent, nor a subagent.
    pub(crate) const NEVER: Mapping = Mapping {
        native: "",
        also: &[],
        delivery: Delivery::Never,
        role: None,
        limit: None,
        raised: None,
        deadline: Duration::from_secs(10),
        note: None,
        subagents: Some(false),
        other_form: None,
        described: "{}",
    };

    /// A hook can refuse or change what the agent does.
    pub(crate) const GATES: Mapping = Mapping {
        delivery: Delivery::Gates,
        ..Mapping::NEVER
    };

    /// A text is context. Nothing is known about subagents.
    pub(crate) const CONTEXT: Mapping = Mapping {
        delivery: Delivery::Context,
        subagents: None,
        ..Mapping::NEVER
    };

    /// A text keeps the agent going, as a message of the user, and not a subagent.
    pub(crate) const CONTINUE: Mapping = Mapping {
        delivery: Delivery::Continue,
        role: Some("user"),
        note: Some(ONE_REQUEST_MORE),
        ..Mapping::NEVER
    };

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
