//! AOS: an observed server asks a guardian about each of its steps, and the guardian allows, denies or changes it.

mod asked;
#[doc(hidden)]
pub mod check;
mod guardian;
mod hook;
mod observed;
pub mod point;
mod posture;
mod problems;
mod receive;
mod reply;
mod rule;
mod tool_step;
pub mod wire;

pub(crate) use self::problems::problems_of;
#[doc(hidden)]
pub use self::receive::{AosInput, AosSurround, IsAosInput};
pub use self::{
    asked::Asked,
    guardian::{Decided, DecidedAs, Guardian, GuardianFailure, Transported},
    hook::{AosHook, DEADLINE, PRIORITY},
    observed::{
        Bypass, Denied, FailureClass, GuardedCall, GuardedStep, GuardianClient, GuardianCounts,
        Messages, Ruled, StepIds, Undecided, Unseen,
    },
    point::{AosAt, AosPoint},
    posture::Posture,
    problems::problems,
    reply::{GuardianAnswer, Reply, ReplyWords},
    tool_step::{ToolStep, ToolStepKind},
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

pub use hooks_macros::aos_hook as hook;

pub use hooks_macros::aos_memory_store as memory_store;

pub use hooks_macros::aos_memory_retrieval as memory_retrieval;

pub use hooks_macros::aos_knowledge as knowledge;
