//! The messages around an inference: before it, after it, and about its start and end; and injections into its context.

use serde::{Deserialize, Deserializer, Serialize, de::value::StrDeserializer};
use serde_json::{Map, Value};

use super::{Content, CurrentModel, Usage};
use hooks_core::{Open, internal::words};

objects! {
    /// The host is about to run the model.
    ///
    /// Implements MCPL 0.4.1 §10.1, the params of `context/beforeInference`.
    pub struct BeforeInference {
        /// The id of the inference.
        inference_id: String,
        /// The id of the conversation, the same in all of its turns.
        conversation_id: String,
        /// The index of the turn, from 0; 0 if the host omits it.
        turn_index: u64 = default,
        /// The user's message. It is `None` if the model continues by itself and, in 0.5, if it is not granted.
        user_message: Option<String>,
        /// The model that is about to run. It has no members if the host omits it.
        model: CurrentModel = default,
        /// The channels that the turn comes from and that its answer goes to.
        channels?: ChannelContext,
    }

    /// The injections of a server into the context of an inference.
    ///
    /// Implements MCPL 0.4.1 §10.2, the answer to `context/beforeInference`.
    pub struct BeforeInferenceResult {
        /// The feature set that answers.
        feature_set: String,
        /// The injections.
        context_injections: Vec<Injection>,

        /// Makes the answer of one feature set.
        fn new(feature_set: impl Into<String>, context_injections: Vec<Injection>);
    }

    /// The channels of a turn.
    ///
    /// Implements MCPL 0.4.1 §14.4.
    #[derive(Default)]
    pub struct ChannelContext {
        /// The message that the turn answers.
        incoming?: IncomingRef,
        /// The channel for the answer, unless something else decides.
        default_outgoing?: ChannelRef,
        /// The channels that the answer may go to.
        candidates?: Vec<String>,
    }

    /// A message on a channel, as ids.
    ///
    /// Implements MCPL 0.4.1 §14.4.
    pub struct IncomingRef {
        /// The channel.
        channel_id: String,
        /// The message; empty if the host omits it.
        message_id: String = default,
        /// The thread, if the channel has threads.
        thread_id?: String,
    }

    /// A channel, as an id.
    ///
    /// Implements MCPL 0.4.1 §14.4.
    pub struct ChannelRef {
        /// The channel.
        channel_id: String,
    }

    /// The model has answered.
    ///
    /// Implements MCPL 0.4.1 §10.5, the params of `context/afterInference`, which is a request where the server
    /// blocks and a notification otherwise. 0.5 has no such method.
    pub struct AfterInference {
        /// The id of the inference.
        inference_id: String,
        /// The id of the conversation, the same in all of its turns.
        conversation_id: String,
        /// The index of the turn, from 0; 0 if the host omits it.
        turn_index: u64 = default,
        /// The user's message. It is `None` if the model continued by itself.
        user_message: Option<String>,
        /// The model's answer.
        assistant_message: String,
        /// The model that ran. It has no members if the host omits it.
        model: CurrentModel = default,
        /// The tokens that the inference used; 0 if the host omits it.
        usage: Usage = default,
    }

    /// What a blocking server makes of the model's answer.
    ///
    /// Implements MCPL 0.4.1 §10.5, the answer to `context/afterInference`.
    pub struct AfterInferenceResult {
        /// The feature set that answers.
        feature_set: String,
        /// The text that replaces the model's answer.
        modified_response?: String,
        /// Further information about the change.
        metadata?: Map<String, Value>,

        /// Makes the answer of one feature set. Empty metadata is omitted on the wire.
        fn new(feature_set: impl Into<String>, modified: Modified) {
            feature_set: feature_set.into(),
            modified_response: modified.response,
            metadata: (!modified.metadata.is_empty()).then_some(modified.metadata)
        };
    }
}

/// What a hook's function makes of the model's answer: another text or none, and information about the change.
///
/// Implements MCPL 0.4.1 §10.5. The default changes nothing.
///
/// ```
/// use hooks_sdk::mcpl::Modified;
///
/// assert_eq!(Modified::to("[REDACTED]").response.as_deref(), Some("[REDACTED]"));
/// assert_eq!(Modified::unchanged().response, None);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Modified {
    /// The text that replaces the model's answer.
    pub response: Option<String>,
    /// Further information about the change.
    pub metadata: Map<String, Value>,
}

impl Modified {
    /// Replaces the model's answer with this text.
    pub fn to(response: impl Into<String>) -> Modified {
        Modified {
            response: Some(response.into()),
            metadata: Map::new(),
        }
    }

    /// Keeps the model's answer.
    pub fn unchanged() -> Modified {
        Modified::default()
    }

    /// Sets further information about the change.
    #[must_use]
    pub fn metadata(mut self, metadata: Map<String, Value>) -> Modified {
        self.metadata = metadata;
        self
    }
}

objects! {
    /// An inference started or ended. Its content is not included.
    ///
    /// Implements MCPL 0.5, the params of `inference/lifecycle`.
    pub struct InferenceLifecycle {
        /// The id of the inference.
        inference_id: String,
        /// The id of the conversation, the same in all of its turns.
        conversation_id: String,
        /// The index of the turn, from 0; 0 if the host omits it.
        turn_index: u64 = default,
        /// What happened to the inference.
        phase: Open<Phase>,
        /// The model that runs.
        model?: CurrentModel,
        /// The tokens that the inference used.
        usage?: Usage,
    }
}

/// What happened to an inference (MCPL 0.5).
///
/// ```
/// use hooks_sdk::mcpl::wire::Phase;
///
/// assert!(!Phase::Started.is_terminal());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Phase {
    /// The inference started.
    Started,
    /// The inference ended with an answer.
    Completed,
    /// The inference was stopped.
    Aborted,
    /// The inference failed.
    Failed,
}

impl Phase {
    /// Whether the inference has ended.
    pub const fn is_terminal(self) -> bool {
        !matches!(self, Phase::Started)
    }
}

words! {
    /// A position in a context.
    ///
    /// Implements MCPL 0.4.1 §10.4 and appendix B.3.
    ///
    /// ```
    /// use hooks_sdk::mcpl::{Injection, Position, wrapped};
    ///
    /// let injection = Injection::new("notes", Position::BeforeUser, wrapped("notes", ["The project grew."]));
    /// assert_eq!(Position::BeforeUser.as_str(), "beforeUser");
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "camelCase")]
    #[non_exhaustive]
    pub enum Position: "Returns the position's word on the wire." {
        /// With the system instructions.
        System = "system",
        /// Before the user's message.
        BeforeUser = "beforeUser",
        /// After the user's message.
        AfterUser = "afterUser",
    }
}

impl Position {
    /// All positions, in the document's order.
    pub const ALL: [Position; 3] = [Position::System, Position::BeforeUser, Position::AfterUser];
}

objects! {
    /// Content that a server adds to a context.
    ///
    /// Implements MCPL 0.4.1 §10.4.
    pub struct Injection {
        /// The server's own name for this kind of content.
        namespace: String,
        /// The position.
        #[serde(deserialize_with = "closed")]
        position: Position,
        /// The content.
        content: Content,
        /// Further information for the host.
        metadata?: Map<String, Value>,

        /// Makes an injection without metadata.
        fn new(namespace: impl Into<String>, position: Position, content: impl Into<Content>);

        /// Sets further information for the host.
        fn metadata(metadata: Map<String, Value>) => metadata;
    }
}

/// Reads a word of a closed vocabulary. It must be a string.
fn closed<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    let word = Box::<str>::deserialize(deserializer)?;
    T::deserialize(StrDeserializer::new(&word))
}
