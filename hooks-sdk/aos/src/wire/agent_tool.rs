//! What an agent has: tools and resources.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::present::{metadata, present};

/// A tool that an agent has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AgentTool {
    /// The tool's id.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The kind of tool.
    #[serde(rename = "type")]
    pub kind: String,
    /// What the tool does.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub description: Option<String>,
    /// What the tool takes; `null` if nothing is known of it.
    #[serde(deserialize_with = "Option::deserialize")]
    pub arguments: Option<Vec<AgentToolArgument>>,
    /// What the tool answers with; `null` if nothing is known of it.
    #[serde(deserialize_with = "Option::deserialize")]
    pub outputs: Option<Vec<AgentToolArgument>>,
    /// Further facts: an object, or `null`.
    #[serde(
        default,
        deserialize_with = "metadata",
        skip_serializing_if = "Option::is_none"
    )]
    pub metadata: Option<Option<Map<String, Value>>>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl AgentTool {
    /// Makes a tool of whose arguments and answers nothing is known.
    pub fn new(
        id: impl Into<String>,
        name: impl Into<String>,
        kind: impl Into<String>,
    ) -> AgentTool {
        AgentTool {
            id: id.into(),
            name: name.into(),
            kind: kind.into(),
            description: None,
            arguments: None,
            outputs: None,
            metadata: None,
            other: Map::new(),
        }
    }
}

/// One argument of a tool, or one part of its answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AgentToolArgument {
    /// The argument's name.
    pub name: String,
    /// Whether a call has to have it.
    pub required: bool,
    /// The argument's id.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub id: Option<String>,
    /// What the argument means.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub description: Option<String>,
    /// The kind of value: `string`, `number`, `boolean`, `object`, `array` or `null`.
    #[serde(rename = "type")]
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub kind: Option<String>,
    /// The media type of the value.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub mime_type: Option<String>,
    /// Further facts: an object, or `null`.
    #[serde(
        default,
        deserialize_with = "metadata",
        skip_serializing_if = "Option::is_none"
    )]
    pub metadata: Option<Option<Map<String, Value>>>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl AgentToolArgument {
    /// Makes an argument of which only what is required is known.
    pub fn new(name: impl Into<String>, required: bool) -> AgentToolArgument {
        AgentToolArgument {
            name: name.into(),
            required,
            id: None,
            description: None,
            kind: None,
            mime_type: None,
            metadata: None,
            other: Map::new(),
        }
    }
}

/// A resource that an agent has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AgentResource {
    /// The resource's id.
    pub id: String,
    /// The resource's name.
    pub name: String,
    /// What is in it.
    pub content: String,
    /// What the resource is.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub description: Option<String>,
    /// The media type of the content.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub mime_type: Option<String>,
    /// Further facts: an object, or `null`.
    #[serde(
        default,
        deserialize_with = "metadata",
        skip_serializing_if = "Option::is_none"
    )]
    pub metadata: Option<Option<Map<String, Value>>>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl AgentResource {
    /// Makes a resource of which only what is required is known.
    pub fn new(
        id: impl Into<String>,
        name: impl Into<String>,
        content: impl Into<String>,
    ) -> AgentResource {
        AgentResource {
            id: id.into(),
            name: name.into(),
            content: content.into(),
            description: None,
            mime_type: None,
            metadata: None,
            other: Map::new(),
        }
    }
}
