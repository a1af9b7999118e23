//! The audit of a server: one line for each request, however it ended.

use std::{fs, path::Path};

use hooks_sdk::{
    Policy,
    core::{HookError, OnFailure, Verdict},
    plugin::{PluginHook, ToolCall, point, ready::Audit},
    server::Sessions,
    session::Machine,
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
                null,
                null,
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
