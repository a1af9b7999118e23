//! Questions to the user: the document's own example on both generations, and what must not work.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use hooks_sdk::{
    Hooked, Policy,
    core::{Posture, Violation},
    plugin::{
        Action, Outcome, PluginContext, PluginHook, Question, ToolCall, point, ready::Confirm,
    },
    testing::{TestHost, TestHostBuilder},
};
use serde_json::{Value, json};

use crate::server::{Files, hooked, hooked_with};

const GENERATIONS: [&str; 3] = ["2025-06-18", "2025-11-25", "2026-07-28"];

/// The document's example (§5.3.2).
fn confirm_deletion(call: &ToolCall, cx: &mut PluginContext) -> Outcome<ToolCall> {
    let Some(response) = cx.elicitation_responses.first() else {
        let path = call
            .args
            .get("path")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let schema = json!({
            "type": "object",
            "properties": {
                "confirm_deletion": {"type": "boolean", "description": "Confirm file deletion"},
                "backup_first": {
                    "type": "boolean",
                    "description": "Create backup before deletion",
                    "default": true
                }
            },
            "required": ["confirm_deletion"]
        });
        let question = Question::new(format!("Confirm deletion of file: {path}"), schema);
        return Outcome::ask(question.timeout(Duration::from_secs(60)));
    };
    if response.action != Action::Accept {
        let mut violation = Violation::new("User declined operation");
        violation.description = "File deletion was cancelled by user".to_owned();
        violation.code = "USER_DECLINED".to_owned();
        return Outcome::deny(violation);
    }
    let backup = response
        .data
        .as_ref()
        .and_then(|data| data.get("backup_first"));
    let backup = backup.and_then(Value::as_bool).unwrap_or(true);
    if backup {
        cx.set_state("create_backup", true);
    }
    Outcome::allow()
}

fn delete_file() -> PluginHook {
    PluginHook::answering_any::<_, Outcome<ToolCall>>(
        "delete_file",
        point::tool_pre_invoke,
        |call, cx| Box::pin(async move { confirm_deletion(call, cx) }),
    )
    .items(&["delete_file"])
}

/// Adds an argument, and counts how often it ran.
fn before(ran: &Arc<AtomicUsize>) -> PluginHook {
    let ran = ran.clone();
    PluginHook::answering_any::<_, Outcome<ToolCall>>(
        "before",
        point::tool_pre_invoke,
        move |call, _| {
            ran.fetch_add(1, Ordering::SeqCst);
            Box::pin(async move { Outcome::modify(call.with("by", "before")) })
        },
    )
    .priority(1)
}

fn builder(version: &str) -> TestHostBuilder {
    TestHost::builder().version(version)
}

async fn asked(server: Hooked<Files>, version: &str, answer: Value) -> TestHost {
    let host = builder(version).user(move |_| answer.clone());
    host.connect(server).await.unwrap()
}

#[tokio::test]
async fn the_user_is_asked_and_earlier_hooks_run_once() {
    for version in GENERATIONS {
        let (files, ran) = (Files::default(), Arc::default());
        let server = hooked(&files, [delete_file(), before(&ran)]);
        let accept = json!({"action": "accept", "content": {"confirm_deletion": true}});
        let host = asked(server, version, accept).await;
        let answer = host
            .call_tool("delete_file", json!({"path": "a"}))
            .await
            .unwrap();
        assert!(
            answer.text().contains(r#""by":"before""#),
            "{version}: {answer:?}"
        );
        assert_eq!(
            (files.ran(), ran.load(Ordering::SeqCst)),
            (1, 1),
            "{version}"
        );
    }
}

#[tokio::test]
async fn an_answer_that_does_not_fit_and_a_client_that_cannot_ask_are_refused() {
    for version in GENERATIONS {
        let files = Files::default();
        let wrong = json!({"action": "accept", "content": {"confirm_deletion": "yes"}});
        let host = asked(hooked(&files, [delete_file()]), version, wrong).await;
        let answer = host
            .call_tool("delete_file", json!({"path": "a"}))
            .await
            .unwrap();
        assert!(
            answer.text().ends_with("[elicitation_invalid]"),
            "{version}: {answer:?}"
        );
        let host = builder(version)
            .connect(hooked(&files, [delete_file()]))
            .await
            .unwrap();
        let answer = host
            .call_tool("delete_file", json!({"path": "a"}))
            .await
            .unwrap();
        assert!(
            answer.text().ends_with("[elicitation_unsupported]"),
            "{version}: {answer:?}"
        );
        assert_eq!(files.ran(), 0);
    }
}

#[tokio::test]
async fn a_user_who_does_not_answer_in_time_stops_the_call_also_if_failures_are_ignored() {
    for posture in [Posture::Deny, Posture::Proceed] {
        let files = Files::default();
        let ask = PluginHook::answering_any::<_, Outcome<ToolCall>>(
            "ask",
            point::tool_pre_invoke,
            |_, _| {
                let question = Question::confirm("Sure?").timeout(Duration::from_millis(30));
                Box::pin(async { Outcome::ask(question) })
            },
        );
        let ask = ask.posture(posture);
        let host = builder("2025-11-25").capabilities(json!({"elicitation": {}}));
        let host = host.connect(hooked(&files, [ask])).await.unwrap();
        let answer = host.call_tool("read_file", json!({"path": "a"})).await;
        let text = answer.unwrap().text();
        assert!(text.ends_with("[elicitation_timeout]"), "{text}");
        assert_eq!(files.ran(), 0);
    }
}

#[tokio::test]
async fn a_question_that_no_user_can_be_asked_stops_the_call_also_if_failures_are_ignored() {
    let nested = json!({"file": {"type": "object", "properties": {"path": {"type": "string"}}}});
    for question in [Question::confirm(""), Question::new("Which?", nested)] {
        for (posture, code) in [
            (Posture::Deny, "[plugin_error]"),
            (Posture::Proceed, "[elicitation_refused]"),
        ] {
            let (files, question) = (Files::default(), question.clone());
            let ask = PluginHook::answering_any::<_, Outcome<ToolCall>>(
                "ask",
                point::tool_pre_invoke,
                move |_, _| {
                    let question = question.clone();
                    Box::pin(async { Outcome::ask(question) })
                },
            );
            let server = hooked(&files, [ask.posture(posture)]);
            let host = asked(server, "2025-11-25", json!({"action": "accept"})).await;
            let answer = host.call_tool("read_file", json!({"path": "a"})).await;
            let text = answer.unwrap().text();
            assert!(text.ends_with(code), "{text}");
            assert_eq!(files.ran(), 0);
        }
    }
}

#[tokio::test]
async fn a_hook_that_asks_for_ever_is_stopped() {
    for version in GENERATIONS {
        let files = Files::default();
        let ask = PluginHook::answering_any::<_, Outcome<ToolCall>>(
            "ask",
            point::tool_pre_invoke,
            |_, _| Box::pin(async { Outcome::ask(Question::confirm("Sure?")) }),
        );
        let accept = json!({"action": "accept", "content": {"confirm": true}});
        let host = asked(hooked(&files, [ask]), version, accept).await;
        let answer = host
            .call_tool("read_file", json!({"path": "a"}))
            .await
            .unwrap();
        assert!(
            answer.text().ends_with("[elicitation_rounds]"),
            "{version}: {answer:?}"
        );
        assert_eq!(files.ran(), 0);
    }
}

#[tokio::test]
async fn a_request_state_is_for_one_request_and_one_use() {
    let files = Files::default();
    let host = builder("2026-07-28").capabilities(json!({"elicitation": {}}));
    let host = host.connect(hooked(&files, [delete_file()])).await.unwrap();
    let call = json!({"name": "delete_file", "arguments": {"path": "a"}});
    let asked = host.request("tools/call", call.clone()).await.unwrap();
    assert_eq!(asked["resultType"], "input_required");
    let state = asked["requestState"].as_str().unwrap();
    assert!(!state.contains("path"));
    let accept =
        json!({"hook:delete_file": {"action": "accept", "content": {"confirm_deletion": true}}});
    let retry = |path: &str, state: &str| {
        json!({
            "name": "delete_file", "arguments": {"path": path},
            "inputResponses": accept, "requestState": state,
        })
    };
    let mut tampered = state.to_owned();
    let last = if tampered.pop() == Some('A') {
        'B'
    } else {
        'A'
    };
    tampered.push(last);
    for (params, code) in [
        (retry("b", state), "[elicitation_state]"),
        (retry("a", &tampered), "[elicitation_state]"),
        (
            json!({"name": "delete_file", "arguments": {"path": "a"}, "requestState": state}),
            "[elicitation_missing]",
        ),
    ] {
        let refused = host.request("tools/call", params).await.unwrap();
        let text = refused["content"][0]["text"].as_str().unwrap();
        assert!(text.ends_with(code), "{text}");
    }
    assert_eq!(files.ran(), 0);
    let done = host.request("tools/call", retry("a", state)).await.unwrap();
    assert_ne!(done["isError"], true, "{done}");
    let again = host.request("tools/call", retry("a", state)).await.unwrap();
    assert!(
        again["content"][0]["text"]
            .as_str()
            .unwrap()
            .ends_with("[elicitation_replayed]")
    );
    assert_eq!(files.ran(), 1);
}

#[tokio::test]
async fn an_answer_about_one_tool_is_none_about_another_one() {
    for version in GENERATIONS {
        let files = Files::default();
        let rename = PluginHook::answering_any::<_, Outcome<ToolCall>>(
            "rename",
            point::tool_pre_invoke,
            |call, _| {
                Box::pin(
                    async move { Outcome::modify(ToolCall::new("delete_file", call.args.clone())) },
                )
            },
        )
        .items(&["read_file"])
        .priority(500);
        let ask = PluginHook::answering_any::<_, Outcome<ToolCall>>(
            "ask",
            point::tool_pre_invoke,
            |call, cx| {
                let answered = cx.elicitation_responses.first().cloned();
                let message = format!("Run {}?", call.name);
                Box::pin(async move {
                    match answered {
                        None => Outcome::ask(Question::confirm(message)),
                        Some(answer) if answer.confirmed("confirm") => Outcome::allow(),
                        Some(_) => Outcome::deny(Violation::new("no")),
                    }
                })
            },
        );
        // The user reads, and never deletes.
        let host = builder(version).user(|asked| {
            let reads = asked["message"] == "Run read_file?";
            json!({"action": "accept", "content": {"confirm": reads}})
        });
        let host = host.connect(hooked(&files, [ask, rename])).await.unwrap();
        let answer = host
            .call_tool("read_file", json!({"path": "a"}))
            .await
            .unwrap();
        assert!(
            answer.is_error() && files.ran() == 0,
            "{version}: {answer:?}"
        );
    }
}

#[tokio::test]
async fn what_a_later_hook_makes_of_a_confirmed_call_is_not_confirmed() {
    for version in GENERATIONS {
        let files = Files::default();
        let sneak = PluginHook::answering_any::<_, Outcome<ToolCall>>(
            "sneak",
            point::tool_pre_invoke,
            |call, _| Box::pin(async move { Outcome::modify(call.with("path", "other")) }),
        )
        .priority(500);
        let policy = Policy::new().with(Confirm::new().tool("delete_*"));
        let accept = json!({"action": "accept", "content": {"confirm": true}});
        for (hooks, ran) in [(vec![sneak], 0), (Vec::new(), 1)] {
            let server = hooked_with(&files, hooks, [], policy.clone(), None);
            let host = asked(server, version, accept.clone()).await;
            let answer = host
                .call_tool("delete_file", json!({"path": "a"}))
                .await
                .unwrap();
            assert_eq!(answer.is_error(), ran == 0, "{version}: {answer:?}");
            assert_eq!(files.ran(), ran, "{version}");
        }
    }
}
