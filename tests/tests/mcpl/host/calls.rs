//! What the host asks the server around an inference.

use std::time::Duration;

use hooks_sdk::{
    mcpl::{Phase, Position},
    testing::{
        McplHost,
        mcpl::{AuditOutcome, McplGrants, Turn},
    },
};
use serde_json::{Value, json};

use super::peer::{Peer, connected};

fn turn() -> Turn {
    Turn::new("conv_1")
        .inference("inf_1")
        .index(7)
        .user("How is the project?")
        .assistant("The key is sk-123.")
        .usage(50, 20)
}

fn injection(position: &str, text: &str) -> Value {
    json!({"namespace": "n", "position": position, "content": text})
}

async fn answer(peer: &mut Peer, method: &str, result: Value) -> Value {
    let request = peer.expect(method).await;
    peer.answer(&request, result).await;
    request["params"].clone()
}

#[tokio::test]
async fn injections_are_grouped_by_position() {
    let (host, mut peer) = connected(McplHost::builder()).await;
    let channels = json!({"incoming": {"channelId": "c", "messageId": "m"}});
    let turn = turn().channels(channels.clone()).member("x", json!(1));
    let blocks = json!([{"type": "text", "text": "s2"}, {"type": "resource", "uri": "acc://1"}]);
    let result = json!({"featureSet": "acc.notes", "contextInjections": [
        injection("afterUser", "a"), injection("system", "s1"), injection("beforeUser", "b"),
        {"namespace": "n", "position": "system", "content": blocks, "metadata": {"k": 1}},
    ]});
    let answering = answer(&mut peer, "context/beforeInference", result);
    let (contribution, params) = tokio::join!(host.before_inference(&turn), answering);
    assert_eq!(params["inferenceId"], "inf_1");
    assert_eq!(params["turnIndex"], 7);
    assert_eq!(params["userMessage"], "How is the project?");
    assert_eq!(params["model"]["id"], "test-model");
    assert_eq!(params["channels"], channels);
    assert_eq!(params["x"], 1);
    assert!(contribution.failure.is_none());
    assert_eq!(contribution.feature_set.as_deref(), Some("acc.notes"));
    assert_eq!(contribution.text_at(Position::System), "s1\ns2");
    assert_eq!(contribution.text_at(Position::BeforeUser), "b");
    let positions: Vec<_> = contribution
        .injections
        .iter()
        .map(|one| one.position)
        .collect();
    assert!(positions.is_sorted_by_key(|position| position.as_str() != "system"));
    assert_eq!(contribution.at(Position::AfterUser).count(), 1);
    let entry = host.audit().pop().unwrap();
    assert_eq!(entry.feature_set.as_deref(), Some("acc.notes"));
    assert_eq!(entry.inference_id.as_deref(), Some("inf_1"));
}

#[tokio::test]
async fn what_is_not_allowed_is_not_taken() {
    let builder = McplHost::builder().enable(["acc.push"]);
    let (host, mut peer) = connected(builder).await;
    let result =
        json!({"featureSet": "acc.notes", "contextInjections": [injection("system", "s")]});
    let answering = answer(&mut peer, "context/beforeInference", result);
    let turn = turn();
    let (contribution, _) = tokio::join!(host.before_inference(&turn), answering);
    assert!(contribution.injections.is_empty());
    assert_eq!(contribution.rejected[0].reason, "Feature set not enabled");

    let inject = "contextHooks.beforeInference.inject";
    let paths = [
        format!("{inject}.beforeUser"),
        format!("{inject}.afterUser"),
    ];
    // What the set needs is not among these, so that it is disabled.
    let builder = McplHost::builder().version("0.5").grant(paths.clone());
    let (host, mut peer) = connected(builder).await;
    let result =
        json!({"featureSet": "acc.notes", "contextInjections": [injection("beforeUser", "b")]});
    let answering = answer(&mut peer, "context/beforeInference", result);
    let (contribution, _) = tokio::join!(host.before_inference(&turn), answering);
    assert_eq!(contribution.rejected[0].reason, "Feature set not enabled");

    let builder = McplHost::builder().version("0.5").grant(paths);
    let (host, mut peer) = connected(builder.grant(["tools"])).await;
    let result = json!({"featureSet": "acc.notes", "contextInjections": [
        injection("system", "s"), injection("beforeUser", "b"),
    ]});
    let answering = answer(&mut peer, "context/beforeInference", result);
    let (contribution, params) = tokio::join!(host.before_inference(&turn), answering);
    assert_eq!(params["userMessage"], Value::Null);
    assert_eq!(contribution.text_at(Position::BeforeUser), "b");
    assert_eq!(contribution.rejected.len(), 1);
    assert_eq!(contribution.rejected[0].reason, "Capability denied");

    let wider = McplGrants::trusting();
    let accepting = peer.take_policy(json!({"accepted": true}));
    let (receipt, _) = tokio::join!(host.update_feature_sets(&wider), accepting);
    receipt.unwrap();
    let answering = answer(&mut peer, "context/beforeInference", json!({}));
    let (contribution, params) = tokio::join!(host.before_inference(&turn), answering);
    assert_eq!(params["userMessage"], "How is the project?");
    assert!(!contribution.failure.unwrap().is_timeout());
}

#[tokio::test(start_paused = true)]
async fn a_hook_that_hangs_is_gone_on_without() {
    let (host, mut peer) = connected(McplHost::builder()).await;
    let start = tokio::time::Instant::now();
    let contribution = host.before_inference(&turn()).await;
    assert_eq!(start.elapsed().as_secs(), 5);
    assert!(contribution.failure.unwrap().is_timeout());
    assert_eq!(host.audit().pop().unwrap().outcome, AuditOutcome::TimedOut);
    let moderated = host.after_inference(&turn()).await;
    assert_eq!(start.elapsed().as_secs(), 15);
    assert_eq!(moderated.response.as_deref(), Some("The key is sk-123."));
    let asked = peer.expect("context/beforeInference").await;
    let cancelled = peer.expect("notifications/cancelled").await;
    assert_eq!(cancelled["params"]["requestId"], asked["id"]);
}

#[tokio::test]
async fn a_response_is_modified_by_an_enabled_set_only() {
    let (host, mut peer) = connected(McplHost::builder().enable(["acc.notes"])).await;
    let result = |set: &str| json!({"featureSet": set, "modifiedResponse": "[REDACTED]", "metadata": {"n": 1}});
    let turn = turn();
    let answering = answer(&mut peer, "context/afterInference", result("acc.notes"));
    let (moderated, params) = tokio::join!(host.after_inference(&turn), answering);
    assert_eq!(params["assistantMessage"], "The key is sk-123.");
    assert_eq!(
        params["usage"],
        json!({"inputTokens": 50, "outputTokens": 20})
    );
    assert_eq!(moderated.response.as_deref(), Some("[REDACTED]"));
    assert!(moderated.modified);
    assert_eq!(moderated.metadata.unwrap()["n"], 1);

    let answering = answer(&mut peer, "context/afterInference", result("acc.push"));
    let (moderated, _) = tokio::join!(host.after_inference(&turn), answering);
    assert_eq!(moderated.response.as_deref(), Some("The key is sk-123."));
    assert!(!moderated.modified && moderated.metadata.is_none());

    host.notify_after_inference(&turn).await.unwrap();
    assert!(
        peer.expect("context/afterInference")
            .await
            .get("id")
            .is_none()
    );
}

#[tokio::test]
async fn a_closed_host_shows_nothing_that_was_not_answered_for() {
    let builder = McplHost::builder()
        .fail_closed()
        .hook_timeouts(Duration::from_millis(10), Duration::from_millis(10));
    let (host, _peer) = connected(builder).await;
    let moderated = host.after_inference(&turn()).await;
    assert_eq!(moderated.response, None);
    assert!(moderated.failure.unwrap().is_timeout());
}

#[tokio::test]
async fn an_inference_inside_a_hook_can_be_refused() {
    let builder = McplHost::builder().no_inference_in_hooks();
    let (host, mut peer) = connected(builder).await;
    let asked = json!({"featureSet": "acc.infer", "messages": []});
    let answering = async {
        let request = peer.expect("context/beforeInference").await;
        let code = peer.code("inference/request", asked.clone()).await;
        let nothing = json!({"featureSet": "acc.notes", "contextInjections": []});
        peer.answer(&request, nothing).await;
        code
    };
    let turn = turn();
    let (_, code) = tokio::join!(host.before_inference(&turn), answering);
    assert_eq!(code, -32600);
    assert_eq!(peer.code("inference/request", asked).await, 0);
}

#[tokio::test]
async fn phases_of_an_inference_carry_no_words() {
    let (host, mut peer) = connected(McplHost::builder().version("0.5")).await;
    let turn = turn();
    host.lifecycle(&turn, Phase::Started).await.unwrap();
    host.lifecycle(&turn, Phase::Completed).await.unwrap();
    let started = peer.expect("inference/lifecycle").await["params"].clone();
    assert_eq!(started["phase"], "started");
    assert!(started.get("usage").is_none() && started.get("userMessage").is_none());
    let completed = peer.expect("inference/lifecycle").await["params"].clone();
    assert_eq!(completed["usage"]["outputTokens"], 20);
}
