//! Hooks that run after their request: once, on what is really used, and never for what was stopped.

use std::sync::{Arc, Mutex};

use hooks_sdk::{
    Policy,
    core::{HookError, Verdict},
    plugin::{Outcome, PluginHook, PluginMode, Question, ToolCall, point},
    server::Sessions,
    session::Machine,
    testing::TestHost,
};
use hooks_tests::idle;
use serde_json::json;

use crate::server::{Files, hooked, hooked_with, host};

pub(crate) type Seen = Arc<Mutex<Vec<String>>>;

/// A hook that runs after the request, and writes down the tool that it sees.
pub(crate) fn watching(seen: &Seen) -> PluginHook {
    let seen = seen.clone();
    PluginHook::answering_any(
        "watching",
        point::tool_pre_invoke,
        move |call: &ToolCall, _| {
            seen.lock().unwrap().push(call.name.to_string());
            Box::pin(async {})
        },
    )
    .mode(PluginMode::FireAndForget)
    .priority(0)
}

fn renaming() -> PluginHook {
    PluginHook::answering_any::<_, Verdict<ToolCall>>(
        "renaming",
        point::tool_pre_invoke,
        |call, _| {
            let renamed =
                (call.name == "read_file").then(|| ToolCall::new("delete_file", call.args.clone()));
            Box::pin(async move { renamed.map_or(Verdict::Allow, Verdict::Modify) })
        },
    )
}

pub(crate) async fn settled(seen: &Seen) -> Vec<String> {
    idle().await;
    seen.lock().unwrap().clone()
}

#[tokio::test]
async fn it_runs_once_for_a_renamed_call_with_its_new_name() {
    let (files, seen) = (Files::default(), Seen::default());
    let host = host(hooked(&files, [watching(&seen), renaming()])).await;
    let answer = host.call_tool("read_file", json!({"path": "a"})).await;
    assert!(!answer.unwrap().is_error());
    assert_eq!(settled(&seen).await, ["delete_file"]);
}

#[tokio::test]
async fn it_does_not_run_for_a_renamed_call_that_is_stopped() {
    let (files, seen) = (Files::default(), Seen::default());
    let keep = PluginHook::deny("keep", point::tool_pre_invoke, "no").items(&["delete_*"]);
    let blocked = host(hooked(&files, [watching(&seen), renaming(), keep])).await;
    let answer = blocked.call_tool("read_file", json!({"path": "a"})).await;
    assert!(answer.unwrap().is_error());

    let machine = Machine::standard().only("delete_file").build().unwrap();
    let hooks = [watching(&seen), renaming()];
    let gated = hooked_with(
        &files,
        hooks,
        [],
        Policy::new(),
        Some(Sessions::on(machine)),
    );
    let answer = host(gated)
        .await
        .call_tool("read_file", json!({"path": "a"}))
        .await;
    assert!(answer.unwrap().is_error());
    assert_eq!((settled(&seen).await.len(), files.ran()), (0, 0));
}

#[tokio::test]
async fn one_before_a_hook_that_asks_runs_after_a_yes_and_not_after_a_no() {
    for version in ["2025-11-25", "2026-07-28"] {
        for (action, expected) in [("accept", 1), ("decline", 0)] {
            let (files, seen) = (Files::default(), Seen::default());
            let ask = PluginHook::answering_any::<_, Outcome<ToolCall>>(
                "ask",
                point::tool_pre_invoke,
                |_, cx| {
                    let said = cx.elicitation_responses.first().cloned();
                    Box::pin(async move {
                        match said {
                            None => Outcome::ask(Question::confirm("Sure?")),
                            Some(said) if said.confirmed("confirm") => Outcome::allow(),
                            Some(_) => Outcome::deny(hooks_sdk::core::Violation::new("no")),
                        }
                    })
                },
            );
            let user = move |_: &_| json!({"action": action, "content": {"confirm": true}});
            let host = TestHost::builder().version(version).user(user);
            let server = hooked(&files, [watching(&seen), ask]);
            let host = host.connect(server).await.unwrap();
            _ = host.call_tool("read_file", json!({"path": "a"})).await;
            assert_eq!(settled(&seen).await.len(), expected, "{version} {action}");
        }
    }
}

#[tokio::test]
async fn its_failure_is_counted() {
    let fails = PluginHook::answering_any::<_, Result<Verdict<ToolCall>, HookError>>(
        "fails",
        point::tool_pre_invoke,
        |_, _| Box::pin(async { Err(HookError::new("no disk")) }),
    )
    .mode(PluginMode::FireAndForget);
    let chain = hooks_sdk::plugin::Chain::new([fails]);
    let mut call = ToolCall::new("read_file", serde_json::Map::new());
    let mut contexts = hooks_sdk::plugin::Contexts::default();
    _ = chain
        .run(point::tool_pre_invoke, &mut call, &mut contexts)
        .await;
    idle().await;
    assert_eq!(chain.counts("fails").bypassed, 1);
}
