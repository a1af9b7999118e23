//! What MCPL adds to MCP's call of a tool.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Scope, StateUpdate};

/// A call of a tool, with the three members that MCPL adds.
///
/// Implements MCPL 0.4.1 §7.7 and §8.4.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolCallParams {
    /// The tool.
    pub name: String,
    /// What it is called with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Map<String, Value>>,
    /// What the host lets the call touch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// The state that the call starts from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<Value>,
    /// The state that the call starts from, by its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<String>,
    /// MCP's other members, and those that neither document defines.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// The answer of a tool, with the member that MCPL adds.
///
/// Implements MCPL 0.4.1 §8.2. The content is MCP's, and kept as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolCallResult {
    /// What the tool says, in MCP's own blocks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<Vec<Value>>,
    /// What the answer says of the state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<StateUpdate>,
    /// MCP's other members, and those that neither document defines.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}
