//! What a file with hooks usually needs: `use hooks_sdk::prelude::*;`.

#[cfg(feature = "guardian-local")]
pub use crate::aos::{self, StepInfo, ToolCallRequest};
pub use crate::core::{Verdict, Violation};
pub use crate::guidance::{self, Firing};
pub use crate::lifecycle::{
    self,
    event::{PostRequest, PostToolUse, PreRequest, PreToolUse, SessionEnd, SessionStart},
};
#[cfg(feature = "mcpl")]
pub use crate::mcpl::{self, AfterInference, BeforeInference, Injection, Position};
#[cfg(feature = "server")]
pub use crate::server::{
    Guidance, GuidanceContext, ServiceExt, Sessions, WithHooks, collect, stdio,
};
pub use crate::session::SessionState;
// The module, and the attribute of the same name.
#[cfg(feature = "policy-engine")]
pub use crate::{
    plugin,
    plugin::{PluginContext, Question, ToolCall, ToolResult},
};
