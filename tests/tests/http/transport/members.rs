//! The members of MCPL that rmcp's types drop.

use hooks_tests::client::{Client, LEGACY, STATELESS, told};
use serde_json::{Value, json};

use super::desk::serve;

fn mcpl() -> Value {
    json!({"experimental": {"mcpl": {"version": "0.4"}}})
}

#[tokio::test]
async fn members_of_a_call_come_and_its_state_goes_back_at_the_top() {
    let (address, _) = serve().await;
    for version in [LEGACY, STATELESS] {
        let (host, _) = Client::of(version, address, mcpl()).await;
        let more = json!({"state": {"n": 1}, "checkpoint": "c1", "scope": {"label": "desk"}});
        let result = host.call_with("keep", more.clone()).await;
        let expected = json!({"given": {"state": {"n": 1}, "checkpoint": "c1"}, "scope": "desk"});
        assert_eq!(told(&result), expected, "{version}");
        let state = json!({"checkpoint": "c2", "parent": "c1", "data": {"n": 2}});
        assert_eq!(result["state"], state, "{version}: {result}");
        assert!(!result.to_string().contains("hooks-sdk/lift"), "{result}");

        // A plain client neither sends nor gets any of it.
        let (plain, _) = Client::of(version, address, json!({})).await;
        let result = plain.call_with("keep", more).await;
        assert_eq!(
            told(&result),
            json!({"given": {}, "scope": null}),
            "{version}"
        );
        assert_eq!(result.get("state"), None);
    }
}

#[tokio::test]
async fn an_answer_of_the_host_arrives_whole() {
    let (address, _) = serve().await;
    let (host, _) = Client::of(LEGACY, address, mcpl()).await;
    host.notify("featureSets/update", json!({"enabled": ["desk.*"]}))
        .await;
    for _ in 0..3 {
        let mut call = host.start("infer", json!({})).await;
        let request = call.until("inference/request").await;
        assert_eq!(request["params"].get("_meta"), None, "{request}");
        // rmcp reads this result as one of its own, which has no `usage`.
        let answer = json!({
            "role": "assistant",
            "content": "Nothing.",
            "model": "m",
            "finishReason": "endTurn",
            "usage": {"inputTokens": 3, "outputTokens": 5},
            "action": "accept",
        });
        host.respond(&request["id"], answer).await;
        let told = told(&call.result().await);
        assert_eq!(
            told["usage"],
            json!({"inputTokens": 3, "outputTokens": 5}),
            "{told}"
        );
        assert_eq!(
            (&told["content"], &told["role"]),
            (&json!("Nothing."), &json!("assistant"))
        );
    }
}

#[tokio::test]
async fn an_answer_that_is_no_answer_ends_the_wait() {
    let (address, _) = serve().await;
    let (host, _) = Client::of(LEGACY, address, mcpl()).await;
    host.notify("featureSets/update", json!({"enabled": ["desk.*"]}))
        .await;
    for broken in [
        json!({"result": {}}),
        json!({"jsonrpc": "2.0", "error": "no"}),
    ] {
        let mut call = host.start("infer", json!({})).await;
        let request = call.until("inference/request").await;
        let mut message = broken;
        message["id"] = request["id"].clone();
        host.post(&message.to_string()).await;
        let told = told(&call.result().await);
        let failed = told["failed"].as_str().unwrap_or_else(|| panic!("{told}"));
        assert!(failed.contains("no JSON-RPC response"), "{failed}");
    }
}
