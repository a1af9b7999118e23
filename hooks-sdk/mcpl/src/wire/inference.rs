//! The inferences that a server requests.

use serde::{Deserialize, Deserializer, Serialize, de::Error as _};
use serde_json::{Map, Number, Value};

use super::{Content, Usage};
use hooks_core::Open;
use hooks_core::internal::setters;

objects! {
    /// A request for an inference, as a server sends it.
    ///
    /// Implements MCPL 0.4.1 §11.2, the params of `inference/request`.
    pub struct InferenceRequest {
        /// The feature set that requests the inference.
        feature_set: String,
        /// The conversation that the inference belongs to.
        conversation_id?: String,
        /// Whether the host sends chunks while the inference runs. The default is `false`.
        stream?: bool,
        /// The messages for the model.
        messages: Vec<Message>,
        /// The preferences for the inference.
        preferences?: Preferences,
    }

    /// One message for the model (MCPL 0.4.1 §11.1).
    pub struct Message {
        /// The speaker of the message.
        role: Open<Role>,
        /// The content of the message.
        content: Content,

        /// Makes a message.
        fn new(role: Role, content: impl Into<Content>);
    }
}

impl Message {
    /// Makes a message of the user.
    pub fn user(content: impl Into<Content>) -> Message {
        Message::new(Role::User, content)
    }

    /// Makes a message of the model.
    pub fn assistant(content: impl Into<Content>) -> Message {
        Message::new(Role::Assistant, content)
    }

    /// Makes a message with instructions.
    pub fn system(content: impl Into<Content>) -> Message {
        Message::new(Role::System, content)
    }
}

/// The speaker of a message.
///
/// The document shows `user` (MCPL 0.4.1 §11.1) and has no list. Models know these three.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Role {
    /// The user.
    User,
    /// The model.
    Assistant,
    /// Instructions.
    System,
}

/// Preferences for an inference. The host need not follow them (MCPL 0.4.1 §11.2).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Preferences {
    /// The most tokens that the model may write.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// The sampling temperature.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<Number>,
    /// Hints that only some hosts read. Do not depend on them.
    #[serde(flatten)]
    pub hints: Map<String, Value>,
}

/// A request for an inference, as an author writes it.
///
/// ```
/// use hooks_sdk::mcpl::Inference;
///
/// let request = Inference::prompt("Summarise: …").max_tokens(500).request("memory.summary", false);
/// assert_eq!(request.preferences.unwrap().max_tokens, Some(500));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Inference {
    /// The messages for the model.
    pub messages: Vec<Message>,
    /// The conversation that the inference belongs to.
    pub conversation: Option<String>,
    /// The preferences for the inference.
    pub preferences: Preferences,
}

impl Inference {
    /// Makes an inference over these messages.
    pub fn new(messages: impl IntoIterator<Item = Message>) -> Inference {
        Inference {
            messages: messages.into_iter().collect(),
            ..Inference::default()
        }
    }

    /// Makes an inference over one message of the user.
    pub fn prompt(content: impl Into<Content>) -> Inference {
        Inference::new([Message::user(content)])
    }

    setters! {
        /// Sets the conversation that the inference belongs to.
        fn conversation(mut self, id: impl Into<String>) { self.conversation = Some(id.into()) }

        /// Sets the most tokens that the model may write.
        fn max_tokens(mut self, tokens: u64) { self.preferences.max_tokens = Some(tokens) }

        /// Sets the sampling temperature. A value that is not finite is ignored.
        fn temperature(mut self, temperature: f64) { self.preferences.temperature = Number::from_f64(temperature) }

        /// Adds a hint that only some hosts read. Do not depend on it.
        fn preference(mut self, key: impl Into<String>, value: impl Into<Value>) {
            self.preferences.hints.insert(key.into(), value.into());
        }
    }

    /// Returns the request as it is sent for a feature set.
    pub fn request(&self, feature_set: impl Into<String>, stream: bool) -> InferenceRequest {
        let preferences = self.preferences.clone();
        InferenceRequest {
            feature_set: feature_set.into(),
            conversation_id: self.conversation.clone(),
            stream: stream.then_some(true),
            messages: self.messages.clone(),
            preferences: (preferences != Preferences::default()).then_some(preferences),
            other: Map::new(),
        }
    }
}

objects! {
    /// The result of an inference.
    ///
    /// Implements MCPL 0.4.1 §11.3, the answer to `inference/request`.
    pub struct InferenceResult {
        /// The text that the model wrote.
        content: String,
        /// The model that ran; empty if the host omits it.
        model: String = default,
        /// Why the model stopped; [`FinishReason::EndTurn`] if the host omits it.
        #[serde(default = "ended", deserialize_with = "or_ended")]
        finish_reason: Open<FinishReason> = ended(),
        /// The tokens that the inference used; 0 if the host omits it.
        usage: Usage = default,

        /// Makes the result of a complete inference.
        fn new(content: impl Into<String>, model: impl Into<String>, usage: Usage) {
            content: content.into(), model: model.into(), usage: usage
        };
    }
}

/// Why a model stopped (MCPL 0.4.1 §11.3 and appendix B.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FinishReason {
    /// The model had finished. `stop`, which some hosts send, is read as this.
    #[serde(alias = "stop")]
    EndTurn,
    /// The model reached the limit of tokens.
    MaxTokens,
    /// The model reached a stop sequence.
    StopSequence,
}

fn ended() -> Open<FinishReason> {
    FinishReason::EndTurn.into()
}

fn or_ended<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Open<FinishReason>, D::Error> {
    Option::deserialize(deserializer).map(|reason| reason.unwrap_or_else(ended))
}

objects! {
    /// One chunk of the answer to an inference.
    ///
    /// Implements MCPL 0.4.1 §11.4, the params of `inference/chunk`.
    pub struct InferenceChunk {
        /// The JSON-RPC id of the request: a number or a string.
        #[serde(deserialize_with = "request_id")]
        request_id: Value,
        /// The index of the chunk, from 0; 0 if the host omits it.
        index: u64 = default,
        /// The text that the model wrote since the previous chunk.
        delta: String,
    }
}

fn request_id<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
    let id = Value::deserialize(deserializer)?;
    if id.is_number() || id.is_string() {
        Ok(id)
    } else {
        Err(D::Error::custom(
            "`requestId` is neither a number nor a string",
        ))
    }
}
