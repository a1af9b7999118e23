//! Calls of tools: what is asked for, and what was answered.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{TextPart, present::present};

/// A call of a tool that is about to happen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolCallRequest {
    /// The call. Its result has the same id.
    pub execution_id: String,
    /// The tool. This SDK sends the tool's name.
    pub tool_id: String,
    /// The arguments, by name.
    pub inputs: Vec<ToolInput>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl ToolCallRequest {
    /// Makes a call.
    pub fn new(
        execution_id: impl Into<String>,
        tool_id: impl Into<String>,
        inputs: Vec<ToolInput>,
    ) -> ToolCallRequest {
        ToolCallRequest {
            execution_id: execution_id.into(),
            tool_id: tool_id.into(),
            inputs,
            other: Map::new(),
        }
    }
}

/// One argument of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolInput {
    /// The argument's name.
    pub name: String,
    /// Its value, any JSON.
    pub value: Value,
    /// The id of the argument's definition.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub id: Option<String>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl ToolInput {
    /// Makes an argument.
    pub fn new(name: impl Into<String>, value: Value) -> ToolInput {
        ToolInput {
            name: name.into(),
            value,
            id: None,
            other: Map::new(),
        }
    }
}

/// A call of a tool that has ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CompletedToolCall {
    /// The call.
    pub execution_id: String,
    /// What the tool answered.
    pub result: ToolOutput,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl CompletedToolCall {
    /// Makes the result of a call.
    pub fn new(execution_id: impl Into<String>, result: ToolOutput) -> CompletedToolCall {
        CompletedToolCall {
            execution_id: execution_id.into(),
            result,
            other: Map::new(),
        }
    }
}

/// What a tool answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolOutput {
    /// The answer, as text.
    pub outputs: Vec<TextPart>,
    /// Whether the tool failed.
    pub is_error: bool,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl ToolOutput {
    /// Makes an answer.
    pub fn new(outputs: Vec<TextPart>, is_error: bool) -> ToolOutput {
        ToolOutput {
            outputs,
            is_error,
            other: Map::new(),
        }
    }
}
