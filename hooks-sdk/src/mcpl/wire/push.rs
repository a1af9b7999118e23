//! An event that a server reports of its own accord.

use std::{fmt, time::SystemTime};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Content, ContentBlock, ErrorObject, Tag, content};
use crate::core::Timestamp;

/// An event, as a server sends it.
///
/// Implements MCPL 0.4.1 §9.2, the params of `push/event`, with the tags of 0.5.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PushEvent {
    /// The feature set that reports it.
    pub feature_set: String,
    /// The event's own id, the same whenever it is sent.
    pub event_id: String,
    /// When it happened, as RFC 3339.
    pub timestamp: String,
    /// Where it comes from, in the server's own words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<Map<String, Value>>,
    /// What the model reads.
    pub payload: PushPayload,
    /// What kind of event it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// What the model reads of an event (MCPL 0.4.1 §9.2).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PushPayload {
    /// The content; a plain text is tolerated as one block.
    #[serde(deserialize_with = "content::blocks")]
    pub content: Vec<ContentBlock>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// What a host did with an event.
///
/// Implements MCPL 0.4.1 §9.3, the answer to `push/event`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PushEventResult {
    /// Whether it took the event.
    pub accepted: bool,
    /// The inference that came of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inference_id: Option<String>,
    /// Why it did not take the event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl PushEventResult {
    /// The event was taken.
    pub fn accepted() -> PushEventResult {
        PushEventResult {
            accepted: true,
            inference_id: None,
            reason: None,
            other: Map::new(),
        }
    }

    /// The event was not taken.
    pub fn refused(reason: impl Into<String>) -> PushEventResult {
        PushEventResult {
            accepted: false,
            reason: Some(reason.into()),
            ..PushEventResult::accepted()
        }
    }

    /// Names the inference that came of it.
    #[must_use]
    pub fn inference(mut self, id: impl Into<String>) -> PushEventResult {
        self.inference_id = Some(id.into());
        self
    }
}

/// The id of an event, the same however often it is sent, and no other event's.
///
/// Implements MCPL 0.4.1 §9.4. Hosts drop an event whose id they have seen, so the second edit of a message
/// needs another id than the first: the subject alone is no id.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventId(String);

impl EventId {
    /// What the event is about, and which of the things that happen to it: a message and its revision, a
    /// build and its state, a reminder and the moment it is due.
    ///
    /// Different pairs make different ids.
    pub fn of(subject: impl fmt::Display, occurrence: impl fmt::Display) -> EventId {
        // Escaped, so that the first `#` is the one between the two.
        let subject = subject.to_string().replace('%', "%25").replace('#', "%23");
        EventId(format!("{subject}#{occurrence}"))
    }

    /// An id that the source of the events gives, which is the caller's to keep unique.
    pub fn given(id: impl Into<String>) -> EventId {
        EventId(id.into())
    }

    /// The id as it stands on the wire.
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
    /// What the model reads.
    pub content: Content,
    /// When it happened.
    pub at: SystemTime,
    /// Where it comes from, in the server's own words.
    pub origin: Option<Map<String, Value>>,
    /// What kind of event it is.
    pub tags: Vec<Tag>,
    /// How often it is sent at most while no answer comes.
    pub attempts: u32,
}

impl Push {
    /// An event that happens now and is sent once.
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

    /// Says when it happened.
    #[must_use]
    pub fn at(mut self, at: SystemTime) -> Push {
        self.at = at;
        self
    }

    /// Says where it comes from, in place of what was said.
    #[must_use]
    pub fn origin(mut self, origin: Map<String, Value>) -> Push {
        self.origin = Some(origin);
        self
    }

    /// Says what kind of event it is; [what that implies](super::tag::close) is added when it is sent.
    #[must_use]
    pub fn tag(mut self, tag: Tag) -> Push {
        self.tags.push(tag);
        self
    }

    /// Sends it up to this often while no answer comes; 0 is 1.
    #[must_use]
    pub fn attempts(mut self, attempts: u32) -> Push {
        self.attempts = attempts.max(1);
        self
    }

    /// What is sent for a feature set; the same every time.
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

/// What came of an event.
///
/// Implements MCPL 0.4.1 §9.3 and §6.6. Hosts refuse with a result or with an error; both are
/// [`Refused`](Pushed::Refused). An event that the host has seen before is no failure.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "a host may refuse an event"]
#[non_exhaustive]
pub enum Pushed {
    /// The host took it.
    Accepted(PushEventResult),
    /// The host has it already.
    Duplicate(PushEventResult),
    /// The host did not take it.
    Refused(PushRefusal),
}

/// How a host refused.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PushRefusal {
    /// With a result that says so.
    Result(PushEventResult),
    /// With an error.
    Error(ErrorObject),
}

impl Pushed {
    /// What an answer to `push/event` says; that the host has it already is the reason `duplicate`.
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
