//! What a guardian costs: decisions by bytes, and a local decision over the policy itself.

use std::{convert::Infallible, hint::black_box};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use futures::FutureExt;
use hooks_sdk::{
    aos::{
        Agent, AosAt, AosHook, AosRequest, Guardian, Method, StepContext, StepInfo,
        ToolCallRequest, ToolInput, Transported, point,
    },
    core::{Registry, Verdict, Violation},
};
use serde_json::json;

/// The policy, as a plain function.
fn forbidden(call: &ToolCallRequest) -> bool {
    call.tool_id == "shell" || call.inputs.iter().any(|it| it.value == "secret")
}

fn denies() -> AosHook {
    AosHook::answering_any("denies", point::tool_call_request, |call, _| {
        Box::pin(async move {
            if forbidden(call) {
                return Verdict::<Infallible>::Deny(Violation::new("not here"));
            }
            Verdict::Allow
        })
    })
}

fn redacts() -> AosHook {
    AosHook::answering_any("redacts", point::tool_call_request, |call, _| {
        Box::pin(async move {
            let mut call = ToolCallRequest::clone(call);
            for input in &mut call.inputs {
                input.value = json!("[REDACTED]");
            }
            Verdict::Modify(call)
        })
    })
}

fn guardian(hook: AosHook) -> Guardian {
    let registry = Registry::builder().add(hook.into()).build();
    Guardian::with((), registry.expect("one hook"))
}

fn call() -> ToolCallRequest {
    let inputs = ["to", "text"].map(|name| ToolInput::new(name, json!("of no interest")));
    ToolCallRequest::new("execution", "send_sms", inputs.into())
}

fn context() -> StepContext {
    let agent = Agent::new("agent", "Personal assistant")
        .instructions("You manage my mailbox.")
        .version("1")
        .provider("Example", "https://provider.example");
    StepContext::new(agent, "session", "turn", "step")
}

fn by_bytes(criterion: &mut Criterion) {
    let request = AosRequest::new("id", Method::ToolCallRequest, call())
        .context(context())
        .reasoning("The user has to know.");
    let body = serde_json::to_vec(&request).expect("a request is JSON");
    let mut group = criterion.benchmark_group("aos/bytes");
    group.throughput(Throughput::Elements(1));
    for (name, hook) in [("allow", denies()), ("modify", redacts())] {
        let guardian = guardian(hook);
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let answered = guardian.answer(black_box(&body), Transported::default());
                answered.now_or_never()
            });
        });
    }
    group.finish();
}

fn local(criterion: &mut Criterion) {
    let call = call();
    let asked = StepInfo::new(AosAt::ToolCallRequest).with_context(context());
    let mut group = criterion.benchmark_group("aos/local");
    group.bench_function("policy", |bencher| {
        bencher.iter(|| forbidden(black_box(&call)));
    });
    let guardian = guardian(denies());
    group.bench_function("guardian", |bencher| {
        bencher.iter(|| {
            let decided = guardian.decide::<point::tool_call_request>(black_box(&call), &asked);
            decided.now_or_never().is_some_and(|it| it.is_ok())
        });
    });
    group.finish();
}

criterion_group!(benches, by_bytes, local);
criterion_main!(benches);
