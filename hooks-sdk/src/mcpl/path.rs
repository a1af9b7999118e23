//! The paths of capabilities, as a 0.5 host grants them.

use super::Position;

pub(super) const PUSH_EVENTS: &str = "pushEvents";
pub(super) const OBSERVE: &str = "contextHooks.beforeInference.observe";
pub(super) const INJECT_SYSTEM: &str = "contextHooks.beforeInference.inject.system";
pub(super) const INJECT_BEFORE_USER: &str = "contextHooks.beforeInference.inject.beforeUser";
pub(super) const INJECT_AFTER_USER: &str = "contextHooks.beforeInference.inject.afterUser";
pub(super) const INFERENCE_LIFECYCLE: &str = "inferenceLifecycle";
pub(super) const INFERENCE_REQUEST: &str = "inferenceRequest";
pub(super) const INFERENCE_STREAMING: &str = "inferenceRequest.streaming";
pub(super) const MODEL_INFO: &str = "modelInfo";
pub(super) const TOOLS: &str = "tools";
pub(super) const CHANNELS_REGISTER: &str = "channels.register";
pub(super) const CHANNELS_LIFECYCLE: &str = "channels.lifecycle";
pub(super) const CHANNELS_PUBLISH: &str = "channels.publish";
pub(super) const CHANNELS_INCOMING: &str = "channels.incoming";
pub(super) const CHANNELS_ACKNOWLEDGE: &str = "channels.acknowledge";
pub(super) const CHANNELS_TYPING: &str = "channels.typing";

/// Everything for which `context/beforeInference` is worth answering.
pub(super) const BEFORE_INFERENCE: [&str; 4] = [
    OBSERVE,
    INJECT_SYSTEM,
    INJECT_BEFORE_USER,
    INJECT_AFTER_USER,
];

/// The path that allows injections at a position.
pub(super) fn inject(position: Position) -> &'static str {
    match position {
        Position::System => INJECT_SYSTEM,
        Position::BeforeUser => INJECT_BEFORE_USER,
        Position::AfterUser => INJECT_AFTER_USER,
    }
}
