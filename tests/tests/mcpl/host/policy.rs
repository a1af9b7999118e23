//! The handshake and what the host allows.

use hooks_sdk::{
    mcpl::wire::Receipt,
    testing::{ConnectError, McplHost, mcpl::McplGrants},
};
use serde_json::json;

use super::peer::{Peer, connected, event, sets, silent};

#[tokio::test]
async fn a_host_of_0_4_mirrors_its_capabilities_and_enables_what_is_declared() {
    let (mut peer, stream) = Peer::new();
    let (read, write) = tokio::io::split(stream);
    let connecting = McplHost::builder().over(read, write);
    let answering = async {
        let params = peer.shake_hands(json!({"mcpl": {"version": "0.4", "featureSets": sets()}}));
        (params.await, peer.take_policy(json!(null)).await)
    };
    let (host, (params, policy)) = tokio::join!(connecting, answering);
    assert!(host.unwrap().speaks_mcpl());
    assert_eq!(params["protocolVersion"], "2024-11-05");
    let mcpl = &params["capabilities"]["experimental"]["mcpl"];
    assert_eq!(mcpl["version"], "0.4");
    assert_eq!(mcpl["contextHooks"]["afterInference"]["blocking"], true);
    assert_eq!(mcpl["featureSets"], true);
    let mut enabled: Vec<_> = policy["enabled"].as_array().unwrap().to_vec();
    enabled.sort_by_key(ToString::to_string);
    assert_eq!(
        enabled,
        [
            "acc.chan",
            "acc.files",
            "acc.infer",
            "acc.notes",
            "acc.push"
        ]
    );
}

#[tokio::test]
async fn a_host_of_0_5_asks_for_a_receipt() {
    let (mut peer, stream) = Peer::new();
    let (read, write) = tokio::io::split(stream);
    let builder = McplHost::builder()
        .version("0.5.0-draft")
        .protocol("2025-06-18")
        .grant(["pushEvents"])
        .enable(["acc.push"]);
    let connecting = builder.over(read, write);
    let receipt = json!({
        "accepted": true, "mode": "degraded",
        "unavailableFeatures": [
            {"featureSet": "acc.infer", "missingCapabilities": ["inferenceRequest"], "effect": "disabled"},
        ],
    });
    let answering = async {
        let params = peer.shake_hands(json!({"mcpl": {"version": "0.5", "featureSets": sets()}}));
        (params.await, peer.take_policy(receipt).await)
    };
    let (host, (params, policy)) = tokio::join!(connecting, answering);
    assert_eq!(params["protocolVersion"], "2025-06-18");
    let mcpl = &params["capabilities"]["experimental"]["mcpl"];
    assert_eq!(mcpl["version"], "0.5.0-draft");
    assert_eq!(mcpl["channels"]["incoming"], true);
    assert_eq!(
        policy,
        json!({"effectiveCapabilities": ["pushEvents"], "enabled": ["acc.push"]})
    );
    let host = host.unwrap();
    let receipt = host.receipt().unwrap();
    let Receipt::Accepted(receipt) = receipt else {
        panic!("{receipt:?}");
    };
    let unavailable = receipt.unavailable_features.unwrap();
    assert_eq!(unavailable[0].feature_set, "acc.infer");
}

#[tokio::test]
async fn a_server_without_mcpl_hears_nothing_of_it() {
    let (mut peer, stream) = Peer::new();
    let (read, write) = tokio::io::split(stream);
    let (host, _) = tokio::join!(
        McplHost::builder().over(read, write),
        peer.shake_hands(json!({}))
    );
    let host = host.unwrap();
    assert!(!host.speaks_mcpl());
    assert_eq!(
        peer.code("push/event", event("acc.push", "1")).await,
        -32601
    );
    assert_eq!(peer.result("ping", json!({})).await, json!({}));
    assert_eq!(host.received("push/event").len(), 1);
}

#[tokio::test]
async fn a_host_of_plain_mcp_hears_nothing_of_mcpl() {
    let builder = McplHost::builder().capabilities(json!({"roots": {}}));
    let (host, mut peer) = silent(builder).await;
    assert!(!host.speaks_mcpl());
    assert_eq!(
        peer.code("push/event", event("acc.push", "1")).await,
        -32601
    );
    peer.notify("channels/changed", json!({})).await;
    host.wait_for("channels/changed").await.unwrap();
    assert_eq!(host.failures().len(), 1);
}

#[tokio::test]
async fn updates_of_0_4_count_at_once_and_change_only_what_they_name() {
    let builder = McplHost::builder().enable(["acc.*"]);
    let (host, mut peer) = connected(builder).await;
    let policy = McplGrants::new()
        .disable(["acc.push"])
        .whitelist("acc.files", ["/project/**"]);
    assert!(host.update_feature_sets(&policy).await.unwrap().is_none());
    let update = peer.expect("featureSets/update").await;
    assert!(update.get("id").is_none());
    assert_eq!(
        update["params"],
        json!({"disabled": ["acc.push"], "scopes": {"acc.files": {"whitelist": ["/project/**"]}}})
    );
    let refused = peer.ask("push/event", event("acc.push", "1")).await;
    assert_eq!(refused["error"]["code"], -32001);
    assert_eq!(
        refused["error"]["data"],
        json!({"featureSet": "acc.push", "canEnable": true})
    );
    let unknown = event("acc.nobody", "1");
    assert_eq!(peer.code("push/event", unknown).await, -32003);
    host.disable(["acc.infer"]).await.unwrap();
    let update = peer.expect("featureSets/update").await;
    assert_eq!(update["params"], json!({"disabled": ["acc.infer"]}));
    let asked = json!({"featureSet": "acc.infer", "messages": []});
    assert_eq!(peer.code("inference/request", asked).await, -32001);
}

#[tokio::test]
async fn a_silent_host_of_0_4_accepts_and_one_of_0_5_denies() {
    let (_host, mut peer) = silent(McplHost::builder()).await;
    let accepted = peer.result("push/event", event("acc.push", "1")).await;
    assert_eq!(accepted["accepted"], true);
    let (_host, mut peer) = silent(McplHost::builder().version("0.5")).await;
    let denied = peer.ask("push/event", event("acc.push", "1")).await;
    assert_eq!(denied["error"]["code"], -32002);
    assert_eq!(denied["error"]["data"], json!({"capability": "pushEvents"}));
}

#[tokio::test]
async fn a_grant_of_0_5_counts_from_its_receipt_on() {
    let (host, mut peer) = silent(McplHost::builder().version("0.5")).await;
    let policy = McplGrants::trusting();
    let answering = async {
        let update = peer.expect("featureSets/update").await;
        assert_eq!(
            peer.code("push/event", event("acc.push", "1")).await,
            -32002
        );
        peer.answer(&update, json!({"accepted": true})).await;
        // Right behind the receipt, as a server that has waited for its grant sends it.
        peer.result("push/event", event("acc.push", "1")).await
    };
    let (receipt, accepted) = tokio::join!(host.update_feature_sets(&policy), answering);
    assert!(receipt.unwrap().unwrap().is_accepted());
    assert_eq!(accepted["accepted"], true);
    host.disable(["acc.*"]).await.unwrap();
    let narrowed = peer.expect("featureSets/update").await;
    assert!(narrowed.get("id").is_none());
    let refused = peer.ask("push/event", event("acc.push", "2")).await;
    assert_eq!(refused["error"]["code"], -32001);
    assert_eq!(refused["error"]["data"], json!({"featureSet": "acc.push"}));
}

#[tokio::test]
async fn an_error_changes_nothing_and_a_refusal_leaves_mcp() {
    let (host, mut peer) = connected(McplHost::builder().version("0.5")).await;
    let malformed = McplGrants::new().grant(["tools"]).deny(["tools"]);
    let answering = async {
        let update = peer.expect("featureSets/update").await;
        let error = json!({"code": -32602, "message": "granted and denied"});
        peer.refuse(&update, error).await;
    };
    let (refused, ()) = tokio::join!(host.update_feature_sets(&malformed), answering);
    assert_eq!(refused.unwrap_err().code(), Some(-32602));
    let accepted = peer.result("push/event", event("acc.push", "1")).await;
    assert_eq!(accepted["accepted"], true);

    let answering = peer.take_policy(json!({"accepted": false, "fallback": "mcp-only"}));
    let policy = McplGrants::trusting();
    let (receipt, _) = tokio::join!(host.update_feature_sets(&policy), answering);
    assert!(!receipt.unwrap().unwrap().is_accepted());
    let denied = event("acc.push", "2");
    assert_eq!(peer.code("push/event", denied).await, -32002);
    assert_eq!(peer.result("ping", json!({})).await, json!({}));
}

#[tokio::test]
async fn a_server_that_asks_for_it_is_disconnected() {
    let (mut peer, stream) = Peer::new();
    let (read, write) = tokio::io::split(stream);
    let connecting = McplHost::builder().version("0.5").over(read, write);
    let answering = async {
        peer.shake_hands(json!({"mcpl": {"version": "0.5", "featureSets": {}}}))
            .await;
        peer.take_policy(json!({"accepted": false, "fallback": "close"}))
            .await;
        assert_eq!(peer.next().await, None);
    };
    let (host, ()) = tokio::join!(connecting, answering);
    assert!(!host.unwrap().receipt().unwrap().is_accepted());
}

#[tokio::test]
async fn a_policy_that_fails_fails_the_connection() {
    let (mut peer, stream) = Peer::new();
    let (read, write) = tokio::io::split(stream);
    let connecting = McplHost::builder().version("0.5").over(read, write);
    let answering = async {
        peer.shake_hands(json!({"mcpl": {"version": "0.5", "featureSets": {}}}))
            .await;
        peer.take_policy(json!({"accepted": "yes"})).await;
    };
    let (host, ()) = tokio::join!(connecting, answering);
    assert!(matches!(host, Err(ConnectError::Policy(_))));
}
