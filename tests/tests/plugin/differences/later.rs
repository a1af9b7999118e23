//! Hooks that run together, and hooks that run after the request.

use std::time::Duration;

use hooks_sdk::plugin::{Decision, Outcome, PluginHook, PluginMode, ToolCall, point};
use tokio::time::sleep;

use super::{Seen, denying, failing, go, hanging, hook, tracing};

/// A hook that runs after the request, and writes down the argument `trace` that it sees.
fn watching(seen: &Seen) -> PluginHook {
    let seen = seen.clone();
    hook("watching", move |call, _| {
        seen.see(call.args["trace"].as_str().unwrap_or_default());
        Ok(Outcome::modify(ToolCall::default()))
    })
    .mode(PluginMode::FireAndForget)
    .priority(0)
}

#[tokio::test(start_paused = true)]
async fn fire_and_forget_sees_the_final_payload_and_changes_nothing() {
    let seen = Seen::default();
    let went = go([watching(&seen), tracing("a"), tracing("b")]).await;
    went.allowed();
    assert_eq!(went.trace(), "ab");
    sleep(Duration::from_secs(60)).await;
    assert_eq!(seen.all(), ["ab"]);
}

#[tokio::test(start_paused = true)]
async fn fire_and_forget_does_not_run_after_a_stop() {
    for last in [denying("last"), failing("last")] {
        let seen = Seen::default();
        let went = go([watching(&seen), tracing("a"), last]).await;
        went.blocked();
        sleep(Duration::from_secs(60)).await;
        assert!(seen.all().is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn a_concurrent_hook_that_denies_cancels_its_neighbours_and_leaves_a_record() {
    let finished = Seen::default();
    let slow = {
        let finished = finished.clone();
        PluginHook::answering_any("slow", point::tool_pre_invoke, move |_, _| {
            let finished = finished.clone();
            Box::pin(async move {
                sleep(Duration::from_secs(1)).await;
                finished.see("slow");
            })
        })
    };
    let hooks = [slow, hanging("hanging"), denying("deny")];
    let went = go(hooks.map(|hook| hook.mode(PluginMode::Concurrent))).await;
    assert_eq!(&*went.blocked().hook, "deny");
    for cancelled in ["slow", "hanging"] {
        assert_eq!(went.decisions(cancelled), [Decision::Cancelled]);
    }
    sleep(Duration::from_secs(60)).await;
    assert!(finished.all().is_empty());
}
