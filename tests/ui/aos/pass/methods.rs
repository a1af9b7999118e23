use hooks_sdk::{
    aos::{Memory, StepInfo},
    core::{HookError, Verdict},
    prelude::*,
};

struct Policy;

#[hooks_sdk::hooks]
impl Policy {
    #[aos::hook(memory_store)]
    #[aos::hook(memory_context_retrieval, priority = 5)]
    #[cfg_attr(any(), aos::hook(system_message))]
    async fn both(&self, memory: &Memory) -> Verdict<Memory> {
        Verdict::Modify(memory.clone())
    }

    #[aos::hook(tool_call_request, priority = 10)]
    async fn check<'t>(
        &'t self,
        call: &'t ToolCallRequest,
        cx: &StepInfo,
    ) -> Result<Verdict<ToolCallRequest>, Self> {
        _ = call;
        if cx.context().is_none() {
            Err(Policy)
        } else {
            Ok(Verdict::Allow)
        }
    }

    #[aos::hook(tool_call_request)]
    async fn context(&self, cx: &StepInfo) -> Verdict<ToolCallRequest> {
        _ = cx.reasoning();
        Verdict::Allow
    }

    fn _other(&self) {}
}

impl From<Policy> for HookError {
    fn from(_: Policy) -> Self {
        Self::new("nobody says where")
    }
}

#[test]
fn is_accepted() {
    let registry = crate::collected::<Policy>(file!()).unwrap();
    assert_eq!(aos::problems(&registry), []);
    for id in [
        "aos:memory_store:both",
        "aos:memory_context_retrieval:both",
        "aos:tool_call_request:check",
        "aos:tool_call_request:context",
    ] {
        assert!(registry.get(id).is_some(), "{id}");
    }
    assert_eq!(registry.iter().len(), 4);
}
