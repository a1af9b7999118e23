//! Agents: who they are, and what they have.

use serde_json::{Map, Value};

use super::Organization;
use hooks_core::internal::setters;

objects! {
    /// An agent, or the server that is observed.
    pub struct Agent {
        /// The agent's id.
        id: String,
        /// The agent's name.
        name: String,
        /// The instructions that the agent works by.
        instructions: String = String::new(),
        /// The agent's version.
        version: String = String::new(),
        /// Who offers the agent.
        provider: AgentProvider = AgentProvider::new("", ""),
        /// What the agent does.
        description?: String,
        /// The model that the agent uses.
        model?: AgentModel,
        /// The tools that the agent has.
        tools?: Vec<AgentTool>,
        /// The MCP servers that the agent uses.
        mcp_servers?: Vec<AgentMcpServer>,
        /// The resources that the agent has.
        resources?: Vec<AgentResource>,
        /// The organization that the agent belongs to.
        organization?: Organization,
        metadata,

        /// Makes an agent. An observed server's own instructions and version are used where none are set; the provider has to
        /// be set.
        fn new(id: impl Into<String>, name: impl Into<String>);
    }

    /// Who offers an agent.
    pub struct AgentProvider {
        /// The provider's name.
        name: String,
        /// Where the provider is found.
        url: String,

        /// Makes a provider.
        fn new(name: impl Into<String>, url: impl Into<String>);
    }

    /// The model that an agent uses.
    pub struct AgentModel {
        /// The model's id.
        id: String,
        /// The model's name.
        name: String,
        /// Who offers the model.
        provider: ModelProvider,
        /// What the model is for: `chat`, `completion` or `embedding`.
        #[serde(rename = "type")]
        kind?: String,
        /// The most tokens of one answer.
        max_tokens?: u64,
        /// The most tokens of one prompt.
        context_window?: u64,
        /// The texts at which the model stops.
        stop_sequences?: Vec<String>,
        /// What the agent asks of the model by default.
        default_params?: Map<String, Value>,
        metadata,

        /// Makes a model of which only what is required is known.
        fn new(id: impl Into<String>, name: impl Into<String>, provider: ModelProvider);
    }

    /// Who offers a model.
    pub struct ModelProvider {
        /// The provider's name.
        name: String,

        /// Makes a provider.
        fn new(name: impl Into<String>);
    }

    /// An MCP server that an agent uses.
    pub struct AgentMcpServer {
        /// The server's name.
        name: String,
        /// The server's version.
        version: String,
        metadata,

        /// Makes a server.
        fn new(name: impl Into<String>, version: impl Into<String>);
    }

    /// A tool that an agent has.
    pub struct AgentTool {
        /// The tool's id.
        id: String,
        /// The tool's name.
        name: String,
        /// The kind of tool.
        #[serde(rename = "type")]
        kind: String,
        /// What the tool does.
        description?: String,
        /// What the tool takes; `null` if nothing is known of it.
        #[serde(deserialize_with = "Option::deserialize")]
        arguments: Option<Vec<AgentToolArgument>> = None,
        /// What the tool answers with; `null` if nothing is known of it.
        #[serde(deserialize_with = "Option::deserialize")]
        outputs: Option<Vec<AgentToolArgument>> = None,
        metadata,

        /// Makes a tool of whose arguments and answers nothing is known.
        fn new(id: impl Into<String>, name: impl Into<String>, kind: impl Into<String>);
    }

    /// One argument of a tool, or one part of its answer.
    pub struct AgentToolArgument {
        /// The argument's name.
        name: String,
        /// Whether a call has to have it.
        required: bool,
        /// The argument's id.
        id?: String,
        /// What the argument means.
        description?: String,
        /// The kind of value: `string`, `number`, `boolean`, `object`, `array` or `null`.
        #[serde(rename = "type")]
        kind?: String,
        /// The media type of the value.
        mime_type?: String,
        metadata,

        /// Makes an argument of which only what is required is known.
        fn new(name: impl Into<String>, required: bool);
    }

    /// A resource that an agent has.
    pub struct AgentResource {
        /// The resource's id.
        id: String,
        /// The resource's name.
        name: String,
        /// The content of the resource.
        content: String,
        /// What the resource is.
        description?: String,
        /// The media type of the content.
        mime_type?: String,
        metadata,

        /// Makes a resource of which only what is required is known.
        fn new(id: impl Into<String>, name: impl Into<String>, content: impl Into<String>);
    }
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
