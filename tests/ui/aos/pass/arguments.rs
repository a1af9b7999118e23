use std::convert::Infallible;

use hooks_sdk::{core::Verdict, prelude::*};

struct Policy;

type Answer = Verdict<Infallible>;

#[aos::hook(tool_call_request)]
async fn nothing() -> Answer {
    Verdict::Allow
}

#[aos::hook(tool_call_request)]
async fn policy(_policy: &Policy) -> Answer {
    Verdict::Allow
}

#[aos::hook(tool_call_request)]
async fn payload(_call: &ToolCallRequest) -> Answer {
    Verdict::Allow
}

#[aos::hook(tool_call_request)]
async fn payload_by_its_path(_call: &hooks_sdk::aos::wire::ToolCallRequest) -> Answer {
    Verdict::Allow
}

#[aos::hook(tool_call_request)]
async fn context(_cx: &StepInfo) -> Answer {
    Verdict::Allow
}

#[aos::hook(tool_call_request)]
async fn payload_and_context(_call: &ToolCallRequest, _cx: &StepInfo) -> Answer {
    Verdict::Allow
}

#[aos::hook(tool_call_request)]
async fn policy_and_payload(_policy: &Policy, _call: &ToolCallRequest) -> Answer {
    Verdict::Allow
}

#[aos::hook(tool_call_request)]
async fn policy_and_context(_policy: &Policy, cx: &hooks_sdk::aos::StepInfo) -> Answer {
    assert!(cx.request_id().is_none());
    Verdict::Allow
}

#[aos::hook(tool_call_request)]
async fn everything<'a>(
    _policy: &'a Policy,
    _call: &'a ToolCallRequest,
    _cx: &'a StepInfo,
) -> Answer {
    Verdict::Allow
}

#[test]
fn is_accepted() {
    let registry = crate::collected::<Policy>(file!()).unwrap();
    assert_eq!(aos::problems(&registry), []);
    assert_eq!(registry.iter().len(), 9);
    let owned = |id: &str| {
        registry
            .get(&format!("aos:tool_call_request:{id}"))
            .unwrap()
            .owner()
    };
    for (id, of_policy) in [
        ("nothing", false),
        ("policy", true),
        ("payload", false),
        ("context", false),
        ("policy_and_context", true),
    ] {
        assert_eq!(owned(id).name().is_some(), of_policy, "{id}");
    }
}
