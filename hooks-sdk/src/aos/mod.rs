//! AOS: an observed server asks a guardian about each of its steps, and the guardian allows, denies or changes it.

mod posture;
pub mod wire;

pub use self::{
    posture::Posture,
    wire::{
        A2aContext, A2aMessage, A2aPeer, Agent, AgentMcpServer, AgentModel, AgentProvider,
        AgentResource, AgentSession, AgentTool, AgentToolArgument, AgentTrigger, AosDecision,
        AosError, AosPayload, AosRequest, AosResponse, BadRequest, CompletedToolCall, DataPart,
        FileContent, FilePart, FileSource, Invalid, KnowledgeResult, KnowledgeStep, McpMessage,
        Memory, MessageStep, Method, ModelProvider, NoDecision, Organization, Part, Ping,
        PingStatus, Pinged, Received, RequestId, SiteSource, Source, StepContext, StepMessage,
        StepPayload, StepRole, TextPart, ToolCallRequest, ToolInput, ToolOutput, TriggerEvent,
        TriggerKind, User,
    },
};
