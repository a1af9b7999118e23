use hooks_sdk::{
    core::{Registry, Verdict},
    prelude::*,
};

struct Policy;

#[aos::hook(tool_call_request)]
#[cfg(any())]
async fn never(_call: &Nothing) {}

#[hooks_sdk::hooks]
impl Policy {
    #[cfg(any())]
    #[aos::hook(tool_call_request)]
    async fn nor(&self, _call: &Nothing) {}

    #[cfg(not(any()))]
    #[aos::hook(tool_call_request)]
    async fn method(&self) -> Verdict<ToolCallRequest> {
        Verdict::Allow
    }
}

fn main() {
    let registry = Registry::collect::<Policy>().unwrap();
    assert_eq!(aos::problems(&registry), []);
    assert_eq!(registry.iter().len(), 1);
}
