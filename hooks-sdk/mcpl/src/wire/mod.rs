//! The objects of the protocol's document, in both versions: what travels between a server and its host.

/// Defines objects of the document. A host may send `null` for each optional member.
macro_rules! objects {
    ($($objects:tt)+) => { ::hooks_core::internal::objects! { [lenient] $($objects)+ } };
}

pub mod capability;
mod channel;
mod content;
mod context;
pub mod error;
mod feature_set;
mod incoming;
mod inference;
pub mod manifest;
pub mod method;
mod model;
#[doc(hidden)]
pub mod path;
mod push;
mod receipt;
mod scope;
mod state;
pub mod tag;
mod traffic;
mod version;

pub use capability::{McplHostCapabilities, McplServerCapabilities};
pub use channel::{
    ChannelDescriptor, ChannelResult, ChannelsChanged, ChannelsList, ChannelsRegister, Direction,
    Registered,
};
pub use content::{BlockError, Content, ContentBlock, Media};
pub use context::{
    AfterInference, AfterInferenceResult, BeforeInference, BeforeInferenceResult, ChannelContext,
    ChannelRef, IncomingRef, InferenceLifecycle, Injection, Modified, Phase, Position,
};
pub use error::ErrorObject;
pub use feature_set::{FeatureSetDeclaration, FeatureSetsChanged, FeatureSetsUpdate, uses};
pub use incoming::{Author, ChannelsIncoming, IncomingMessage, IncomingResult, IncomingResults};
pub use inference::{
    FinishReason, Inference, InferenceChunk, InferenceRequest, InferenceResult, Message,
    Preferences, Role,
};
pub use json_patch::PatchOperation;
pub use manifest::ManifestError;
pub use model::{CurrentModel, ModelInfo, Usage};
pub use push::{EventId, Push, PushEvent, PushEventResult, PushPayload, PushRefusal, Pushed};
pub use receipt::{
    AcceptedReceipt, Domain, Fallback, ManifestChanged, Mode, Receipt, RefusedReceipt,
    UnavailableFeature,
};
pub use scope::{Elevation, Scope, ScopeElevate, ScopeLists};
pub use state::{
    DataAndPatch, RollbackRequest, RollbackResult, StateChange, StateUpdate, ToolCallParams,
    ToolCallResult,
};
pub use tag::{NoTag, Tag};
pub use traffic::*;
pub use version::Version;
