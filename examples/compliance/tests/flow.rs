//! The redaction as hosts see it: the document's example, plain hosts, those of 0.5, and failures.

use compliance_server::{Compliance, MAX_ANSWER, MAX_LISTED};
use hooks_sdk::{
    Hooked, WithHooks,
    testing::{McplHost, mcpl::Turn},
};
use serde_json::{Value, json};

const METHOD: &str = "context/afterInference";

fn server() -> Hooked<Compliance> {
    Compliance.with_hooks().unwrap()
}

fn params(answer: &str) -> Value {
    json!({
        "inferenceId": "inf_abc",
        "conversationId": "conv_456",
        "turnIndex": 3,
        "userMessage": "What's the API key?",
        "assistantMessage": answer,
        "model": {},
        "usage": {"inputTokens": 50, "outputTokens": 20},
    })
}

// ANCHOR: flow
#[tokio::test]
async fn the_documents_example() {
    let host = McplHost::builder().enable(["compliance.redaction"]);
    let host = host.connect(server()).await.unwrap();
    let declared = json!({
        "version": "0.4",
        "contextHooks": {"afterInference": {"blocking": true}},
        "featureSets": {
            "compliance.redaction": {
                "description": "Redact secrets and PII from responses",
                "uses": ["contextHooks.afterInference"],
            },
        },
    });
    assert_eq!(host.declared(), declared);
    let answer = "The API key is sk-1234567890abcdef...";
    let result = host.request(METHOD, params(answer)).await.unwrap();
    let expected = json!({
        "featureSet": "compliance.redaction",
        "modifiedResponse": "The API key is [REDACTED]...",
        "metadata": {"redactions": [{"type": "api_key", "position": [15, 34]}]},
    });
    assert_eq!(result, expected);
    let turn = Turn::new("conv_456").assistant(answer);
    let shown = host.after_inference(&turn).await;
    assert_eq!(
        shown.response.as_deref(),
        Some("The API key is [REDACTED]...")
    );
    assert_eq!(host.failures(), []);
}
// ANCHOR_END: flow

#[tokio::test]
async fn an_answer_without_secrets_is_left_alone() {
    let host = McplHost::connect(server()).await.unwrap();
    let result = host.request(METHOD, params("Nothing here.")).await.unwrap();
    assert_eq!(result, json!({"featureSet": "compliance.redaction"}));
}

#[tokio::test]
async fn positions_count_characters() {
    let host = McplHost::connect(server()).await.unwrap();
    let answer = "Grüße an 漢字 <a@example.org>, +49 30 123456";
    let result = host.request(METHOD, params(answer)).await.unwrap();
    assert_eq!(
        result["modifiedResponse"],
        "Grüße an 漢字 <[REDACTED]>, [REDACTED]"
    );
    let listed = result["metadata"]["redactions"].as_array().unwrap();
    let characters: Vec<char> = answer.chars().collect();
    let told = |at: usize| -> String {
        let place = |end: usize| listed[at]["position"][end].as_u64().unwrap() as usize;
        characters[place(0)..place(1)].iter().collect()
    };
    assert_eq!(
        (told(0).as_str(), told(1).as_str()),
        ("a@example.org", "+49 30 123456")
    );
    assert_eq!(listed[0]["type"], "email_address");
    assert_eq!(listed[1]["type"], "phone_number");
}

#[tokio::test]
async fn what_is_too_long_is_refused_and_not_passed() {
    let host = McplHost::builder()
        .fail_closed()
        .connect(server())
        .await
        .unwrap();
    let turn = Turn::new("conv").assistant("a".repeat(MAX_ANSWER + 1));
    let shown = host.after_inference(&turn).await;
    assert_eq!(shown.response, None);
    assert_eq!(shown.failure.unwrap().code(), Some(-32603));
}

#[tokio::test]
async fn long_lists_are_cut_and_everything_is_redacted() {
    let host = McplHost::connect(server()).await.unwrap();
    let answer = "a@example.org ".repeat(MAX_LISTED + 7);
    let result = host.request(METHOD, params(&answer)).await.unwrap();
    let metadata = &result["metadata"];
    assert_eq!(metadata["redactions"].as_array().unwrap().len(), MAX_LISTED);
    assert_eq!(metadata["unlisted"], 7);
    assert!(!result["modifiedResponse"].as_str().unwrap().contains('@'));
}

#[tokio::test]
async fn a_disabled_set_changes_nothing() {
    let host = McplHost::builder().enable(["other.*"]);
    let host = host.connect(server()).await.unwrap();
    let result = host
        .request(METHOD, params("sk-1234567890abcdef"))
        .await
        .unwrap();
    assert_eq!(result, json!({"featureSet": "compliance.redaction"}));
}

#[tokio::test]
async fn a_plain_host_hears_nothing_of_it() {
    let host = McplHost::builder().capabilities(json!({}));
    let host = host.connect(server()).await.unwrap();
    assert_eq!(host.handshake()["capabilities"], json!({}));
    assert!(
        host.request(METHOD, params("sk-1234567890abcdef"))
            .await
            .is_err()
    );
    assert_eq!(host.failures(), []);
}

#[tokio::test]
async fn in_0_5_there_is_nothing_to_declare() {
    let host = McplHost::builder().version("0.5");
    let host = host.connect(server()).await.unwrap();
    let declared = host.declared();
    assert_eq!(declared["version"], "0.5");
    assert_eq!(declared["featureSets"], json!({}));
    assert_eq!(declared.get("contextHooks"), None);
    let result = host
        .request(METHOD, params("sk-1234567890abcdef"))
        .await
        .unwrap();
    assert_eq!(result, json!({"featureSet": "compliance.redaction"}));
}
