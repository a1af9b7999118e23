//! The modes: order, and what each may do.

use hooks_sdk::{
    core::Violation,
    plugin::{Decision, Outcome, PluginHook, PluginMode, Question, point},
};

use super::{denying, failing, go, hanging, hook, traced, tracing};

#[tokio::test]
async fn hooks_of_all_modes_stand_in_one_order() {
    let hooks = [
        tracing("d").priority(40),
        tracing("c").priority(30).mode(PluginMode::Permissive),
        tracing("b").priority(20),
        tracing("a").priority(10).mode(PluginMode::Permissive),
        tracing("B").priority(20),
    ];
    let went = go(hooks).await;
    went.allowed();
    assert_eq!(went.trace(), "abBcd");
}

#[tokio::test]
async fn a_permissive_hook_that_stops_still_changes_the_request() {
    let permissive = hook("p", |call, _| {
        Ok(Outcome {
            modified_payload: Some(traced(call, "p")),
            ..Outcome::deny(Violation::new("too long"))
        })
    });
    let went = go([permissive.mode(PluginMode::Permissive), tracing("after")]).await;
    went.allowed();
    assert_eq!(went.trace(), "pafter");
    let steps = &went.contexts.record().steps;
    let suppressed = steps
        .iter()
        .find(|step| step.decision == Decision::Suppressed);
    let violation = suppressed.and_then(|step| step.violation.as_ref());
    assert_eq!(violation.map(|it| &*it.reason), Some("too long"));
}

#[tokio::test]
async fn what_a_permissive_hook_wrote_for_the_others_is_kept() {
    let permissive = hook("p", |_, cx| {
        cx.global.state.insert("seen".into(), true.into());
        Ok(Outcome::allow())
    });
    let went = go([permissive.mode(PluginMode::Permissive)]).await;
    assert_eq!(went.contexts.global.state["seen"], true);
}

#[tokio::test(start_paused = true)]
async fn a_permissive_hook_that_fails_or_hangs_is_passed_and_counted() {
    let hooks = [failing("f"), hanging("h")];
    let went = go(hooks.map(|hook| hook.mode(PluginMode::Permissive))).await;
    went.allowed();
    let bypassed: Vec<_> = went.contexts.record().bypassed().collect();
    assert_eq!(bypassed, ["f", "h"]);
    assert_eq!(went.chain.counts("f").bypassed, 1);
    assert_eq!(went.chain.counts("h").bypassed, 1);
}

#[tokio::test]
async fn an_audit_hook_changes_nothing_and_its_failures_stop_nothing() {
    let hooks = [denying("d"), failing("f"), tracing("t")];
    let went = go(hooks.map(|hook| hook.mode(PluginMode::Audit))).await;
    went.allowed();
    assert!(!went.ran.modified);
    assert_eq!(went.decisions("d"), [Decision::Suppressed]);
    assert_eq!(went.decisions("f"), [Decision::Bypassed]);
    assert!(went.decisions("t").contains(&Decision::Dropped));
}

#[tokio::test]
async fn a_transform_hook_stops_nothing_but_its_failures_count() {
    let transform = |hook: PluginHook| hook.mode(PluginMode::Transform);
    let went = go([transform(denying("d")), transform(tracing("t"))]).await;
    went.allowed();
    assert_eq!(went.trace(), "t");
    assert_eq!(went.decisions("d"), [Decision::Suppressed]);
    // Its change is not left out in silence.
    let went = go([transform(failing("f"))]).await;
    assert!(went.blocked().failed);
}

#[tokio::test]
async fn a_disabled_hook_does_not_run() {
    let went = go([denying("d").mode(PluginMode::Disabled)]).await;
    went.allowed();
    assert!(went.decisions("d").is_empty());
}

#[tokio::test]
async fn the_question_of_a_concurrent_hook_refuses_the_request_whether_or_not_it_says_stop() {
    for continue_processing in [false, true] {
        let asks = hook("ask", move |_, _| {
            Ok(Outcome {
                continue_processing,
                ..Outcome::ask(Question::confirm("Sure?"))
            })
        });
        let beside = hanging("beside");
        let went = go([asks, beside].map(|hook| hook.mode(PluginMode::Concurrent))).await;
        let blocked = went.blocked();
        assert_eq!(blocked.violation.code, "elicitation_unsupported");
        assert_eq!(&*blocked.hook, "ask");
        assert_eq!(went.decisions("ask"), [Decision::Denied]);
        assert_eq!(went.decisions("beside"), [Decision::Cancelled]);
    }
}

#[tokio::test]
async fn beside_a_rule_that_denies_no_concurrent_hook_runs_and_each_is_recorded() {
    let ran = super::Seen::default();
    let seeing = |id| {
        let ran = ran.clone();
        hook(id, move |_, _| {
            ran.see(id);
            Ok(Outcome::allow())
        })
    };
    let rule = PluginHook::deny("rule", point::tool_pre_invoke, "no");
    let second = PluginHook::deny("second", point::tool_pre_invoke, "no");
    let hooks = [seeing("before"), rule, second, seeing("behind")];
    let went = go(hooks.map(|hook| hook.mode(PluginMode::Concurrent))).await;
    assert_eq!(&*went.blocked().hook, "rule");
    assert_eq!(went.decisions("rule"), [Decision::Denied]);
    for cancelled in ["before", "second", "behind"] {
        assert_eq!(
            went.decisions(cancelled),
            [Decision::Cancelled],
            "{cancelled}"
        );
    }
    assert!(ran.all().is_empty());
}
