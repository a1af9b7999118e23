//! The types that a hook's function may take after the policy.

use super::{AosPoint, StepInfo};
use hooks_core::internal::receives;

receives! {
    AosInput at AosPoint, IsAosInput: "not this point's payload",
        "each point has its own payload: `tool_call_request` hooks receive `&ToolCallRequest`, and so on";
    AosSurround of StepInfo by &: "hooks do not receive `{Self}` behind their payload",
        "behind the payload they receive `&StepInfo`";
}
