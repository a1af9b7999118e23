//! What a good host answers to what the server asks.

use hooks_sdk::{
    mcpl::{Elevation, ErrorObject, InferenceResult, ModelInfo, Usage, wire::manifest},
    testing::{
        McplHost, Side,
        mcpl::{AuditOutcome, McplGrants},
    },
};
use serde_json::{Map, json};

use super::peer::{connected, event};

#[tokio::test]
async fn events_are_accepted_once() {
    let (host, mut peer) = connected(McplHost::builder().name("memory")).await;
    let first = peer.result("push/event", event("acc.push", "1")).await;
    assert_eq!(first["accepted"], true);
    let again = peer.result("push/event", event("acc.push", "1")).await;
    assert_eq!(again, json!({"accepted": false, "reason": "duplicate"}));
    let mut odd = event("acc.push", "2");
    odd["timestamp"] = json!("yesterday");
    assert_eq!(peer.code("push/event", odd).await, -32602);
    assert_eq!(peer.code("push/event", json!({})).await, -32602);

    let audit = host.audit();
    let pushes: Vec<_> = audit
        .iter()
        .filter(|entry| entry.from == Side::Server)
        .collect();
    assert_eq!(pushes.len(), 4);
    assert_eq!(pushes[0].server, "memory");
    assert_eq!(pushes[0].feature_set.as_deref(), Some("acc.push"));
    assert_eq!(
        pushes[0].inference_id.as_deref(),
        first["inferenceId"].as_str()
    );
    assert_eq!(pushes[0].outcome, AuditOutcome::Success);
    assert_eq!(pushes[3].outcome, AuditOutcome::Refused { code: -32602 });
}

#[tokio::test]
async fn inferences_are_answered_and_streamed() {
    let builder = McplHost::builder().infers("one two three");
    let (_host, mut peer) = connected(builder).await;
    let params = json!({
        "featureSet": "acc.infer", "stream": true,
        "messages": [{"role": "user", "content": "count"}],
    });
    let answer = peer.ask("inference/request", params.clone()).await;
    assert_eq!(answer["result"]["content"], "one two three");
    assert_eq!(answer["result"]["finishReason"], "end_turn");
    assert_eq!(answer["result"]["model"], "test-model");
    for (index, delta) in ["one ", "two ", "three"].into_iter().enumerate() {
        let chunk = peer.expect("inference/chunk").await;
        assert_eq!(
            chunk["params"],
            json!({"requestId": answer["id"], "index": index, "delta": delta})
        );
    }
    // An id that is a string is one as well.
    peer.send(
        json!({"jsonrpc": "2.0", "id": "s-1", "method": "inference/request", "params": params}),
    )
    .await;
    assert_eq!(
        peer.expect("inference/chunk").await["params"]["requestId"],
        "s-1"
    );
}

#[tokio::test]
async fn inferences_are_scripted() {
    let builder = McplHost::builder()
        .model(ModelInfo::new("m-1", "acme", 1000))
        .inference(|request| {
            if request.messages.is_empty() {
                return Err(ErrorObject::invalid_params("nothing to infer from"));
            }
            Ok(InferenceResult::new("scripted", "m-1", Usage::new(1, 1)))
        });
    let (_host, mut peer) = connected(builder).await;
    let params = json!({"featureSet": "acc.infer", "messages": []});
    assert_eq!(peer.code("inference/request", params).await, -32602);
    let params = json!({"featureSet": "acc.infer", "messages": [{"role": "user", "content": "x"}]});
    let result = peer.result("inference/request", params).await;
    assert_eq!(result["content"], "scripted");
    let model = peer.result("model/info", json!({})).await;
    assert_eq!(model["id"], "m-1");
    assert_eq!(model["contextWindow"], 1000);
}

#[tokio::test]
async fn scopes_are_judged_by_the_lists_and_then_by_the_test() {
    let policy = McplGrants::new()
        .enable(["acc.files"])
        .whitelist("acc.files", ["/project/**"])
        .blacklist("acc.files", ["**/.env"]);
    let builder = McplHost::builder()
        .grants(policy)
        .enrich(|_, scope| {
            Map::from_iter([(
                "resolved".to_owned(),
                json!(format!("host:{}", scope.label)),
            )])
        })
        .decide(|set, scope| {
            assert_eq!(set, "acc.files");
            if scope.label.starts_with("/tmp/") {
                Elevation::approved(None)
            } else {
                Elevation::denied("the user said no")
            }
        });
    let (_host, mut peer) = connected(builder).await;
    let ask = |label: &str| json!({"featureSet": "acc.files", "scope": {"label": label, "payload": {"path": label}}});
    for (label, expected) in [
        (
            "/project/a",
            json!({"approved": true, "payload": {"path": "/project/a", "resolved": "host:/project/a"}}),
        ),
        (
            "/project/.env",
            json!({"approved": false, "reason": "on the blacklist"}),
        ),
        ("/tmp/x", json!({"approved": true})),
        (
            "/etc/hosts",
            json!({"approved": false, "reason": "the user said no"}),
        ),
    ] {
        assert_eq!(peer.result("scope/elevate", ask(label)).await, expected);
    }
    let other = json!({"featureSet": "acc.notes", "scope": {"label": "x"}});
    assert_eq!(peer.code("scope/elevate", other).await, -32001);
}

#[tokio::test]
async fn a_host_of_0_5_knows_no_scopes_and_no_changed_feature_sets() {
    let (host, mut peer) = connected(McplHost::builder().version("0.5")).await;
    let ask = json!({"featureSet": "acc.files", "scope": {"label": "x"}});
    assert_eq!(peer.code("scope/elevate", ask).await, -32601);
    peer.notify("featureSets/changed", json!({"removed": ["acc.push"]}))
        .await;
    host.wait_for("featureSets/changed").await.unwrap();
    assert_eq!(host.failures().len(), 1);
    assert!(host.declared()["featureSets"].get("acc.push").is_some());
}

#[tokio::test]
async fn each_request_of_0_5_needs_its_capability() {
    let builder = McplHost::builder()
        .version("0.5")
        .grant(["inferenceRequest"]);
    let (_host, mut peer) = connected(builder).await;
    for (method, capability) in [
        ("push/event", "pushEvents"),
        ("model/info", "modelInfo"),
        ("channels/register", "channels.register"),
        ("channels/changed", "channels.register"),
        ("channels/list", "channels.register"),
        ("channels/incoming", "channels.incoming"),
    ] {
        let answer = peer.ask(method, json!({})).await;
        assert_eq!(answer["error"]["code"], -32002, "{method}");
        assert_eq!(answer["error"]["data"]["capability"], capability);
    }
    let params = json!({"featureSet": "acc.infer", "stream": true, "messages": []});
    peer.result("inference/request", params).await;
    // Streaming was not granted, so that nothing came before the answer.
    peer.request("ping", json!({})).await;
    assert!(peer.next().await.unwrap().get("method").is_none());
}

#[tokio::test]
async fn feature_sets_come_and_go() {
    let (host, mut peer) = connected(McplHost::builder().enable(["acc.*"])).await;
    let late = json!({"description": "Late", "uses": ["pushEvents"]});
    let change = json!({"added": {"acc.late": late}, "removed": ["acc.infer"]});
    peer.notify("featureSets/changed", change).await;
    let accepted = peer.result("push/event", event("acc.late", "1")).await;
    assert_eq!(accepted["accepted"], true);
    let asked = json!({"featureSet": "acc.infer", "messages": []});
    assert_eq!(peer.code("inference/request", asked).await, -32003);
    assert_eq!(host.declared()["featureSets"]["acc.late"], late);
}

#[tokio::test]
async fn a_changed_manifest_is_read() {
    let (host, mut peer) = connected(McplHost::builder().version("0.5")).await;
    let changed = json!({"revision": "sha256:x", "domains": ["featureSets"]});
    peer.notify("mcpl/manifestChanged", changed).await;
    let request = peer.expect("mcpl/manifest").await;
    let late = json!({"description": "Late", "uses": ["pushEvents"]});
    let mut manifest = json!({"version": "0.5", "featureSets": {"acc.late": late}});
    manifest["revision"] = json!(manifest::revision(&manifest).unwrap());
    peer.answer(&request, manifest.clone()).await;
    host.wait_until(|host| host.declared() == manifest)
        .await
        .unwrap();
    assert_eq!(
        peer.code("push/event", event("acc.push", "1")).await,
        -32003
    );

    assert!(host.failures().is_empty());

    let odd = json!({"version": "0.5", "revision": "sha256:x", "featureSets": {}});
    let asking = async {
        let request = peer.expect("mcpl/manifest").await;
        peer.answer(&request, odd.clone()).await;
    };
    let (manifest, ()) = tokio::join!(host.manifest(), asking);
    assert_eq!(manifest.unwrap(), odd);
    assert_eq!(host.declared(), odd);
    assert_eq!(host.failures().len(), 1);

    let malformed = json!({"revision": "sha256:x", "domains": [], "more": 1});
    peer.notify("mcpl/manifestChanged", malformed).await;
    host.wait_for("mcpl/manifestChanged").await.unwrap();
    host.wait_for("mcpl/manifestChanged").await.unwrap();
    assert_eq!(host.failures().len(), 2);
}
