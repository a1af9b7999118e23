//! A redaction is never dropped by a later error. `cpex` before 0.2.3 dropped it in silence.

use hooks_sdk::{
    core::{HookError, Posture},
    plugin::{
        Chain, Contexts, Decision, End, GlobalContext, Outcome, PluginHook, PluginMode, ToolResult,
        point,
    },
};
use serde_json::json;

const SECRET: &str = "the key is sk-live-4242";

fn redacting() -> PluginHook {
    PluginHook::answering_any(
        "redact",
        point::tool_post_invoke,
        |answer: &ToolResult, _| {
            let answer = with(answer, "the key is [redacted]");
            Box::pin(async move { Outcome::modify(answer) })
        },
    )
}

/// The same answer with another result.
fn with(answer: &ToolResult, result: &str) -> ToolResult {
    let mut answer = answer.clone();
    answer.result = json!(result);
    answer
}

type Answer = Result<Outcome<ToolResult>, HookError>;

fn after(answer: impl Fn(&ToolResult) -> Answer + Send + Sync + 'static) -> PluginHook {
    PluginHook::answering_any("after", point::tool_post_invoke, move |it, _| {
        let answer = answer(it);
        Box::pin(async move { answer })
    })
}

fn hanging() -> PluginHook {
    PluginHook::answering_any("after", point::tool_post_invoke, |_, _| {
        Box::pin(std::future::pending::<()>())
    })
}

/// Hooks that go wrong after the redaction, each in its own way.
fn troubles() -> Vec<PluginHook> {
    let original = |answer: &ToolResult| with(answer, SECRET);
    vec![
        after(|_| Err(HookError::new("down"))),
        after(|_| panic!("a bug")),
        hanging(),
        // A change of what it may not change is dropped, and is no way back.
        after(move |answer| Ok(Outcome::modify(original(answer)))).writable(&["name"]),
        after(|_| Err(HookError::new("down"))).mode(PluginMode::Concurrent),
        after(move |answer| Ok(Outcome::modify(original(answer)))).mode(PluginMode::Concurrent),
        after(move |answer| Ok(Outcome::modify(original(answer)))).mode(PluginMode::Audit),
        after(|_| Err(HookError::new("down"))).mode(PluginMode::FireAndForget),
    ]
}

/// A hook whose change is over the limit, which is no failure.
fn oversized() -> PluginHook {
    after(|answer| Ok(Outcome::modify(with(answer, &"x".repeat(1_000_001)))))
}

async fn answered(after: PluginHook) -> (End, ToolResult, Contexts) {
    let chain = Chain::new([redacting(), after]);
    let mut contexts = Contexts::new(GlobalContext::new("1")).recording();
    let mut answer = ToolResult::default();
    answer.result = json!(SECRET);
    let ran = chain
        .run(point::tool_post_invoke, &mut answer, &mut contexts)
        .await;
    (ran.end, answer, contexts)
}

#[tokio::test(start_paused = true)]
async fn a_later_error_that_is_ignored_leaves_the_redaction() {
    for (at, trouble) in troubles().into_iter().enumerate() {
        let (end, answer, contexts) = answered(trouble.posture(Posture::Proceed)).await;
        assert!(matches!(end, End::Allowed), "{at}: {end:?}");
        assert_eq!(answer.result, json!("the key is [redacted]"), "{at}");
        let steps = &contexts.record().steps;
        let what: Vec<_> = steps.iter().filter(|step| &*step.hook == "after").collect();
        assert!(!what.is_empty(), "{at}: in silence");
        assert!(
            steps.iter().any(|step| step.decision == Decision::Modified),
            "{at}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_later_error_that_stops_never_gives_the_original_back() {
    let too_large = [oversized(), oversized().posture(Posture::Proceed)];
    for (at, trouble) in troubles().into_iter().chain(too_large).enumerate() {
        let (_, answer, _) = answered(trouble).await;
        assert_eq!(answer.result, json!("the key is [redacted]"), "{at}");
    }
}
