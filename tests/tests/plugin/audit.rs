//! The audit of a server: one line for each request, however it ended.

use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

use hooks_sdk::{
    Policy,
    core::{HookError, OnFailure, Verdict},
    plugin::{Outcome, PluginAt, PluginHook, Question, ToolCall, point, ready::Audit},
    server::Sessions,
    session::Machine,
    testing::TestHost,
};
use serde_json::{Value, json};

use crate::server::{Files, hooked_with, host};

fn lines(file: &Path) -> Vec<Value> {
    let text = fs::read_to_string(file).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[tokio::test]
async fn each_request_has_one_line_whoever_refused_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("audit.jsonl");
    let files = Files::default();
    let rule = PluginHook::deny("keep", point::tool_pre_invoke, "nothing is deleted")
        .items(&["delete_*"])
        .code("KEEP");
    let flaky = PluginHook::answering_any::<_, Result<Verdict<ToolCall>, HookError>>(
        "flaky",
        point::tool_pre_invoke,
        |_, _| Box::pin(async { Err(HookError::new("no disk")) }),
    )
    .on_failure(OnFailure::Ignore);
    let policy = Policy::new()
        .audit(Audit::to(&file))
        .user(|_| Some("ann".to_owned()));
    let machine = Machine::standard().only("internal_sync").build().unwrap();
    let sessions = Some(Sessions::on(machine));
    let host = host(hooked_with(&files, [rule, flaky], [], policy, sessions)).await;
    for tool in ["read_file", "delete_file", "internal_sync", "fail"] {
        // `fail` answers with an error.
        _ = host.call_tool(tool, json!({"path": "secret"})).await;
    }
    host.request("prompts/get", json!({"name": "greet"}))
        .await
        .unwrap();
    let lines = lines(&file);
    let seen: Vec<Value> = lines
        .iter()
        .map(|line| {
            json!([
                line["method"],
                line["item"],
                line["ended"],
                line["decision"],
                line["rule"],
                line["code"],
                line["user"]
            ])
        })
        .collect();
    assert_eq!(
        seen,
        [
            json!([
                "tools/call",
                "read_file",
                "answered",
                "allowed",
                null,
                null,
                "ann"
            ]),
            json!([
                "tools/call",
                "delete_file",
                "refused",
                "denied",
                "keep",
                "KEEP",
                "ann"
            ]),
            json!([
                "tools/call",
                "internal_sync",
                "refused",
                "refused",
                "gate",
                "session_refused",
                "ann"
            ]),
            json!(["tools/call", "fail", "failed", "allowed", null, null, "ann"]),
            json!([
                "prompts/get",
                "greet",
                "answered",
                "allowed",
                null,
                null,
                "ann"
            ]),
        ]
    );
    assert_eq!(lines[0]["bypassed"], json!(["flaky"]));
    assert!(!fs::read_to_string(&file).unwrap().contains("secret"));
}

#[tokio::test]
async fn without_its_audit_the_server_runs_no_tool_unless_the_author_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let nowhere = folder.path().join("missing").join("audit.jsonl");
    for (posture, ran) in [(OnFailure::Fail, 0), (OnFailure::Ignore, 1)] {
        let files = Files::default();
        let audit = Audit::to(&nowhere).on_failure(posture);
        let host = host(hooked_with(
            &files,
            [],
            [],
            Policy::new().audit(audit),
            None,
        ))
        .await;
        let answer = host
            .call_tool("read_file", json!({"path": "a"}))
            .await
            .unwrap();
        assert_eq!(answer.is_error(), ran == 0, "{answer:?}");
        assert_eq!(files.ran(), ran);
    }
}

fn reading(file: &Path) -> Policy {
    Policy::new().audit(Audit::to(file))
}

#[tokio::test]
async fn a_stop_by_the_chain_itself_has_its_code() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("audit.jsonl");
    let files = Files::default();
    let nothing =
        |point| PluginHook::answering_any("nothing", point, |_: &ToolCall, _| Box::pin(async {}));
    let after =
        PluginHook::answering_any("after", point::tool_post_invoke, |_, _| Box::pin(async {}));
    let policy = reading(&file)
        .limit(PluginAt::ToolPreInvoke, 100)
        .limit(PluginAt::ToolPostInvoke, 10);
    let host = host(hooked_with(
        &files,
        [nothing(point::tool_pre_invoke), after],
        [],
        policy,
        None,
    ))
    .await;
    for path in ["x".repeat(101), "x".to_owned()] {
        _ = host.call_tool("read_file", json!({"path": path})).await;
    }
    for line in lines(&file) {
        assert_eq!(line["ended"], "refused", "{line}");
        assert_eq!(
            (&line["station"], &line["code"]),
            (&json!("plugin"), &json!("payload_too_large")),
            "{line}"
        );
        assert_eq!(
            line["steps"].as_array().unwrap().last().unwrap()["code"],
            "payload_too_large"
        );
    }
    assert_eq!(files.ran(), 1);
}

#[tokio::test]
async fn a_question_that_nobody_answered_is_no_answer() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("audit.jsonl");
    let ask =
        PluginHook::answering_any::<_, Outcome<ToolCall>>("ask", point::tool_pre_invoke, |_, _| {
            Box::pin(async { Outcome::ask(Question::confirm("Sure?")) })
        });
    let server = hooked_with(&Files::default(), [ask], [], reading(&file), None);
    let host = TestHost::builder()
        .version("2026-07-28")
        .capabilities(json!({"elicitation": {}}));
    let host = host.connect(server).await.unwrap();
    let params = json!({"name": "read_file", "arguments": {"path": "a"}});
    host.request("tools/call", params).await.unwrap();
    let line = &lines(&file)[0];
    assert_eq!(
        (&line["ended"], &line["decision"]),
        (&json!("asked"), &json!("asked")),
        "{line}"
    );
}

#[tokio::test]
async fn the_query_of_a_uri_is_not_in_it_without_contents() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("audit.jsonl");
    let host = host(hooked_with(&Files::default(), [], [], reading(&file), None)).await;
    let params = json!({"uri": "file:///notes?token=sk-secret#part"});
    host.request("resources/read", params).await.unwrap();
    assert_eq!(lines(&file)[0]["item"], "file:///notes");
}

#[tokio::test]
async fn a_lock_of_another_process_stops_no_task_of_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("audit.jsonl");
    let held = fs::File::create(folder.path().join("audit.jsonl.lock")).unwrap();
    held.lock().unwrap();
    let host = host(hooked_with(&Files::default(), [], [], reading(&file), None)).await;
    let beat = tokio::spawn(async {
        let (mut longest, mut last) = (Duration::ZERO, Instant::now());
        for _ in 0..100 {
            tokio::time::sleep(Duration::from_millis(5)).await;
            longest = longest.max(last.elapsed());
            last = Instant::now();
        }
        longest
    });
    let answer = host.call_tool("read_file", json!({"path": "a"})).await;
    assert!(answer.unwrap().is_error());
    let longest = beat.await.unwrap();
    assert!(longest < Duration::from_millis(400), "{longest:?}");
    held.unlock().unwrap();
}

#[cfg(unix)]
#[tokio::test]
async fn only_the_owner_can_read_it_and_no_link_is_followed() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("audit.jsonl");
    fs::write(&file, "").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    drop(Audit::to(&file).reserve().unwrap());
    let mode = fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);

    let (elsewhere, link) = (
        folder.path().join("elsewhere"),
        folder.path().join("link.jsonl"),
    );
    fs::write(&elsewhere, "").unwrap();
    symlink(&elsewhere, &link).unwrap();
    let wrong = Audit::to(&link).reserve().unwrap_err().to_string();
    assert!(wrong.contains("symbolic link"), "{wrong}");
    assert_eq!(fs::read_to_string(&elsewhere).unwrap(), "");
}
