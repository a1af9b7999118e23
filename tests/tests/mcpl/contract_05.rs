//! The acceptance fixture towards a 0.5 host: what no other test asks.

use hooks_sdk::{
    mcpl::Phase,
    testing::{
        McplHost,
        mcpl::{McplGrants, Turn},
    },
};
use serde_json::{Value, json};

use super::rig::{
    ErrorCode, before, connect, host_05, publish, refused_locally, sent, state, state_when, tool,
};

const SYSTEM: &str = "contextHooks.beforeInference.inject.system";

async fn silent() -> McplHost {
    connect(McplHost::builder().version("0.5").silent()).await
}

#[tokio::test]
async fn before_the_first_policy_nothing_is_sent() {
    let host = silent().await;
    for (name, arguments) in [
        ("acc_push", json!({"text": "a"})),
        ("acc_infer", json!({"prompt": "a"})),
        ("acc_model_info", json!({})),
        ("acc_note_add", json!({"text": "a"})),
        ("acc_chan_register", json!({})),
        ("acc_chan_changed", json!({})),
        ("acc_chan_list_host", json!({})),
        ("acc_incoming", json!({"n": 1})),
    ] {
        refused_locally(&tool(&host, name, arguments).await, -32002);
    }
    let answer = host.request("context/beforeInference", before()).await;
    assert_eq!(answer.unwrap()["contextInjections"], json!([]));
    for (method, params) in [
        (
            "channels/open",
            json!({"type": "acc", "address": {"room": "lobby"}}),
        ),
        ("channels/close", json!({"channelId": "acc:lobby"})),
        ("channels/publish", publish("acc:lobby", "a")),
    ] {
        let answer = host.request(method, params).await;
        assert_eq!(answer.code_or_0(), -32002, "{method}");
    }
    let seen = state(&host).await;
    assert_eq!(
        (&seen["before"], &seen["grant"]),
        (&json!([]), &Value::Null)
    );
    assert_eq!(seen["hostVersion"], "0.5");
    assert_eq!(sent(&host), [""; 0]);
}

#[tokio::test]
async fn injections_come_at_granted_positions_only() {
    let host = silent().await;
    let positions = async |grant: &[&str]| {
        let policy = McplGrants::new().grant(grant.iter().copied());
        host.update_feature_sets(&policy).await.unwrap();
        let answer = host
            .request("context/beforeInference", before())
            .await
            .unwrap();
        assert_eq!(answer["featureSet"], "acc.context");
        let injections = answer["contextInjections"].as_array().unwrap();
        let of = |one: &Value| one["position"].as_str().unwrap().to_owned();
        injections.iter().map(of).collect::<Vec<_>>()
    };
    let inject = "contextHooks.beforeInference.inject.*";
    let observe = "contextHooks.beforeInference.observe";
    assert_eq!(
        positions(&[inject]).await,
        ["system", "beforeUser", "afterUser"]
    );
    assert_eq!(
        positions(&["contextHooks.*.inject.afterUser"]).await,
        ["afterUser"]
    );
    assert_eq!(positions(&[observe]).await, [""; 0]);
    let wide = [
        "contextHooks.beforeInference",
        "contextHooks.*",
        "*",
        "contextHooks.beforeInference.*",
    ];
    assert_eq!(positions(&wide).await, [""; 0]);
    assert_eq!(positions(&[SYSTEM, observe]).await, ["system"]);
    let seen = state(&host).await["before"].as_array().unwrap().clone();
    let users: Vec<_> = seen.iter().map(|turn| &turn["userMessage"]).collect();
    let (none, said) = (&Value::Null, &json!("How is it?"));
    // The hook runs where `observe` is granted. The last grant in `wide` covers it, but no position to inject at.
    assert_eq!(users, [none, none, said, said, said]);
}

#[tokio::test]
async fn phases_are_recorded_and_their_end_once() {
    let host = host_05().await;
    let (one, two) = (Turn::new("c").inference("1"), Turn::new("c").inference("2"));
    for (turn, phase) in [
        (&one, Phase::Started),
        (&one, Phase::Completed),
        (&one, Phase::Completed),
        (&one, Phase::Failed),
        (&two, Phase::Started),
        (&two, Phase::Aborted),
    ] {
        host.lifecycle(turn, phase).await.unwrap();
    }
    let seen = state_when(&host, |seen| seen["lifecycle"][3].is_object()).await;
    let phases = seen["lifecycle"].as_array().unwrap().iter();
    let phases: Vec<_> = phases.map(|one| &one["phase"]).collect();
    assert_eq!(phases, ["started", "completed", "started", "aborted"]);
    let policy = McplGrants::new().grant(["pushEvents"]);
    host.update_feature_sets(&policy).await.unwrap();
    host.lifecycle(&Turn::new("c"), Phase::Started)
        .await
        .unwrap();
    assert_eq!(state(&host).await["lifecycle"].as_array().unwrap().len(), 4);
}

#[tokio::test]
async fn channels_are_opened_by_their_id() {
    let host = host_05().await;
    for open in [
        json!({"type": "x", "address": {}, "channelId": "acc:news"}),
        json!({"type": "x", "channelId": "acc:news"}),
        json!({"type": null, "address": null, "channelId": "acc:news"}),
        json!({"channelId": "acc:news"}),
    ] {
        let opened = host.request("channels/open", open).await.unwrap();
        assert_eq!(opened["channel"]["id"], "acc:news");
    }
    let neither = host.request("channels/open", json!({"address": {}})).await;
    assert_eq!(neither.code_or_0(), -32602);
    let published = host
        .request("channels/publish", publish("acc:news", "a"))
        .await;
    assert_eq!(published.unwrap()["delivered"], true);
    let moved = json!({"type": "acc", "address": {"room": "lobby"}, "channelId": "acc:nope"});
    let opened = host.request("channels/open", moved).await.unwrap();
    assert_eq!(opened["channel"]["id"], "acc:lobby", "the address finds it");
    let forbidden =
        json!({"type": "acc", "address": {"room": "forbidden"}, "channelId": "acc:lobby"});
    let forbidden = host.request("channels/open", forbidden).await;
    assert_eq!(
        forbidden.code_or_0(),
        -32024,
        "whatever the id that stands by it"
    );
    let unknown = json!({"type": "acc", "address": {"room": "none"}, "channelId": "acc:nope"});
    let unknown = host.request("channels/open", unknown).await;
    assert_eq!(unknown.code_or_0(), -32024);
    let policy = McplGrants::new().grant(["channels.register"]);
    host.update_feature_sets(&policy).await.unwrap();
    let denied = host
        .request("channels/publish", publish("acc:news", "a"))
        .await;
    assert_eq!(denied.code_or_0(), -32002);
    host.notify("channels/publish", publish("acc:news", "b"))
        .await
        .unwrap();
    let close = json!({"channelId": "acc:news"});
    assert_eq!(
        host.request("channels/close", close).await.code_or_0(),
        -32002
    );
    assert_eq!(state(&host).await["published"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn versions_beyond_are_spoken_as_0_5_and_odd_ones_as_0_4() {
    for (advertised, spoken) in [
        ("0.5.0-draft", "0.5"),
        ("0.6", "0.5"),
        ("1.0", "0.5"),
        ("0.4.1", "0.4"),
        ("0.3", "0.4"),
        ("", "0.4"),
        ("soon", "0.4"),
    ] {
        let builder = McplHost::builder().version(advertised).silent();
        let host = connect(builder).await;
        assert_eq!(host.declared()["version"], spoken, "{advertised}");
        assert_eq!(state(&host).await["hostVersion"], advertised);
    }
}
