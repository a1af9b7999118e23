//! Agents: who they are, and what they have.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    AgentResource, AgentTool, Organization,
    present::{metadata, present},
};

/// An agent, or the server that is observed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Agent {
    /// The agent's id.
    pub id: String,
    /// The agent's name.
    pub name: String,
    /// What the agent is told to do.
    pub instructions: String,
    /// The agent's version.
    pub version: String,
    /// Who offers the agent.
    pub provider: AgentProvider,
    /// What the agent does.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub description: Option<String>,
    /// The model that the agent uses.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub model: Option<AgentModel>,
    /// The tools that the agent has.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub tools: Option<Vec<AgentTool>>,
    /// The MCP servers that the agent uses.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub mcp_servers: Option<Vec<AgentMcpServer>>,
    /// The resources that the agent has.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub resources: Option<Vec<AgentResource>>,
    /// The organization that the agent belongs to.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub organization: Option<Organization>,
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

impl Agent {
    /// Makes an agent. An observed server's own instructions and version are used where none are set; the provider has to
    /// be set.
    pub fn new(id: impl Into<String>, name: impl Into<String>) -> Agent {
        Agent {
            id: id.into(),
            name: name.into(),
            instructions: String::new(),
            version: String::new(),
            provider: AgentProvider::new("", ""),
            description: None,
            model: None,
            tools: None,
            mcp_servers: None,
            resources: None,
            organization: None,
            metadata: None,
            other: Map::new(),
        }
    }

    /// Sets who offers the agent, and where the provider is found.
    #[must_use]
    pub fn provider(mut self, name: impl Into<String>, url: impl Into<String>) -> Agent {
        self.provider = AgentProvider::new(name, url);
        self
    }

    /// Sets what the agent is told to do.
    #[must_use]
    pub fn instructions(mut self, instructions: impl Into<String>) -> Agent {
        self.instructions = instructions.into();
        self
    }

    /// Sets the agent's version.
    #[must_use]
    pub fn version(mut self, version: impl Into<String>) -> Agent {
        self.version = version.into();
        self
    }
}

/// Who offers an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AgentProvider {
    /// The provider's name.
    pub name: String,
    /// Where the provider is found.
    pub url: String,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl AgentProvider {
    /// Makes a provider.
    pub fn new(name: impl Into<String>, url: impl Into<String>) -> AgentProvider {
        AgentProvider {
            name: name.into(),
            url: url.into(),
            other: Map::new(),
        }
    }
}

/// The model that an agent uses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AgentModel {
    /// The model's id.
    pub id: String,
    /// The model's name.
    pub name: String,
    /// Who offers the model.
    pub provider: ModelProvider,
    /// What the model is for: `chat`, `completion` or `embedding`.
    #[serde(rename = "type")]
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub kind: Option<String>,
    /// The most tokens of one answer.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub max_tokens: Option<u64>,
    /// The most tokens of one prompt.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub context_window: Option<u64>,
    /// The texts at which the model stops.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub stop_sequences: Option<Vec<String>>,
    /// What the agent asks of the model by default.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub default_params: Option<Map<String, Value>>,
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

impl AgentModel {
    /// Makes a model of which only what is required is known.
    pub fn new(
        id: impl Into<String>,
        name: impl Into<String>,
        provider: ModelProvider,
    ) -> AgentModel {
        AgentModel {
            id: id.into(),
            name: name.into(),
            provider,
            kind: None,
            max_tokens: None,
            context_window: None,
            stop_sequences: None,
            default_params: None,
            metadata: None,
            other: Map::new(),
        }
    }
}

/// Who offers a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ModelProvider {
    /// The provider's name.
    pub name: String,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl ModelProvider {
    /// Makes a provider.
    pub fn new(name: impl Into<String>) -> ModelProvider {
        ModelProvider {
            name: name.into(),
            other: Map::new(),
        }
    }
}

/// An MCP server that an agent uses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AgentMcpServer {
    /// The server's name.
    pub name: String,
    /// The server's version.
    pub version: String,
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

impl AgentMcpServer {
    /// Makes a server.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> AgentMcpServer {
        AgentMcpServer {
            name: name.into(),
            version: version.into(),
            metadata: None,
            other: Map::new(),
        }
    }
}
