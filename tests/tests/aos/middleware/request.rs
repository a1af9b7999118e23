//! The step before a tool runs.

use serde_json::{Value, json};
use tokio::sync::{mpsc, watch};

use super::{REQUEST, RESULT, Rig, changes, denies, soon};
use crate::observed::stand_in::Act;

#[tokio::test]
async fn an_allowed_call_runs_and_both_steps_share_their_ids() {
    let rig = Rig::new(|question| question.allow()).await;
    let answer = rig.call("echo", json!({"text": "a", "times": 2})).await;
    assert!(answer.text().contains("\"times\":2"), "{answer:?}");
    assert_eq!(rig.methods(), [REQUEST, RESULT]);
    let (request, result) = (&rig.asked(REQUEST)[0], &rig.asked(RESULT)[0]);
    let call = &request["toolCallRequest"];
    assert_eq!(call["toolId"], "echo");
    let mut inputs = call["inputs"].as_array().unwrap().clone();
    inputs.sort_by_key(|input| input["name"].to_string());
    assert_eq!(
        json!(inputs),
        json!([{"name": "text", "value": "a"}, {"name": "times", "value": 2}])
    );
    let answered = &result["toolCallResult"];
    assert_eq!(answered["executionId"], call["executionId"]);
    assert_eq!(answered["result"]["isError"], false);
    assert_eq!(answered["result"]["outputs"][0]["text"], answer.text());
    for id in ["turnId", "stepId", "session", "agent"] {
        assert_eq!(request["context"][id], result["context"][id], "{id}");
    }
}

#[tokio::test]
async fn each_call_is_a_turn_of_its_own_unless_the_client_names_one() {
    let rig = Rig::new(|question| question.allow()).await;
    rig.call("echo", json!({"text": "a"})).await;
    rig.call("echo", json!({"text": "b"})).await;
    let named =
        json!({"name": "echo", "arguments": {"text": "c"}, "_meta": {"hooks-sdk/turn": "seven"}});
    soon(rig.host.request("tools/call", named)).await.unwrap();
    let long = "x".repeat(300);
    let long =
        json!({"name": "echo", "arguments": {"text": "d"}, "_meta": {"hooks-sdk/turn": long}});
    soon(rig.host.request("tools/call", long)).await.unwrap();
    let asked = rig.asked(REQUEST);
    let turns: Vec<&str> = asked
        .iter()
        .map(|params| params["context"]["turnId"].as_str().unwrap())
        .collect();
    assert_ne!(turns[0], turns[1]);
    assert_eq!(turns[2], "seven");
    assert!(turns[3].len() < 100);
    let sessions = |at: usize| asked[at]["context"]["session"]["id"].clone();
    assert_eq!(sessions(0), sessions(1));
}

#[tokio::test]
async fn a_denied_call_does_not_run_and_says_why() {
    let rig = Rig::new(denies(REQUEST)).await;
    let answer = rig.call("echo", json!({"text": "a"})).await;
    assert!(answer.is_error());
    assert_eq!(answer.text(), "no text messages at night [QUIET_HOURS]");
    let violation = &answer.as_value()["_meta"]["hooks-sdk/violation"];
    assert_eq!(
        *violation,
        json!({"code": "QUIET_HOURS", "reason": "no text messages at night"})
    );
    assert_eq!(rig.desk.ran(), 0);
    // A refusal is no result.
    assert_eq!(rig.methods(), [REQUEST]);
}

#[tokio::test]
async fn changed_arguments_are_the_ones_that_the_tool_gets() {
    let script = changes(REQUEST, |params| {
        params["toolCallRequest"]["inputs"] =
            json!([{"name": "text", "value": "b"}, {"name": "times", "value": 3}]);
    });
    let rig = Rig::new(script).await;
    let answer = rig.call("echo", json!({"text": "a"})).await;
    let said: Value = serde_json::from_str(&answer.text()).unwrap();
    assert_eq!(said["args"], json!({"text": "b", "times": 3}));
}

#[tokio::test]
async fn changed_arguments_that_the_schema_refuses_refuse_the_call() {
    for inputs in [
        json!([{"name": "text", "value": 5}]),
        json!([]),
        json!([{"name": "text", "value": "a"}, {"name": "more", "value": 1}]),
    ] {
        let script = changes(REQUEST, move |params| {
            params["toolCallRequest"]["inputs"] = inputs.clone();
        });
        let rig = Rig::new(script).await;
        // The schema of the second one is only in the list.
        for tool in ["echo", "listed"] {
            let answer = rig.call(tool, json!({"text": "a"})).await;
            assert!(answer.is_error());
            let text = answer.text();
            let begins = format!("the guardian of this server changed the arguments of `{tool}`");
            assert!(text.starts_with(&begins), "{text}");
            assert!(text.ends_with("[guardian_change_unusable]"), "{text}");
        }
        assert_eq!(rig.desk.ran(), 0);
    }
}

#[tokio::test]
async fn nothing_else_is_asked_about() {
    let rig = Rig::new(|question| question.deny()).await;
    for (method, params) in [
        ("tools/list", json!({})),
        ("resources/list", json!({})),
        ("prompts/list", json!({})),
        ("server/discover", json!({})),
        ("com.example/own", json!({})),
    ] {
        // Whether the server has an answer does not matter here.
        _ = soon(rig.host.request(method, params)).await;
    }
    assert_eq!(rig.methods(), [""; 0]);
}

#[tokio::test]
async fn a_call_that_is_cancelled_while_the_guardian_thinks_does_not_run() {
    let (asked, mut thinking) = mpsc::unbounded_channel();
    let (decide, decided) = watch::channel(false);
    let rig = Rig::new(move |question| {
        asked.send(()).unwrap();
        let mut decided = decided.clone();
        let decided = async move { _ = decided.wait_for(|decided| *decided).await };
        Act::After(Box::pin(decided), Box::new(question.allow()))
    })
    .await;
    send(&rig, "echo", json!({"text": "a"})).await;
    soon(thinking.recv()).await.expect("a question");
    cancel(&rig).await;
    decide.send(true).unwrap();
    rig.call("echo", json!({"text": "b"})).await;
    assert_eq!(rig.desk.ran(), 1);
}

#[tokio::test]
async fn a_tool_that_is_cancelled_is_not_asked_about_afterwards() {
    let rig = Rig::new(|question| question.allow()).await;
    send(&rig, "slow", json!({})).await;
    soon(rig.desk.began.notified()).await;
    cancel(&rig).await;
    rig.desk.goes_on.notify_one();
    rig.call("echo", json!({"text": "b"})).await;
    assert_eq!(rig.asked(RESULT).len(), 1);
}

/// Sends a call with the id `call`, and does not wait for its answer.
async fn send(rig: &Rig, tool: &str, arguments: Value) {
    let line = json!({"jsonrpc": "2.0", "id": "call", "method": "tools/call", "params": {
        "name": tool, "arguments": arguments,
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "host", "version": "1"},
        },
    }});
    let line = line.to_string();
    soon(rig.host.send_line(line.as_bytes())).await.unwrap();
}

/// Cancels that call. The server has read the cancellation when this returns, because it reads one message after another.
async fn cancel(rig: &Rig) {
    let cancel = json!({"requestId": "call"});
    soon(rig.host.notify("notifications/cancelled", cancel))
        .await
        .unwrap();
    soon(rig.host.request("resources/templates/list", json!({})))
        .await
        .ok();
}
