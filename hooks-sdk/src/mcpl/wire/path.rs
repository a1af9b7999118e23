//! The paths of capabilities, as a 0.5 host grants them.

use super::Position;

pub(in crate::mcpl) const PUSH_EVENTS: &str = "pushEvents";
pub(in crate::mcpl) const OBSERVE: &str = "contextHooks.beforeInference.observe";
pub(in crate::mcpl) const INJECT_SYSTEM: &str = "contextHooks.beforeInference.inject.system";
pub(in crate::mcpl) const INJECT_BEFORE_USER: &str =
    "contextHooks.beforeInference.inject.beforeUser";
pub(in crate::mcpl) const INJECT_AFTER_USER: &str = "contextHooks.beforeInference.inject.afterUser";
pub(in crate::mcpl) const INFERENCE_LIFECYCLE: &str = "inferenceLifecycle";
pub(in crate::mcpl) const INFERENCE_REQUEST: &str = "inferenceRequest";
pub(in crate::mcpl) const INFERENCE_STREAMING: &str = "inferenceRequest.streaming";
pub(in crate::mcpl) const MODEL_INFO: &str = "modelInfo";
pub(in crate::mcpl) const TOOLS: &str = "tools";
pub(in crate::mcpl) const CHANNELS_REGISTER: &str = "channels.register";
pub(in crate::mcpl) const CHANNELS_LIFECYCLE: &str = "channels.lifecycle";
pub(in crate::mcpl) const CHANNELS_PUBLISH: &str = "channels.publish";
pub(in crate::mcpl) const CHANNELS_INCOMING: &str = "channels.incoming";
pub(in crate::mcpl) const CHANNELS_ACKNOWLEDGE: &str = "channels.acknowledge";
pub(in crate::mcpl) const CHANNELS_TYPING: &str = "channels.typing";

/// Everything for which `context/beforeInference` is worth answering.
pub(in crate::mcpl) const BEFORE_INFERENCE: [&str; 4] = [
    OBSERVE,
    INJECT_SYSTEM,
    INJECT_BEFORE_USER,
    INJECT_AFTER_USER,
];

/// The path that allows injections at a position.
pub(in crate::mcpl) fn inject(position: Position) -> &'static str {
    match position {
        Position::System => INJECT_SYSTEM,
        Position::BeforeUser => INJECT_BEFORE_USER,
        Position::AfterUser => INJECT_AFTER_USER,
    }
}
