//! The objects of the protocol's document, in both versions: what travels between a server and its host.

#[macro_use]
mod objects;

pub mod capability;
mod channel;
mod content;
mod context;
pub mod error;
mod feature_set;
mod incoming;
mod inference;
mod injection;
pub mod manifest;
mod media;
pub mod method;
mod model;
pub(super) mod path;
mod presence;
mod push;
mod receipt;
mod registered;
mod scope;
mod state;
pub mod tag;
mod tool_call;
mod traffic;
mod version;

pub use capability::{McplHostCapabilities, McplServerCapabilities};
pub use channel::{ChannelDescriptor, ChannelsChanged, ChannelsList, ChannelsRegister, Direction};
pub use content::{BlockError, Content, ContentBlock};
pub use context::{
    AfterInference, AfterInferenceResult, BeforeInference, BeforeInferenceResult, ChannelContext,
    ChannelRef, IncomingRef, InferenceLifecycle, Modified, Phase,
};
pub use error::ErrorObject;
pub use feature_set::{FeatureSetDeclaration, FeatureSetsChanged, FeatureSetsUpdate, uses};
pub use incoming::{Author, ChannelsIncoming, IncomingMessage, IncomingResult, IncomingResults};
pub use inference::{
    FinishReason, Inference, InferenceChunk, InferenceRequest, InferenceResult, Message,
    Preferences, Role,
};
pub use injection::{Injection, Position};
pub use json_patch::PatchOperation;
pub use manifest::ManifestError;
pub use media::Media;
pub use model::{CurrentModel, ModelInfo, Usage};
pub use presence::{Acknowledge, Acknowledged, Typing, TypingOp};
pub use push::{EventId, Push, PushEvent, PushEventResult, PushPayload, PushRefusal, Pushed};
pub use receipt::{Domain, Fallback, ManifestChanged, Mode, Receipt, UnavailableFeature};
pub use registered::{ChannelResult, Registered};
pub use scope::{Elevation, Scope, ScopeElevate, ScopeLists};
pub use state::{DataAndPatch, RollbackRequest, RollbackResult, StateChange, StateUpdate};
pub use tag::{NoTag, Tag};
pub use tool_call::{ToolCallParams, ToolCallResult};
pub use traffic::{
    ChannelClosed, ChannelOpened, ChannelsClose, ChannelsOpen, OutgoingChunk, OutgoingComplete,
    Publish, Published,
};
pub use version::Version;
