//! The objects of the document: what travels between an observed agent and its guardian.

mod a2a;
mod agent;
mod agent_tool;
mod answer;
mod context;
mod error;
mod knowledge;
mod mcp;
mod memory;
mod message;
mod method;
mod part;
mod payload;
mod ping;
mod present;
mod request;
mod request_id;
mod response;
mod stand_in;
mod tool;
mod trigger;

#[cfg(feature = "observed")]
pub(super) use self::answer::read_envelope;
pub use self::{
    a2a::{A2aContext, A2aMessage, A2aPeer},
    agent::{Agent, AgentMcpServer, AgentModel, AgentProvider, ModelProvider},
    agent_tool::{AgentResource, AgentTool, AgentToolArgument},
    answer::NoDecision,
    context::{AgentSession, Organization, StepContext, User},
    error::{AosError, Invalid},
    knowledge::{KnowledgeResult, KnowledgeStep},
    mcp::McpMessage,
    memory::Memory,
    message::{FileSource, MessageStep, SiteSource, Source, StepMessage, StepRole},
    method::Method,
    part::{DataPart, FileContent, FilePart, Part, TextPart},
    payload::{AosPayload, StepPayload},
    ping::{Ping, PingReply, PingStatus},
    request::{AosRequest, BadRequest, Received},
    request_id::RequestId,
    response::{AosDecision, AosResponse},
    tool::{CompletedToolCall, ToolCallRequest, ToolInput, ToolOutput},
    trigger::{AgentTrigger, TriggerEvent, TriggerKind},
};
pub(super) use self::{mcp::is_message, response::Envelope};
