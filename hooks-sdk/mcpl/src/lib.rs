//! MCP Live: a server that takes part in inferences, pushes events, requests inferences and has channels.
//!
//! Authors of servers use `hooks_sdk::mcpl`, which adds the attributes.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod answer;
mod answering;
pub mod checkpoints;
pub mod derived;
mod feature_set;
mod hook;
mod link;
pub mod point;
pub mod position;
mod problems;
mod receive;
#[cfg(feature = "rmcp")]
mod rmcp;
#[doc(hidden)]
pub mod rule;
pub mod sender;
pub mod wire;
mod wrapped;

pub use self::{
    answer::McplAnswer,
    checkpoints::{Checkpoints, Given, RollbackError},
    derived::Derived,
    feature_set::{Definition, FeatureSet, Scoped, Sends},
    hook::{McplHook, McplTool},
    link::{
        Call, Context, Enabled, FeatureSetChange, Host, InferenceStream, McplSettings,
        ScopeDecider, ScopeDecision, SendError,
    },
    point::McplPoint,
    problems::problems,
    wire::{
        Acknowledge, Acknowledged, AfterInference, Author, BeforeInference, ChannelDescriptor,
        ChannelsClose, ChannelsOpen, Content, ContentBlock, Direction, Elevation, ErrorObject,
        EventId, FinishReason, IncomingMessage, Inference, InferenceLifecycle, InferenceResult,
        Injection, Message, ModelInfo, Modified, OutgoingChunk, OutgoingComplete, Phase, Position,
        Preferences, Publish, Published, Push, PushRefusal, Pushed, Role, RollbackRequest, Scope,
        Tag, Typing, Usage, Version, tag,
    },
    wrapped::{shielded, wrapped},
};
pub use hooks_core::{Posture, posture};

use self::link::{ChunkSink, LaneTurn, Link, Outgoing, WireError};

/// This protocol's name in a [`Hook`](hooks_core::Hook).
const PROTOCOL: &str = "mcpl";

/// Not public API: what `hooks-sdk` uses of this crate. It shares its version.
#[doc(hidden)]
pub mod internal {
    pub use crate::link::{
        AfterSend, ChunkSink, DispatchedAnswer, HostInfo, HostPolicy, LAST_JOBS, LaneTurn, Link,
        Outgoing, Wire, WireError,
    };
}
#[doc(hidden)]
pub use self::receive::{IsMcplInput, McplInput, Surround};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
