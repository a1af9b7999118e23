//! Any JSON is read or refused by every type of MCPL, and what was read is written so that it reads the same.

use std::fmt::Debug;

use hooks_sdk::mcpl::{
    Acknowledge, Acknowledged, AfterInference, BeforeInference, ChannelsOpen, Elevation,
    ErrorObject, InferenceLifecycle, InferenceResult, ModelInfo, OutgoingComplete, Publish,
    RollbackRequest, Tag, Typing, Version,
    wire::{
        BeforeInferenceResult, ChannelsChanged, ChannelsIncoming, FeatureSetsChanged,
        FeatureSetsUpdate, IncomingResults, InferenceChunk, InferenceRequest, ManifestChanged,
        McplHostCapabilities, McplServerCapabilities, PushEvent, Receipt, Registered, ScopeElevate,
        StateUpdate, ToolCallParams, ToolCallResult, manifest,
    },
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, from_slice, from_value, to_value};

fn stable<T: DeserializeOwned + Serialize + Debug + PartialEq>(sent: &Value) {
    if let Ok(read) = from_value::<T>(sent.clone()) {
        let written = to_value(&read).expect("what was read can be written");
        assert_eq!(from_value::<T>(written).expect("and read again"), read);
    }
}

macro_rules! each {
    ($sent:expr; $($kind:ty),+ $(,)?) => { $(stable::<$kind>($sent);)+ };
}

/// Panics when a type reads what it wrote differently.
pub(crate) fn check(input: &[u8]) {
    let Ok(sent) = from_slice::<Value>(input) else {
        return;
    };
    let _ = Version::advertised(&sent);
    if let Ok(text) = manifest::canonical(&sent) {
        assert!(from_slice::<Value>(text.as_bytes()).is_ok(), "{text}");
    }
    each!(&sent;
        Acknowledge, Acknowledged, AfterInference, BeforeInference, BeforeInferenceResult,
        ChannelsChanged, ChannelsIncoming, ChannelsOpen, Elevation, ErrorObject, FeatureSetsChanged,
        FeatureSetsUpdate, IncomingResults, InferenceChunk, InferenceLifecycle, InferenceRequest,
        InferenceResult, ManifestChanged, McplHostCapabilities, McplServerCapabilities, ModelInfo, OutgoingComplete, Publish,
        PushEvent, Receipt, Registered, RollbackRequest, ScopeElevate, StateUpdate, Tag,
        ToolCallParams, ToolCallResult, Typing,
    );
}
