//! The audit log.

use std::fs;

use serde_json::{Value, json};

use crate::asks::serve;

const POLICY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/policy.yaml");

fn lines(file: &std::path::Path) -> Vec<Value> {
    let text = fs::read_to_string(file).expect("a file");
    let lines = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"));
    lines.collect()
}

#[tokio::test]
async fn each_decision_is_a_line_without_contents() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("audit.jsonl");
    let served = serve(POLICY.as_ref(), Some(&file), false).await;
    served
        .call("e1", "delete_memory", json!({"id": "hidden"}))
        .await;
    served
        .result("e1", "hidden, IBAN DE89 3704 0044 0532 0130 00")
        .await;
    let lines = lines(&file);
    assert_eq!(lines.len(), 2);
    let mut first = lines[0].clone();
    let took = first["microseconds"].take();
    assert!(took.is_u64() && first["at"].take().is_string());
    let expected = json!({
        "at": null, "method": "steps/toolCallRequest", "point": "tool_call_request", "agent": "notes",
        "session": "s1", "turnId": "t1", "stepId": "p1", "tool": "delete_memory", "decision": "deny",
        "message": "nothing is deleted here", "reasonCode": ["NO_DELETE"], "microseconds": null,
    });
    assert_eq!(first, expected);
    assert_eq!(
        (&lines[1]["decision"], &lines[1]["tool"]),
        (&json!("modify"), &json!("delete_memory"))
    );
    let text = fs::read_to_string(&file).expect("a file");
    assert!(!text.contains("hidden") && !text.contains("DE89"), "{text}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(&file).expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

#[tokio::test]
async fn contents_are_told_when_asked_for_and_are_bounded() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("audit.jsonl");
    fs::write(&file, "{\"before\":true}\n").expect("a file");
    let served = serve(POLICY.as_ref(), Some(&file), true).await;
    served.call("e1", "search", json!({"query": "shown"})).await;
    served
        .call("e2", "search", json!({"query": "x".repeat(100_000)}))
        .await;
    let lines = lines(&file);
    assert_eq!((lines.len(), &lines[0]["before"]), (3, &json!(true)));
    assert_eq!(
        lines[1]["contents"]["toolCallRequest"]["inputs"][0]["value"],
        "shown"
    );
    assert_eq!(lines[2]["contents"]["omitted"], true);
}

#[tokio::test]
async fn a_message_is_told_by_its_method() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("audit.jsonl");
    let served = serve(POLICY.as_ref(), Some(&file), false).await;
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    served.ask("protocols/MCP", message.clone()).await;
    served
        .ask("protocols/MCP", json!({"message": message}))
        .await;
    served
        .ask("message/send", json!({"payload": message}))
        .await;
    for line in lines(&file) {
        assert_eq!(line["messageMethod"], "tools/list", "{line}");
    }
}

#[tokio::test]
async fn lines_of_many_clients_stay_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("audit.jsonl");
    let served = serve(POLICY.as_ref(), Some(&file), false).await;
    let asking = (0..50).map(|_| served.call("e1", "search", json!({})));
    futures::future::join_all(asking).await;
    assert_eq!(lines(&file).len(), 50);
}
