//! Agents: who they are, and what they have.

use serde_json::{Map, Value};

use super::{Organization, object::objects};
use hooks_core::internal::setters;

objects! {
    /// An agent, or the server that is observed.
    pub struct Agent {
        /// The agent's id.
        pub id: String,
        /// The agent's name.
        pub name: String,
        /// The instructions that the agent works by.
        pub instructions: String = String::new(),
        /// The agent's version.
        pub version: String = String::new(),
        /// Who offers the agent.
        pub provider: AgentProvider = AgentProvider::new("", ""),
        /// What the agent does.
        pub description?: String,
        /// The model that the agent uses.
        pub model?: AgentModel,
        /// The tools that the agent has.
        pub tools?: Vec<AgentTool>,
        /// The MCP servers that the agent uses.
        pub mcp_servers?: Vec<AgentMcpServer>,
        /// The resources that the agent has.
        pub resources?: Vec<AgentResource>,
        /// The organization that the agent belongs to.
        pub organization?: Organization,
        pub metadata,
    }

    /// Makes an agent. An observed server's own instructions and version are used where none are set; the provider has to
    /// be set.
    pub fn new(id: impl Into<String>, name: impl Into<String>);

    /// Who offers an agent.
    pub struct AgentProvider {
        /// The provider's name.
        pub name: String,
        /// Where the provider is found.
        pub url: String,
    }

    /// Makes a provider.
    pub fn new(name: impl Into<String>, url: impl Into<String>);

    /// The model that an agent uses.
    pub struct AgentModel {
        /// The model's id.
        pub id: String,
        /// The model's name.
        pub name: String,
        /// Who offers the model.
        pub provider: ModelProvider,
        /// What the model is for: `chat`, `completion` or `embedding`.
        #[serde(rename = "type")]
        pub kind?: String,
        /// The most tokens of one answer.
        pub max_tokens?: u64,
        /// The most tokens of one prompt.
        pub context_window?: u64,
        /// The texts at which the model stops.
        pub stop_sequences?: Vec<String>,
        /// What the agent asks of the model by default.
        pub default_params?: Map<String, Value>,
        pub metadata,
    }

    /// Makes a model of which only what is required is known.
    pub fn new(id: impl Into<String>, name: impl Into<String>, provider: ModelProvider);

    /// Who offers a model.
    pub struct ModelProvider {
        /// The provider's name.
        pub name: String,
    }

    /// Makes a provider.
    pub fn new(name: impl Into<String>);

    /// An MCP server that an agent uses.
    pub struct AgentMcpServer {
        /// The server's name.
        pub name: String,
        /// The server's version.
        pub version: String,
        pub metadata,
    }

    /// Makes a server.
    pub fn new(name: impl Into<String>, version: impl Into<String>);

    /// A tool that an agent has.
    pub struct AgentTool {
        /// The tool's id.
        pub id: String,
        /// The tool's name.
        pub name: String,
        /// The kind of tool.
        #[serde(rename = "type")]
        pub kind: String,
        /// What the tool does.
        pub description?: String,
        /// What the tool takes; `null` if nothing is known of it.
        #[serde(deserialize_with = "Option::deserialize")]
        pub arguments: Option<Vec<AgentToolArgument>> = None,
        /// What the tool answers with; `null` if nothing is known of it.
        #[serde(deserialize_with = "Option::deserialize")]
        pub outputs: Option<Vec<AgentToolArgument>> = None,
        pub metadata,
    }

    /// Makes a tool of whose arguments and answers nothing is known.
    pub fn new(id: impl Into<String>, name: impl Into<String>, kind: impl Into<String>);

    /// One argument of a tool, or one part of its answer.
    pub struct AgentToolArgument {
        /// The argument's name.
        pub name: String,
        /// Whether a call has to have it.
        pub required: bool,
        /// The argument's id.
        pub id?: String,
        /// What the argument means.
        pub description?: String,
        /// The kind of value: `string`, `number`, `boolean`, `object`, `array` or `null`.
        #[serde(rename = "type")]
        pub kind?: String,
        /// The media type of the value.
        pub mime_type?: String,
        pub metadata,
    }

    /// Makes an argument of which only what is required is known.
    pub fn new(name: impl Into<String>, required: bool);

    /// A resource that an agent has.
    pub struct AgentResource {
        /// The resource's id.
        pub id: String,
        /// The resource's name.
        pub name: String,
        /// The content of the resource.
        pub content: String,
        /// What the resource is.
        pub description?: String,
        /// The media type of the content.
        pub mime_type?: String,
        pub metadata,
    }

    /// Makes a resource of which only what is required is known.
    pub fn new(id: impl Into<String>, name: impl Into<String>, content: impl Into<String>);
}

impl Agent {
    setters! {
        /// Sets who offers the agent, and where the provider is found.
        fn provider(mut self, name: impl Into<String>, url: impl Into<String>) {
            self.provider = AgentProvider::new(name, url);
        }

        /// Sets what the agent is told to do.
        fn instructions(mut self, instructions: impl Into<String>) { self.instructions = instructions.into() }

        /// Sets the agent's version.
        fn version(mut self, version: impl Into<String>) { self.version = version.into() }
    }
}
