//! Tests of the chain alone: what it records, which hooks run again, and what hooks of another version of a file have met.

use serde_json::json;

use super::*;
use crate::{
    AgentToolCall, Contexts, ElicitationResponse, Outcome, Payload, PluginCondition, PluginContext,
    PluginMode, ToolCall, Unread, point,
};
use hooks_core::{HookError, Posture};

const AT: point::tool_pre_invoke = point::tool_pre_invoke;

/// Makes a hook that answers at once.
fn hook(
    id: &'static str,
    answer: impl Fn(&ToolCall, &mut PluginContext) -> Outcome<ToolCall> + Send + Sync + 'static,
) -> PluginHook {
    PluginHook::answering_any::<_, Outcome<ToolCall>>(id, AT, move |call, cx| {
        let outcome = answer(call, cx);
        Box::pin(async move { outcome })
    })
}

fn allows(id: &'static str) -> PluginHook {
    hook(id, |_, _| Outcome::allow())
}

fn denies(id: &'static str) -> PluginHook {
    hook(id, |_, _| Outcome::deny(Violation::new("no")))
}

fn rule(id: &'static str) -> PluginHook {
    PluginHook::deny(id, AT, "no")
}

/// What a file says about the tools of a hook.
fn only(tool: &str) -> Vec<PluginCondition> {
    serde_json::from_value(json!([{ "tools": [tool] }])).unwrap()
}

fn call() -> ToolCall {
    ToolCall::new("delete", Map::new())
}

fn nobody() -> Arc<dyn Any + Send + Sync> {
    Arc::new(())
}

async fn run(chain: &Chain, contexts: &mut Contexts) -> Ran {
    chain.run(AT, &mut call(), contexts).await
}

fn decisions(contexts: &Contexts) -> Vec<(&str, Decision)> {
    let steps = contexts.record().steps.iter();
    steps.map(|step| (&*step.hook, step.decision)).collect()
}

#[tokio::test]
async fn a_record_has_each_change_and_every_hook_where_it_is_asked_for() {
    let chain = Chain::new([
        hook("allows", |_, _| Outcome::allow().with("kept", true)),
        hook("changes", |call, _| Outcome::modify(call.with("a", 1))),
    ]);
    let (allows, changes) = (
        ("allows", Decision::Allowed),
        ("changes", Decision::Modified),
    );
    for (mut contexts, expected) in [
        (Contexts::default(), &[changes][..]),
        (Contexts::default().recording(), &[allows, changes]),
    ] {
        let ran = run(&chain, &mut contexts).await;
        assert!(matches!(ran.end, End::Allowed) && ran.modified);
        assert_eq!(decisions(&contexts), expected);
        assert_eq!(contexts.record().metadata.get("kept"), Some(&json!(true)));
    }
}

#[tokio::test]
async fn a_change_may_be_as_long_as_the_limit() {
    let long = |call: &ToolCall| call.with("a", "x".repeat(100));
    let size = long(&call()).size(1_000);
    for (limit, fits) in [(size, true), (size - 1, false)] {
        let changes = hook("changes", move |call, _| Outcome::modify(long(call)));
        let chain = Chain::new([changes]).limit(PluginAt::ToolPreInvoke, limit);
        let ran = run(&chain, &mut Contexts::default()).await;
        assert_eq!(matches!(ran.end, End::Allowed), fits, "{:?}", ran.end);
    }
}

#[tokio::test]
async fn concurrent_hooks_share_what_each_of_them_changed() {
    let shares = hook("shares", |_, cx| {
        for key in ["gone", "kept"] {
            cx.global.state.insert(key.to_owned(), json!(1));
        }
        Outcome::allow()
    });
    let removes = hook("removes", |_, cx| {
        cx.global.state.remove("gone");
        Outcome::allow()
    });
    let hooks = [removes, allows("looks")].map(|hook| hook.mode(PluginMode::Concurrent));
    let mut contexts = Contexts::default();
    run(
        &Chain::new([shares].into_iter().chain(hooks)),
        &mut contexts,
    )
    .await;
    let keys: Vec<&String> = contexts.global.state.keys().collect();
    assert_eq!(keys, ["kept"]);
}

#[tokio::test]
async fn a_concurrent_hook_runs_for_its_own_payloads_only() {
    for hook in [
        denies("other").items(&["other"]),
        denies("other").conditions(only("other")),
    ] {
        let chain = Chain::new([hook.mode(PluginMode::Concurrent)]);
        let ran = run(&chain, &mut Contexts::default()).await;
        assert!(matches!(ran.end, End::Allowed), "{:?}", ran.end);
    }
}

#[tokio::test]
async fn an_ignored_failure_cancels_no_concurrent_hook() {
    let fails = PluginHook::answering_any::<_, Result<Outcome<ToolCall>, HookError>>(
        "fails",
        AT,
        |_, _| Box::pin(async { Err(HookError::new("no disk")) }),
    );
    let slow = PluginHook::answering_any::<_, Outcome<ToolCall>>("slow", AT, |_, _| {
        Box::pin(async {
            tokio::task::yield_now().await;
            Outcome::deny(Violation::new("no"))
        })
    });
    let hooks = [fails.posture(Posture::Proceed), slow];
    let chain = Chain::new(hooks.map(|hook| hook.mode(PluginMode::Concurrent)));
    let mut contexts = Contexts::default();
    let ran = run(&chain, &mut contexts).await;
    assert!(matches!(ran.end, End::Blocked(_)), "{:?}", ran.end);
    let expected = [("fails", Decision::Bypassed), ("slow", Decision::Denied)];
    assert_eq!(decisions(&contexts), expected);
}

#[tokio::test]
async fn a_gate_in_each_mode_refuses_what_it_cannot_read() {
    for mode in [PluginMode::Enforce, PluginMode::Concurrent] {
        let at = point::agent_tool_pre_invoke;
        let gate = PluginHook::answering_any::<_, ()>("gate", at, |_, _| Box::pin(async {}));
        let chain = Chain::new([gate.posture(Posture::Deny).mode(mode)]);
        for (unread, is_refused) in [(vec![], false), (vec![Unread::new("$x", "unknown")], true)] {
            let mut call = AgentToolCall {
                unread,
                ..AgentToolCall::default()
            };
            let ran = chain.run(at, &mut call, &mut Contexts::default()).await;
            assert_eq!(matches!(ran.end, End::Blocked(_)), is_refused, "{mode:?}");
        }
    }
}

#[tokio::test]
async fn a_hook_keeps_its_metadata_for_its_next_point() {
    let keeps = hook("keeps", |_, cx| {
        cx.metadata.insert("seen".to_owned(), json!(1));
        Outcome::allow()
    });
    let mut contexts = Contexts::default();
    run(&Chain::new([keeps, allows("nothing")]), &mut contexts).await;
    let kept = contexts.metadata("keeps").and_then(|kept| kept.get("seen"));
    assert_eq!(kept, Some(&json!(1)));
    assert!(contexts.metadata("nothing").is_none());
}

#[tokio::test]
async fn a_hook_that_cannot_run_after_its_request_is_in_the_record() {
    let chain = Chain::new([allows("later").mode(PluginMode::FireAndForget)]);
    // Nothing that was started runs before this test waits.
    for _ in 0..later::MOST {
        let mut contexts = Contexts::default();
        run(&chain, &mut contexts).await;
        assert!(decisions(&contexts).is_empty());
    }
    let mut contexts = Contexts::default();
    run(&chain, &mut contexts).await;
    assert_eq!(decisions(&contexts), [("later", Decision::Refused)]);
    assert_eq!(chain.counts("later").bypassed, 1);
}

#[test]
fn a_chain_says_what_its_hooks_need() {
    let chain = Chain::new([
        rule("asks").scopes(&["write"]),
        rule("elsewhere").scopes(&["no"]).items(&["other"]),
        rule("kept_out").scopes(&["no"]).conditions(only("other")),
        rule("reports").scopes(&["no"]).mode(PluginMode::Audit),
        rule("all"),
        allows("function").scopes(&["no"]),
    ]);
    let scopes = chain.scopes_for::<point::tool_pre_invoke>(&call(), &GlobalContext::default());
    assert_eq!(scopes, ["write"]);
    assert!(chain.stands_at(PluginAt::ToolPreInvoke));
    assert!(!chain.stands_at(PluginAt::ToolPostInvoke));
}

#[test]
fn only_an_error_of_the_chain_is_a_failure() {
    let failed = |code| Denial::by_chain(code, "no").failed;
    assert!(failed("plugin_error") && !failed("payload_too_large"));
}

#[tokio::test]
async fn each_hook_keeps_its_own_counters_when_its_file_is_read_again() {
    let chain = || Chain::new([rule("stops"), allows("allows")]);
    let before = chain();
    run(&before, &mut Contexts::default()).await;
    let after = chain().after(&before);
    let denied = ["stops", "allows"].map(|id| after.counts(id).denied);
    assert_eq!(denied, [1, 0]);
}

#[tokio::test]
async fn a_changed_payload_is_checked_again_by_the_rules_that_hold_for_it() {
    let others = [
        denies("function"),
        rule("reports").mode(PluginMode::Audit),
        rule("kept_out").conditions(only("other")),
        rule("elsewhere").items(&["other"]),
    ];
    for (more, is_kept) in [(None, true), (Some(rule("stops")), false)] {
        let chain = Chain::new(others.iter().cloned().chain(more));
        let mut contexts = Contexts::default();
        let kept = chain
            .keeps_rules::<point::tool_pre_invoke>(&nobody(), &call(), &mut contexts)
            .await;
        assert_eq!(kept.is_ok(), is_kept);
        assert_eq!(contexts.record().steps.is_empty(), is_kept);
    }
}

/// Returns the hooks that run for a request that has met these.
async fn meets(chain: &Chain, met: &MetHooks) -> Vec<String> {
    let mut contexts = Contexts::default().recording();
    chain
        .held::<point::tool_pre_invoke>(met, &nobody(), &mut call(), &mut contexts)
        .await;
    let ran = decisions(&contexts).into_iter();
    ran.map(|(hook, _)| hook.to_owned()).collect()
}

#[tokio::test]
async fn a_hook_that_a_file_changed_is_new_to_a_request_that_met_it() {
    let chain = |priority| Chain::new([allows("counted").priority(priority)]);
    let met = chain(100).seen(PluginAt::ToolPreInvoke);
    assert_eq!(meets(&chain(100), &met).await, [""; 0]);
    assert_eq!(meets(&chain(101), &met).await, ["counted"]);
}

#[tokio::test]
async fn a_hook_that_has_its_answer_is_done_with_the_request() {
    let asks = hook("asks", |_, cx| match cx.elicitation_responses.is_empty() {
        true => Outcome::ask(Question::confirm("Sure?")),
        false => Outcome::allow(),
    });
    let chain = Chain::new([asks, allows("other")]);
    let mut contexts = Contexts::default();
    let End::Asks(pending) = run(&chain, &mut contexts).await.end else {
        panic!("no question")
    };
    let answer = Map::from_iter([("confirm".to_owned(), json!(true))]);
    let answer = ElicitationResponse::accept(answer);
    let ran = chain
        .resume(AT, &nobody(), *pending, answer, &mut call(), &mut contexts)
        .await;
    assert!(matches!(ran.end, End::Allowed), "{:?}", ran.end);
    let met = chain.seen(PluginAt::ToolPreInvoke).that_asked(&contexts);
    assert_eq!(meets(&chain, &met).await, ["other"]);
}
