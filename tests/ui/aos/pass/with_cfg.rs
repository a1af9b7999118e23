use hooks_sdk::{core::Verdict, prelude::*};

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

#[test]
fn is_accepted() {
    let registry = crate::collected::<Policy>(file!()).unwrap();
    assert_eq!(aos::problems(&registry), []);
    assert_eq!(registry.iter().len(), 1);
}
