//! An inference that a server asks for.

use serde::{Deserialize, Deserializer, Serialize, de::Error as _};
use serde_json::{Map, Number, Value};

use super::{Content, Usage, left_out};
use crate::core::Open;

/// A request for an inference, as a server sends it.
///
/// Implements MCPL 0.4.1 §11.2, the params of `inference/request`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct InferenceRequest {
    /// The feature set that asks.
    pub feature_set: String,
    /// The conversation that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversation_id: Option<String>,
    /// Whether parts are sent while it runs; without it they are not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stream: Option<bool>,
    /// What the model reads.
    pub messages: Vec<Message>,
    /// How it is to run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preferences: Option<Preferences>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// One message that the model reads (MCPL 0.4.1 §11.1).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Message {
    /// Who says it.
    pub role: Open<Role>,
    /// What is said.
    pub content: Content,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl Message {
    /// A message.
    pub fn new(role: Role, content: impl Into<Content>) -> Message {
        Message {
            role: role.into(),
            content: content.into(),
            other: Map::new(),
        }
    }

    /// What the user says.
    pub fn user(content: impl Into<Content>) -> Message {
        Message::new(Role::User, content)
    }

    /// What the model says.
    pub fn assistant(content: impl Into<Content>) -> Message {
        Message::new(Role::Assistant, content)
    }

    /// What instructs the model.
    pub fn system(content: impl Into<Content>) -> Message {
        Message::new(Role::System, content)
    }
}

/// Who says a message.
///
/// The document shows `user` (MCPL 0.4.1 §11.1) and lists none; these three are what models know.
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

/// How an inference is to run, as far as the host follows it (MCPL 0.4.1 §11.2).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Preferences {
    /// How many tokens it may write.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// How freely it chooses its words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<Number>,
    /// Hints of the host's own, which nothing may depend on.
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
    /// What the model reads.
    pub messages: Vec<Message>,
    /// The conversation that it belongs to.
    pub conversation: Option<String>,
    /// How it is to run.
    pub preferences: Preferences,
}

impl Inference {
    /// An inference over these messages.
    pub fn new(messages: impl IntoIterator<Item = Message>) -> Inference {
        Inference {
            messages: messages.into_iter().collect(),
            ..Inference::default()
        }
    }

    /// An inference over one message of the user's.
    pub fn prompt(content: impl Into<Content>) -> Inference {
        Inference::new([Message::user(content)])
    }

    /// Says which conversation it belongs to.
    #[must_use]
    pub fn conversation(mut self, id: impl Into<String>) -> Inference {
        self.conversation = Some(id.into());
        self
    }

    /// Limits what it writes.
    #[must_use]
    pub fn max_tokens(mut self, tokens: u64) -> Inference {
        self.preferences.max_tokens = Some(tokens);
        self
    }

    /// Says how freely it chooses its words; what is no finite number is no preference.
    #[must_use]
    pub fn temperature(mut self, temperature: f64) -> Inference {
        self.preferences.temperature = Number::from_f64(temperature);
        self
    }

    /// Gives a hint of the host's own, which nothing may depend on.
    #[must_use]
    pub fn preference(mut self, key: impl Into<String>, value: impl Into<Value>) -> Inference {
        self.preferences.hints.insert(key.into(), value.into());
        self
    }

    /// What is sent for a feature set.
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

/// What an inference gave.
///
/// Implements MCPL 0.4.1 §11.3, the answer to `inference/request`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct InferenceResult {
    /// What the model wrote.
    pub content: String,
    /// The model that ran; empty where the host leaves it out.
    #[serde(default, deserialize_with = "left_out::or_default")]
    pub model: String,
    /// Why it stopped; [`FinishReason::EndTurn`] where the host leaves it out.
    #[serde(default = "ended", deserialize_with = "or_ended")]
    pub finish_reason: Open<FinishReason>,
    /// What it used; 0 where the host leaves it out.
    #[serde(default, deserialize_with = "left_out::or_default")]
    pub usage: Usage,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl InferenceResult {
    /// An inference that came to its end.
    pub fn new(
        content: impl Into<String>,
        model: impl Into<String>,
        usage: Usage,
    ) -> InferenceResult {
        InferenceResult {
            content: content.into(),
            model: model.into(),
            finish_reason: FinishReason::EndTurn.into(),
            usage,
            other: Map::new(),
        }
    }
}

/// Why a model stopped (MCPL 0.4.1 §11.3 and appendix B.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FinishReason {
    /// It was done; `stop`, which some hosts send, is read as the same.
    #[serde(alias = "stop")]
    EndTurn,
    /// It may not write more.
    MaxTokens,
    /// It came to a text at which it was to stop.
    StopSequence,
}

fn ended() -> Open<FinishReason> {
    FinishReason::EndTurn.into()
}

fn or_ended<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Open<FinishReason>, D::Error> {
    Option::deserialize(deserializer).map(|reason| reason.unwrap_or_else(ended))
}

/// A part of what an inference gives.
///
/// Implements MCPL 0.4.1 §11.4, the params of `inference/chunk`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct InferenceChunk {
    /// The JSON-RPC id of the request: a number or a string.
    #[serde(deserialize_with = "request_id")]
    pub request_id: Value,
    /// Its place among the parts, counted from 0; also 0 where the host leaves it out.
    #[serde(default, deserialize_with = "left_out::or_default")]
    pub index: u64,
    /// What the model wrote since the part before.
    pub delta: String,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
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
