//! Messages of A2A, carried as they are.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One message of A2A: a request or an answer, as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct A2aMessage {
    /// The whole JSON-RPC object.
    pub payload: Map<String, Value>,
}

impl A2aMessage {
    /// Makes a message of a whole JSON-RPC object.
    pub fn new(payload: Map<String, Value>) -> A2aMessage {
        A2aMessage { payload }
    }
}

/// Between which agents a message of A2A travels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct A2aContext {
    /// Who sends the message.
    pub from: A2aPeer,
    /// Who gets the message.
    pub to: A2aPeer,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// One side of A2A.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct A2aPeer {
    /// The agent: as in a step's context, or with `url`, `name`, `version` and `identity`.
    pub agent: Map<String, Value>,
    /// What the agent is here: `client` or `server`.
    pub role: String,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}
