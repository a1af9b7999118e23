//! MCP Live: a server that takes part in inferences, reports events, asks for inferences and has channels.
//!
//! What stands here are the nouns of the wire, for MCPL 0.4.1 and the 0.5 draft. Decoding is open: members
//! and words that the document does not define are kept, so that what was decoded is encoded as it came.

mod answer;
mod answering;
mod call;
pub mod capability;
mod channel;
pub mod check;
mod checkpoints;
mod content;
mod context;
mod cx;
mod derived;
mod dispatch;
pub mod error;
mod feature_set;
mod feature_sets;
mod grant;
mod hook;
mod host;
mod incoming;
mod inference;
mod injection;
mod lane;
mod link;
pub mod manifest;
mod media;
pub mod method;
mod model;
mod path;
pub mod point;
mod policy;
pub mod position;
mod presence;
mod problems;
mod push;
mod receipt;
mod receive;
mod registered;
mod rule;
mod scope;
mod send_error;
pub mod sender;
mod settings;
mod state;
pub mod tag;
mod tool_call;
mod traffic;
mod turn;
mod version;
mod wire;
mod wrapped;

pub use crate::core::on_failure;
pub use answer::Answer;
pub use call::{Call, Leave, LeaveBy};
pub use capability::{McplHost, McplServer};
pub use channel::{ChannelDescriptor, ChannelsChanged, ChannelsList, ChannelsRegister, Direction};
pub use checkpoints::{CheckpointError, Checkpoints, Given, Json, RollbackError, State, Working};
pub use content::{BlockError, Content, ContentBlock};
pub use context::{
    AfterInference, AfterInferenceResult, BeforeInference, BeforeInferenceResult, ChannelContext,
    ChannelRef, IncomingRef, InferenceLifecycle, Modified, Phase,
};
pub(crate) use cx::Work;
pub use cx::{Context, Enabled};
pub use derived::{Derived, DerivedSet};
pub(crate) use dispatch::Answered;
pub use error::ErrorObject;
pub use feature_set::{Definition, FeatureSet, Scoped, Sends};
pub use feature_sets::{FeatureSetDeclaration, FeatureSetsChanged, FeatureSetsUpdate, uses};
pub use hook::{Hook, Tool};
pub use host::{FeatureSetChange, Host, InferenceStream};
pub use incoming::{Author, ChannelsIncoming, IncomingMessage, IncomingResult, IncomingResults};
pub use inference::{
    FinishReason, Inference, InferenceChunk, InferenceRequest, InferenceResult, Message,
    Preferences, Role,
};
pub use injection::{Injection, Position};
pub use json_patch::PatchOperation;
pub(crate) use link::Link;
pub use manifest::ManifestError;
pub use media::Media;
pub use model::{CurrentModel, ModelInfo, Usage};
pub use point::{At, McplPoint};
pub use presence::{Acknowledge, Acknowledged, Typing, TypingOp};
pub use problems::problems;
pub use push::{EventId, Push, PushEvent, PushEventResult, PushPayload, Pushed, Refusal};
pub use receipt::{Domain, Fallback, ManifestChanged, Mode, Receipt, UnavailableFeature};
#[doc(hidden)]
pub use receive::{Receive, Surround};
pub use registered::{ChannelResult, Registered};
pub use scope::{Elevation, Scope, ScopeElevate, ScopeLists};
pub use send_error::SendError;
pub use sender::Sender;
pub use settings::Settings;
pub use state::{DataAndPatch, RollbackRequest, RollbackResult, StateChange, StateUpdate};
pub use tag::{NoTag, Tag};
pub use tool_call::{ToolCallParams, ToolCallResult};
pub use traffic::{
    ChannelClosed, ChannelOpened, ChannelsClose, ChannelsOpen, OutgoingChunk, OutgoingComplete,
    Publish, Published,
};
pub(crate) use turn::Turn;
pub use version::Version;
pub(crate) use wire::{Chunks, Outgoing, Wire, WireError};
pub use wrapped::{shielded, wrapped};

#[doc(hidden)]
pub use hooks_macros::{mcpl_feature_set as feature_set, mcpl_hook as hook, mcpl_tool as tool};
