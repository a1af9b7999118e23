use std::convert::Infallible;

use hooks_sdk::{
    aos::{AosHook, ToolStep, point},
    core::{Registry, Verdict},
    prelude::*,
};

struct Policy<S>(S);

impl<S: Sync> Policy<S> {
    async fn check(&self, call: &ToolCallRequest) -> Verdict<ToolCallRequest> {
        _ = &self.0;
        Verdict::Modify(call.clone())
    }
}

fn hooks<S: Send + Sync + 'static>() -> Registry {
    let check = AosHook::answering(
        "check",
        point::tool_call_request,
        |policy: &Policy<S>, call, _| Box::pin(policy.check(call)),
    );
    let all = AosHook::answering_any("all", point::tasks_cancel, |_, _| {
        Box::pin(async { Verdict::<Infallible>::Allow })
    });
    Registry::builder()
        .add(check.priority(5).into())
        .add(all.tags(&["a2a"]).into())
        .add(ToolStep::memory_store::<Policy<S>>("save", "args.text").into())
        .build()
        .unwrap()
}

#[test]
fn is_accepted() {
    let registry = hooks::<u8>();
    assert_eq!(aos::problems(&registry), []);
    assert_eq!(registry.iter().len(), 3);
}
