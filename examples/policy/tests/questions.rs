//! The calls of `tests/peers/questions.json` with the testing host, on each generation. The official clients make the same
//! calls in `tests/peers/run`.

use std::{
    fs,
    path::Path,
    sync::{Arc, Mutex},
};

use hooks_sdk::{
    prelude::*,
    testing::{TestHost, TestHostBuilder},
};
use policy_server::Office;
use serde_json::{Value, json};

const GENERATIONS: [&str; 3] = ["2025-06-18", "2025-11-25", "2026-07-28"];

fn plan() -> Value {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/peers/questions.json");
    let text = fs::read_to_string(file).expect("the plan");
    serde_json::from_str(&text).expect("JSON")
}

fn builder(version: &str) -> TestHostBuilder {
    TestHost::builder().version(version)
}

/// What was asked, in the words of the plan.
fn question(params: &Value) -> Value {
    let fields = params["requestedSchema"]["properties"].as_object();
    let mut fields: Vec<_> = fields
        .into_iter()
        .flat_map(|fields| fields.keys())
        .collect();
    fields.sort();
    json!({ "message": params["message"], "fields": fields })
}

async fn check(host: &TestHost, case: &Value, about: &str) {
    let params = json!({ "name": case["tool"], "arguments": case["arguments"] });
    let result = host.ask("tools/call", params).await.expect(about);
    let text = result["content"][0]["text"].as_str().unwrap_or_default();
    let violation = &result["_meta"]["hooks-sdk/violation"];
    let refused = violation
        .as_object()
        .map(|it| json!({ "code": it["code"], "details": it["details"] }));
    assert_eq!(refused.as_ref(), case.get("violation"), "{about}: {text}");
    for words in case["says"].as_array().expect("words") {
        assert!(
            text.contains(words.as_str().expect("words")),
            "{about}: {text}"
        );
    }
}

#[tokio::test]
async fn users_are_asked_and_their_answers_decide() {
    let plan = plan();
    for version in GENERATIONS {
        let asked = Arc::new(Mutex::new(Vec::new()));
        let answer = Arc::new(Mutex::new(Value::Null));
        let user = {
            let (asked, answer) = (asked.clone(), answer.clone());
            move |params: &Value| {
                asked.lock().expect("no panic").push(question(params));
                answer.lock().expect("no panic").clone()
            }
        };
        let server = Office::new().with_hooks().expect("sound hooks");
        let host = builder(version)
            .user(user)
            .connect(server)
            .await
            .expect("a server");
        for case in plan["cases"].as_array().expect("cases") {
            let about = format!("{version}, {}", case["name"]);
            *answer.lock().expect("no panic") = case["answer"].clone();
            check(&host, case, &about).await;
            let asked = std::mem::take(&mut *asked.lock().expect("no panic"));
            let expected: Vec<Value> = case.get("asked").cloned().into_iter().collect();
            assert_eq!(asked, expected, "{about}");
        }
        let runs = host.call_tool("runs", json!({})).await.expect("runs");
        let runs: Value = serde_json::from_str(&runs.text()).expect("JSON");
        assert_eq!(runs, plan["runs"], "{version}");
    }
}

#[tokio::test]
async fn a_client_that_cannot_ask_is_refused_at_once() {
    let plan = plan();
    for version in GENERATIONS {
        let server = Office::new().with_hooks().expect("sound hooks");
        let host = builder(version).connect(server).await.expect("a server");
        check(&host, &plan["nobody_to_ask"], version).await;
        let runs = host.call_tool("runs", json!({})).await.expect("runs");
        assert_eq!(runs.text(), "{}", "{version}");
    }
}
