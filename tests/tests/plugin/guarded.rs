//! A guardian behind the chain: what it refuses is in the decision log, and no background hook runs for it.

use std::sync::{Arc, Mutex};

use hooks_sdk::{
    Policy,
    aos::{
        Agent, AosHook, CompletedToolCall, Guardian, GuardianClient, Posture, Reply,
        ToolCallRequest, point as step,
    },
    core::{HookError, Registry, Verdict, condition::Condition},
    http,
    log::DecisionLog,
    plugin::{PluginCondition, PluginHook, PluginMode, ToolCall, ToolResult, point},
};
use hooks_tests::{client::Client, idle, toy_server};
use serde_json::json;

use crate::{
    decision_log::closed,
    server::{Files, hooked_with, host},
};

type Seen = Arc<Mutex<Vec<&'static str>>>;

/// Hooks that run after their request and its answer.
fn watching(seen: &Seen) -> [PluginHook; 2] {
    let (first, second) = (seen.clone(), seen.clone());
    let before =
        PluginHook::answering_any("before", point::tool_pre_invoke, move |_: &ToolCall, _| {
            first.lock().unwrap().push("before");
            Box::pin(async {})
        });
    let after = PluginHook::answering_any(
        "after",
        point::tool_post_invoke,
        move |_: &ToolResult, _| {
            second.lock().unwrap().push("after");
            Box::pin(async {})
        },
    );
    [before, after].map(|hook| hook.mode(PluginMode::FireAndForget))
}

#[tokio::test]
async fn each_refusal_has_its_place_and_code_and_starts_no_background_hook() {
    let requests = AosHook::answering_any("requests", step::tool_call_request, |asked, _| {
        let denies = asked.tool_id == "delete_file";
        Box::pin(async move {
            if denies {
                Reply::deny("never").reason_code("NEVER")
            } else {
                Reply::<ToolCallRequest>::allow()
            }
        })
    });
    let results = AosHook::answering_any("results", step::tool_call_result, |_, _| {
        Box::pin(async { Reply::<CompletedToolCall>::deny("secret").reason_code("SECRET") })
    });
    let registry = Registry::builder().add(requests.into()).add(results.into());
    let guardian = Guardian::local_with(Guardian::with((), registry.build().unwrap()))
        .agent(Agent::new("files", "Files").provider("Files", "https://files.example"))
        .posture(Posture::Proceed);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("log.jsonl");
    let seen = Seen::default();
    let policy = Policy::new();
    let server = hooked_with(&Files::default(), watching(&seen), [], policy, None);
    let log = DecisionLog::to(&file, Posture::Deny);
    let host = host(server.guardian(guardian).log(log.clone())).await;
    for (tool, ran) in [("delete_file", &[][..]), ("read_file", &["before"])] {
        let answer = host.call_tool(tool, json!({"path": "a"})).await.unwrap();
        assert!(answer.is_error());
        idle().await;
        assert_eq!(*seen.lock().unwrap(), ran, "{tool}");
    }
    let said = closed(&log, "decision")
        .into_iter()
        .map(|line| json!([line["ended"], line["middleware"], line["code"]]));
    let expected = ["NEVER", "SECRET"].map(|code| json!(["refused", "guardian", code]));
    assert_eq!(said.collect::<Vec<_>>(), expected);
}

/// A guardian that writes another path into each call.
fn writes(path: &'static str) -> GuardianClient {
    let requests = AosHook::answering_any(
        "requests",
        step::tool_call_request,
        move |asked: &ToolCallRequest, _| {
            let mut asked = asked.clone();
            asked.inputs[0].value = json!(path);
            Box::pin(async move { Reply::modify(asked) })
        },
    );
    let registry = Registry::builder().add(requests.into()).build().unwrap();
    Guardian::local_with(Guardian::with((), registry))
        .agent(Agent::new("files", "Files").provider("Files", "https://files.example"))
        .posture(Posture::Proceed)
}

#[tokio::test]
async fn a_rule_about_a_content_type_holds_for_what_the_guardian_writes() {
    let rule = |when: &str| {
        PluginHook::deny("etc", point::tool_pre_invoke, "files of the system stay")
            .when(Condition::parse(when).unwrap())
    };
    let inside = r#"args.path = inside("/etc")"#;
    let of = |kind: &str| -> Vec<PluginCondition> {
        serde_json::from_value(json!([{"content_types": [kind]}])).unwrap()
    };
    let with = |kind: &str| rule(&format!(r#"content_type = "{kind}", {inside}"#));
    for (rule, stops) in [
        (with("application/json"), true),
        (with("text/plain"), false),
        (rule(inside).conditions(of("application/json")), true),
        (rule(inside).conditions(of("text/plain")), false),
    ] {
        for (path, stops) in [("/etc/passwd", stops), ("/tmp/a", false)] {
            let files = Files::default();
            let server = hooked_with(&files, [rule.clone()], [], Policy::new(), None);
            let server = http::Server::new(server.guardian(writes(path)));
            let client = Client::stateless(toy_server::serve(server).await);
            let answer = client.call("read_file", json!({"path": "/tmp/b"})).await;
            let is_stopped = answer["isError"] == true;
            assert_eq!(is_stopped, stops, "{rule:?} {path}: {answer}");
            assert_eq!(files.ran(), usize::from(!stops), "{rule:?} {path}");
        }
    }
}

#[tokio::test]
async fn a_stop_by_the_last_check_names_its_hook_and_whether_it_failed() {
    let rule = PluginHook::deny("etc", point::tool_pre_invoke, "files of the system stay")
        .when(Condition::parse(r#"args.path = inside("/etc")"#).unwrap())
        .code("ETC");
    let flaky = PluginHook::answering_any::<_, Result<Verdict<ToolCall>, HookError>>(
        "flaky",
        point::tool_pre_invoke,
        |call: &ToolCall, _| {
            let is_changed = call.args["path"] == "/etc/passwd";
            Box::pin(async move {
                match is_changed {
                    true => Err(HookError::new("no disk")),
                    false => Ok(Verdict::Allow),
                }
            })
        },
    );
    for (hook, decision, rule, code) in [
        (rule, "denied", "etc", "ETC"),
        (flaky.again(), "failed", "flaky", "plugin_error"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let log = DecisionLog::to(folder.path().join("log.jsonl"), Posture::Deny);
        let files = Files::default();
        let server = hooked_with(&files, [hook], [], Policy::new(), None);
        let host = host(server.guardian(writes("/etc/passwd")).log(log.clone())).await;
        let answer = host.call_tool("read_file", json!({"path": "a"})).await;
        assert!(answer.unwrap().is_error());
        assert_eq!(files.ran(), 0);
        let line = closed(&log, "decision").swap_remove(0);
        let said = ["decision", "ended", "middleware", "rule", "code"].map(|name| &line[name]);
        assert_eq!(said, [decision, "refused", "plugin", rule, code], "{line}");
    }
}
