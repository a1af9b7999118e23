//! Hooks that fail: with an error, by a panic, or because they hang.

use hooks_sdk::{
    core::{HookError, Posture},
    plugin::{Decision, PluginHook, ToolCall, point},
};

use super::{failing, go, hanging, hook, tracing};

fn panicking(id: &'static str) -> PluginHook {
    hook(id, |_, _| panic!("a bug"))
}

#[tokio::test(start_paused = true)]
async fn a_failure_stops_the_request_with_a_violation_of_its_own() {
    let cases = [
        (failing("f"), "plugin_error"),
        (panicking("f"), "plugin_panic"),
        (hanging("f"), "plugin_timeout"),
    ];
    for (failing, code) in cases {
        let went = go([failing, tracing("after")]).await;
        let blocked = went.blocked();
        assert!(blocked.failed, "{code}");
        assert_eq!(blocked.violation.code, code);
        // What went wrong inside the server is in its log, and not in the answer.
        assert!(!blocked.violation.reason.contains("backend"));
        assert_eq!(went.trace(), "");
        assert_eq!(went.decisions("f"), [Decision::Failed]);
    }
}

#[tokio::test(start_paused = true)]
async fn an_ignored_failure_is_passed_and_counted() {
    for failing in [failing("f"), panicking("f"), hanging("f")] {
        let failing = failing.posture(Posture::Proceed);
        let went = go([failing, tracing("after")]).await;
        went.allowed();
        assert_eq!(went.trace(), "after");
        assert_eq!(went.decisions("f"), [Decision::Bypassed]);
        assert_eq!(went.chain.counts("f").bypassed, 1);
    }
}

#[tokio::test]
async fn a_hook_of_any_answer_can_report_an_error() {
    let short = PluginHook::answering_any("short", point::tool_pre_invoke, |_: &ToolCall, _| {
        Box::pin(async { Err::<(), _>(HookError::new("no")) })
    });
    let went = go([short]).await;
    assert_eq!(went.blocked().violation.code, "plugin_error");
}

#[tokio::test]
async fn a_hook_that_fails_is_asked_again_at_the_next_request() {
    // Nothing here is switched off by its own failures.
    let went = go([failing("f")]).await;
    went.blocked();
    let went = super::go_with(went.chain, Default::default()).await;
    assert!(went.blocked().failed);
}
