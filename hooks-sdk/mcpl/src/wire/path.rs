//! The paths of capabilities, as a 0.5 host grants them.

use super::Position;

pub const OBSERVE: &str = "contextHooks.beforeInference.observe";
pub const INJECT_SYSTEM: &str = "contextHooks.beforeInference.inject.system";
pub const INJECT_BEFORE_USER: &str = "contextHooks.beforeInference.inject.beforeUser";
pub const INJECT_AFTER_USER: &str = "contextHooks.beforeInference.inject.afterUser";
pub const INFERENCE_LIFECYCLE: &str = "inferenceLifecycle";
pub const INFERENCE_STREAMING: &str = "inferenceRequest.streaming";
pub const TOOLS: &str = "tools";
pub const CHANNELS_LIFECYCLE: &str = "channels.lifecycle";
pub const CHANNELS_PUBLISH: &str = "channels.publish";

/// All capabilities that make it worth answering `context/beforeInference`.
pub const BEFORE_INFERENCE: [&str; 4] = [
    OBSERVE,
    INJECT_SYSTEM,
    INJECT_BEFORE_USER,
    INJECT_AFTER_USER,
];

/// Returns the capability that allows injections at a position.
pub fn inject(position: Position) -> &'static str {
    match position {
        Position::System => INJECT_SYSTEM,
        Position::BeforeUser => INJECT_BEFORE_USER,
        Position::AfterUser => INJECT_AFTER_USER,
    }
}

/// Whether a granted path covers `path`. A `*` matches exactly one segment, and a parent grants nothing beneath it.
pub fn covers(granted: &str, path: &str) -> bool {
    let mut segments = path.split('.');
    let all = granted.split('.').all(|wanted| {
        segments
            .next()
            .is_some_and(|segment| wanted == "*" || wanted == segment)
    });
    all && segments.next().is_none()
}
