//! AOS: an observed server asks a guardian about each of its steps, and the guardian allows, denies or changes it.
//!
//! Authors of servers use `hooks_sdk::aos`, which adds the attributes.

#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "guardian-server")]
mod endpoint;
mod guardian;
mod hook;
mod observed;
pub mod point;
mod problems;
mod receive;
mod reply;
mod step_info;
mod tool_step;
mod trace;
pub mod wire;

/// Not public API: what `hooks-sdk` uses of this crate. It shares its version.
#[doc(hidden)]
pub mod internal {
    #[cfg(feature = "guardian-server")]
    pub use crate::endpoint::Endpoint;
    pub use crate::{
        problems::problems_of,
        trace::{session, turn},
    };
}
#[cfg(feature = "guardian-server")]
pub use self::endpoint::GuardianServer;
#[doc(hidden)]
pub use self::receive::{AosInput, AosSurround, IsAosInput};
pub use self::{
    guardian::{DecisionOutcome, DecisionRecord, Guardian, GuardianFailure, Transported},
    hook::{AosHook, DEADLINE, PRIORITY},
    observed::{
        Bypass, Denied, FailureClass, GuardedCall, GuardedStep, GuardianClient, GuardianCounts,
        HasPosture, Messages, MissingDecision, StepIds, StepOutcome, Unaskable, Unseen,
    },
    point::{AosAt, AosPoint},
    problems::problems,
    reply::{GuardianAnswer, Reply, ReplyWords},
    step_info::StepInfo,
    tool_step::{ToolStep, ToolStepKind},
    wire::{
        A2aContext, A2aMessage, A2aPeer, Agent, AgentMcpServer, AgentModel, AgentProvider,
        AgentResource, AgentSession, AgentTool, AgentToolArgument, AgentTrigger, AosDecision,
        AosError, AosPayload, AosRequest, AosResponse, BadRequest, CompletedToolCall, DataPart,
        FileContent, FilePart, FileSource, Invalid, KnowledgeResult, KnowledgeStep, McpMessage,
        Memory, MessageStep, Method, ModelProvider, NoDecision, Organization, Part, Ping,
        PingReply, PingStatus, Received, RequestId, SiteSource, Source, StepContext, StepMessage,
        StepPayload, StepRole, TextPart, ToolCallRequest, ToolInput, ToolOutput, TriggerEvent,
        TriggerKind, User,
    },
};

pub use hooks_core::Posture;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
