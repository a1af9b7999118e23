//! What rules decide.

use serde_json::json;

use crate::asks::{said, serve, serve_text};

#[tokio::test]
async fn the_policy_of_the_readme_decides_as_it_says() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/policy.yaml");
    let served = serve(file.as_ref(), None, false).await;
    let deleted = served.call("e1", "delete_memory", json!({"id": "7"})).await;
    assert_eq!(said(&deleted), ("deny", "nothing is deleted here"));
    assert_eq!(deleted["reasonCode"], json!(["NO_DELETE"]));
    let read = served
        .call("e2", "read_file", json!({"path": "/srv/../etc/passwd"}))
        .await;
    assert_eq!(said(&read), ("deny", "the system's files are not touched"));
    let read = served
        .call("e3", "read_file", json!({"path": "/srv/notes"}))
        .await;
    assert_eq!(said(&read), ("allow", "allowed"));
    let stored = served.store("the Password is on the fridge").await;
    assert_eq!(said(&stored), ("deny", "passwords do not belong here"));
    assert_eq!(
        said(&served.store("the meeting is on Monday").await).0,
        "allow"
    );
    let result = served
        .result("e3", "IBAN DE89 3704 0044 0532 0130 00, fee 5")
        .await;
    assert_eq!(result["decision"], "modify");
    let changed = &result["modifiedRequest"]["params"]["toolCallResult"]["result"]["outputs"];
    assert_eq!(changed[0]["text"], "IBAN [REDACTED], fee 5");
    assert_eq!(result["reasonCode"], json!(["secrets"]));
}

#[tokio::test]
async fn the_first_rule_that_decides_counts_and_redactions_add_up() {
    let (served, _folder) = serve_text(
        r#"
        default: deny
        rules:
          - {name: names, on: [user_message], patterns: ['(?i)\bkim\b'], replacement: $name, decision: redact}
          - {name: numbers, on: [user_message], patterns: ['\d+'], replacement: N, decision: redact}
          - {name: greetings, on: [user_message], when: 'text = "*hello $name*"', decision: allow, message: be greeted}
          - {name: never, on: [user_message], decision: deny, reasoning: it is the last rule}
        "#,
    )
    .await;
    let message = |text: &str| {
        let part = json!({"kind": "text", "text": text});
        json!({"message": {"id": "m1", "role": "user", "content": [part]}})
    };
    let greeted = served
        .ask("steps/message", message("hello Kim, 42 times"))
        .await;
    assert_eq!(said(&greeted), ("modify", "be greeted"));
    assert_eq!(
        greeted["reasonCode"],
        json!(["names", "numbers", "greetings"])
    );
    let text = &greeted["modifiedRequest"]["params"]["message"]["content"][0]["text"];
    assert_eq!(text, "hello $name, N times");
    let denied = served.ask("steps/message", message("bye Kim")).await;
    assert_eq!(said(&denied), ("deny", "the rule `never` denies it"));
    assert_eq!(denied["reasoning"], "it is the last rule");
    assert_eq!(denied["reasonCode"], json!(["never"]));
    // No rule decides about this one.
    let call = served.call("e1", "search", json!({})).await;
    assert_eq!(said(&call), ("deny", "no rule allows it"));
}

#[tokio::test]
async fn agents_users_and_raw_messages_are_told_apart() {
    let (served, _folder) = serve_text(
        r#"
        default: allow
        rules:
          - {name: notes only, on: [tool_call_request], agents: ["note*"], tools: [notes_*], decision: allow}
          - {name: no one else, on: [tool_call_request], tools: [notes_*], decision: deny}
          - {name: known users, on: [memory_store], when: not(user), decision: deny}
          - {name: no sampling, on: [mcp], when: 'message.method = "sampling/*"', decision: deny}
        "#,
    )
    .await;
    assert_eq!(
        said(&served.call("e1", "notes_add", json!({})).await).0,
        "allow"
    );
    assert_eq!(said(&served.store("a note").await).0, "deny");
    let mcp = |method: &str| json!({"message": {"jsonrpc": "2.0", "id": 1, "method": method}});
    assert_eq!(
        said(
            &served
                .ask("protocols/MCP", mcp("sampling/createMessage"))
                .await
        )
        .0,
        "deny"
    );
    assert_eq!(
        said(&served.ask("protocols/MCP", mcp("tools/list")).await).0,
        "allow"
    );
}

#[tokio::test]
async fn a_result_belongs_to_the_tool_of_its_call() {
    let (served, _folder) = serve_text(
        r#"
        default: allow
        rules:
          - {name: public, on: [tool_call_result], tools: [search], decision: allow}
          - {name: the rest, on: [tool_call_result], tools: ["*"], decision: deny}
        "#,
    )
    .await;
    served.call("e1", "search", json!({})).await;
    served.call("e2", "read_mail", json!({})).await;
    assert_eq!(said(&served.result("e1", "found").await).0, "allow");
    assert_eq!(said(&served.result("e2", "a mail").await).0, "deny");
    // Nobody asked about this call, so it could be any tool.
    assert_eq!(said(&served.result("e3", "found").await).0, "deny");
}

#[tokio::test]
async fn an_argument_that_is_there_twice_is_denied() {
    let (served, _folder) = serve_text("default: allow").await;
    let input = |value: &str| json!({"name": "path", "value": value});
    let inputs = [input("/etc/passwd"), input("/srv/notes")];
    let call = json!({"executionId": "e1", "toolId": "read_file", "inputs": inputs});
    let params = json!({"toolCallRequest": call});
    let asked = served.ask("steps/toolCallRequest", params).await;
    assert_eq!(said(&asked), ("deny", "an argument is there twice"));
}
