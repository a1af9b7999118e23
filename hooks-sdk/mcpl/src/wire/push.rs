//! Events that a server pushes on its own initiative.

use std::{fmt, time::SystemTime};

use serde_json::{Map, Value};

use super::{Content, ContentBlock, ErrorObject, Tag, content};
use hooks_core::Timestamp;
use hooks_core::internal::setters;

objects! {
    /// An event, as a server sends it.
    ///
    /// Implements MCPL 0.4.1 §9.2, the params of `push/event`, with the tags of 0.5.
    pub struct PushEvent {
        /// The feature set that pushes the event.
        feature_set: String,
        /// The id of the event, the same each time it is sent.
        event_id: String,
        /// The time at which it happened, in the format of RFC 3339.
        timestamp: String,
        /// The origin of the event, in the server's own words.
        origin?: Map<String, Value>,
        /// The content for the model.
        payload: PushPayload,
        /// The kind of event.
        tags?: Vec<String>,
    }

    /// The content of an event, for the model (MCPL 0.4.1 §9.2).
    pub struct PushPayload {
        /// The content. A plain text is accepted as one block.
        #[serde(deserialize_with = "content::blocks")]
        content: Vec<ContentBlock>,
    }

    /// The host's result for an event.
    ///
    /// Implements MCPL 0.4.1 §9.3, the answer to `push/event`.
    pub struct PushEventResult {
        /// Whether the host accepted the event.
        accepted: bool,
        /// The inference that the event caused.
        inference_id?: String,
        /// Why the host did not accept the event.
        reason?: String,

        /// The host accepted the event.
        fn accepted() { accepted: true };

        /// The host did not accept the event.
        fn refused(reason: impl Into<String>) { reason: Some(reason.into()) };

        /// Sets the inference that the event caused.
        fn inference(id: impl Into<String>) => inference_id;
    }
}

/// The id of an event. It is the same each time the event is sent, and no other event has it.
///
/// Implements MCPL 0.4.1 §9.4. Hosts drop an event whose id they have seen, so the second edit of a message
/// needs another id than the first: the subject alone is no id.
///
/// ```
/// use hooks_sdk::mcpl::EventId;
///
/// assert_eq!(EventId::of("build 17", "failed").as_str(), "build 17#failed");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventId(String);

impl EventId {
    /// Makes an id from the `subject` of the event and its `occurrence`: a message and its revision, a build and its
    /// state, a reminder and the moment it is due.
    ///
    /// Different pairs give different ids.
    pub fn of(subject: impl fmt::Display, occurrence: impl fmt::Display) -> EventId {
        // Escaped, so that the first `#` separates the two.
        let subject = subject.to_string().replace('%', "%25").replace('#', "%23");
        EventId(format!("{subject}#{occurrence}"))
    }

    /// Uses an id from the source of the events. The caller ensures that it is unique.
    pub fn given(id: impl Into<String>) -> EventId {
        EventId(id.into())
    }

    /// Returns the id as it is sent.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// An event, as an author writes it.
///
/// ```
/// use hooks_sdk::mcpl::{EventId, Push, tag::chat};
///
/// let push = Push::new(EventId::of("message 17", "edit 2"), "Alice edited: see you at nine")
///     .tag(chat::EDITED)
///     .tag(chat::FROM_HUMAN);
/// assert_eq!(push.event("chat.messages").event_id, "message 17#edit 2");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Push {
    /// The event's id.
    pub event_id: EventId,
    /// The content for the model.
    pub content: Content,
    /// The time at which it happened.
    pub at: SystemTime,
    /// The origin of the event, in the server's own words.
    pub origin: Option<Map<String, Value>>,
    /// The kind of event.
    pub tags: Vec<Tag>,
    /// How often the event is sent, at most, while no answer arrives.
    pub attempts: u32,
}

impl Push {
    /// Makes an event that happens now and is sent once.
    pub fn new(event_id: EventId, content: impl Into<Content>) -> Push {
        Push {
            event_id,
            content: content.into(),
            at: SystemTime::now(),
            origin: None,
            tags: Vec::new(),
            attempts: 1,
        }
    }

    setters! {
        /// Sets the time at which it happened.
        fn at(mut self, at: SystemTime) { self.at = at }

        /// Sets the origin of the event.
        fn origin(mut self, origin: Map<String, Value>) { self.origin = Some(origin) }

        /// Adds a word for the kind of event. [The words that it implies](super::tag::close) are added when it is sent.
        fn tag(mut self, tag: Tag) { self.tags.push(tag) }

        /// Sets how often the event is sent, at most, while no answer arrives; 0 counts as 1.
        fn attempts(mut self, attempts: u32) { self.attempts = attempts.max(1) }
    }

    /// Returns the event as it is sent for a feature set. It is the same each time.
    pub fn event(&self, feature_set: impl Into<String>) -> PushEvent {
        let mut tags = self.tags.iter().map(Tag::to_string).collect();
        super::tag::close(&mut tags);
        PushEvent {
            feature_set: feature_set.into(),
            event_id: self.event_id.to_string(),
            timestamp: Timestamp::from(self.at).to_string(),
            origin: self.origin.clone(),
            payload: PushPayload {
                content: self.content.clone().into_blocks(),
                other: Map::new(),
            },
            tags: (!tags.is_empty()).then_some(tags),
            other: Map::new(),
        }
    }
}

/// The outcome of a push.
///
/// Implements MCPL 0.4.1 §9.3 and §6.6. Hosts refuse with a result or with an error; both are
/// [`Refused`](Pushed::Refused). An event that the host has seen before is no failure.
///
/// ```
/// use hooks_sdk::mcpl::Pushed;
///
/// fn sentence(pushed: &Pushed) -> String {
///     match pushed {
///         Pushed::Refused(why) => format!("the host refused the event: {why:?}"),
///         _ => "the host has the event".to_owned(),
///     }
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "a host may refuse an event"]
#[non_exhaustive]
pub enum Pushed {
    /// The host accepted the event.
    Accepted(PushEventResult),
    /// The host already has the event.
    Duplicate(PushEventResult),
    /// The host did not accept the event.
    Refused(PushRefusal),
}

/// The form in which a host refused.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PushRefusal {
    /// A result with `accepted: false`.
    Result(PushEventResult),
    /// An error.
    Error(ErrorObject),
}

impl Pushed {
    /// Reads the answer to `push/event`. The reason `duplicate` means that the host already has the event.
    pub fn of(answer: Result<PushEventResult, ErrorObject>) -> Pushed {
        match answer {
            Ok(result) if result.accepted => Pushed::Accepted(result),
            Ok(result) if result.reason.as_deref() == Some("duplicate") => {
                Pushed::Duplicate(result)
            }
            Ok(result) => Pushed::Refused(PushRefusal::Result(result)),
            Err(error) => Pushed::Refused(PushRefusal::Error(error)),
        }
    }
}
