use hooks_sdk::{core::Verdict, prelude::*};
use rmcp::{tool, tool_router};

macro_rules! policy {
    ($point:ident, $payload:ty, $path:literal, $number:literal) => {
        struct Policy;

        #[aos::hook($point, id = "free", tags($path))]
        async fn free(call: &$payload, _cx: &StepInfo) -> Verdict<$payload> {
            Verdict::Modify(call.clone())
        }

        #[tool_router]
        #[hooks_sdk::hooks]
        impl Policy {
            #[aos::hook($point, priority = $number)]
            async fn method(&self, call: &ToolCallRequest, _cx: &StepInfo) -> Verdict<$payload> {
                Verdict::Modify(call.clone())
            }

            #[tool(description = "Saves.")]
            #[aos::memory_store(content = $path)]
            async fn save(&self) -> String {
                String::new()
            }
        }
    };
}

policy!(tool_call_request, ToolCallRequest, "args.text", 5);

#[test]
fn is_accepted() {
    assert_eq!(Policy::tool_router().list_all().len(), 1);
    let registry = crate::collected::<Policy>(file!()).unwrap();
    assert_eq!(aos::problems(&registry), []);
    assert_eq!(registry.iter().len(), 3);
}
