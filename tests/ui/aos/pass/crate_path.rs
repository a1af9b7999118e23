use hooks_sdk as sdk;

mod re_exports {
    pub use ::hooks_sdk as inner;
}

use re_exports::inner::{aos, core::Verdict};

struct Policy;

#[aos::hook(
    tool_call_request,
    tags("a"),
    deadline = "1s",
    crate = crate::crate_path::re_exports::inner
)]
async fn check(
    _policy: &Policy,
    _call: &aos::ToolCallRequest,
    _cx: &aos::StepInfo,
) -> Verdict<aos::ToolCallRequest> {
    Verdict::Allow
}

#[sdk::hooks]
impl Policy {
    #[aos::memory_store(content = "args.text", crate = re_exports::inner)]
    #[aos::knowledge(query = "args.q", crate = crate::crate_path::re_exports::inner)]
    #[rmcp::tool(description = "Saves.")]
    async fn save(&self) -> String {
        String::new()
    }
}

#[test]
fn is_accepted() {
    _ = Policy::save_tool_attr();
    assert_eq!(crate::collected::<Policy>(file!()).unwrap().iter().len(), 3);
}
