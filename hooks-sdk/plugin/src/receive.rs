//! The types that a hook's function may take after the server.

use super::{PluginContext, PluginPoint};
use hooks_core::internal::receives;

receives! {
    PluginInput at PluginPoint, IsPluginInput: "not this point's payload",
        "each point has its own payload: `tool_pre_invoke` hooks receive `&ToolCall`, and so on";
    PluginSurround of PluginContext by &mut: "hooks do not receive `{Self}` behind their payload",
        "behind the payload they receive `&mut PluginContext`";
}
