//! The objects of the document: what travels between an observed agent and its guardian.

/// Defines objects of the document. An optional member may be absent, but not `null`.
macro_rules! objects {
    ($($objects:tt)+) => { ::hooks_core::internal::objects! { [strict] $($objects)+ } };
}

mod agent;
mod answer;
mod context;
mod error;
mod knowledge;
mod message;
mod method;
mod payload;
mod ping;
mod plain;
mod present;
mod protocol;
mod request;
mod request_id;
mod response;
mod stand_in;
mod tool;
mod trigger;

#[cfg(feature = "guardian-client")]
pub(super) use self::answer::read_envelope;
pub use self::{
    agent::{
        Agent, AgentMcpServer, AgentModel, AgentProvider, AgentResource, AgentTool,
        AgentToolArgument, ModelProvider,
    },
    answer::NoDecision,
    context::{AgentSession, Organization, StepContext, User},
    error::{AosError, Invalid},
    knowledge::{KnowledgeResult, KnowledgeStep, Memory},
    message::{
        DataPart, FileContent, FilePart, FileSource, MessageStep, Part, SiteSource, Source,
        StepMessage, StepRole, TextPart,
    },
    method::Method,
    payload::{AosPayload, StepPayload},
    ping::{Ping, PingReply, PingStatus},
    protocol::{A2aContext, A2aMessage, A2aPeer, McpMessage},
    request::{AosRequest, BadRequest, Received},
    request_id::RequestId,
    response::{AosDecision, AosResponse},
    tool::{CompletedToolCall, ToolCallRequest, ToolInput, ToolOutput},
    trigger::{AgentTrigger, TriggerEvent, TriggerKind},
};
pub(super) use self::{
    protocol::is_message,
    response::{Envelope, Outcome},
};
