//! What MCPL adds to MCP's tool calls.

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
    /// The arguments of the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Map<String, Value>>,
    /// The scope that the host permits for the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// The state that the call starts from, in full.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<Value>,
    /// The state that the call starts from, as the id of its checkpoint.
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
    /// The content, in MCP's own blocks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<Vec<Value>>,
    /// The state after the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<StateUpdate>,
    /// MCP's other members, and those that neither document defines.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}
