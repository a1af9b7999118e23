//! The acceptance fixture towards a 0.4 host: what it declares, and what its tools do.

use hooks_sdk::{
    mcpl::{Elevation, ErrorObject},
    testing::{
        McplHost,
        mcpl::{HostCall, McplGrants, Reaction},
    },
};
use serde_json::{Value, json};

use super::rig::{connect, host_04, refused_locally, sent, state, tool};

const TOOLS: [&str; 14] = [
    "acc_chan_changed",
    "acc_chan_list_host",
    "acc_chan_register",
    "acc_echo",
    "acc_file_edit",
    "acc_fs_changed",
    "acc_incoming",
    "acc_infer",
    "acc_ledger_commit",
    "acc_model_info",
    "acc_note_add",
    "acc_note_list",
    "acc_push",
    "acc_state",
];

#[tokio::test]
async fn the_declaration_is_exactly_the_table() {
    let host = connect(McplHost::builder().silent()).await;
    let handshake = host.handshake();
    assert_eq!(handshake["protocolVersion"], "2024-11-05");
    assert!(handshake["capabilities"]["tools"].is_object());
    let mut declared = host.declared();
    let sets = declared["featureSets"].as_object_mut().unwrap();
    for (name, set) in sets.iter_mut() {
        let description = set.as_object_mut().unwrap().remove("description");
        let description = description.unwrap_or_default();
        assert!(
            description.as_str().is_some_and(|it| !it.is_empty()),
            "{name}"
        );
    }
    assert_eq!(
        declared,
        json!({
            "version": "0.4",
            "pushEvents": true,
            "contextHooks": {"beforeInference": true, "afterInference": {"blocking": true}},
            "inferenceRequest": {"streaming": true},
            "modelInfo": true,
            "channels": {
                "register": true, "publish": true, "observe": true, "lifecycle": true, "streaming": true,
            },
            "featureSets": {
                "acc.push": {"uses": ["pushEvents"]},
                "acc.context": {"uses": ["contextHooks.beforeInference"]},
                "acc.after": {"uses": ["contextHooks.afterInference"]},
                "acc.infer": {"uses": ["inferenceRequest"]},
                "acc.files": {"uses": ["tools"], "scoped": true},
                "acc.notes": {"uses": ["tools"], "rollback": true},
                "acc.chan": {"uses": ["channels.publish", "channels.observe"]},
            },
        })
    );
}

#[tokio::test]
async fn every_tool_is_listed() {
    let host = host_04().await;
    let listed = host.list_tools().await.unwrap();
    let mut names: Vec<&str> = listed
        .iter()
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    names.sort_unstable();
    assert_eq!(names, TOOLS);
    let of = |name: &str| {
        let tool = listed.iter().find(|tool| tool["name"] == name).unwrap();
        tool["_meta"]["featureSet"].clone()
    };
    assert_eq!(of("acc_note_add"), "acc.notes");
    assert_eq!(of("acc_file_edit"), "acc.files");
    assert_eq!(of("acc_echo"), Value::Null);
    let echoed = host.call_tool("acc_echo", json!({"text": "öko"})).await;
    assert_eq!(echoed.unwrap().text(), "öko");
}

#[tokio::test]
async fn nothing_is_sent_before_the_policy_and_everything_says_why() {
    let host = connect(McplHost::builder().silent()).await;
    for (name, arguments) in [
        ("acc_push", json!({"text": "a"})),
        ("acc_infer", json!({"prompt": "a"})),
        ("acc_infer", json!({"prompt": "a", "stream": true})),
        ("acc_model_info", json!({})),
        ("acc_file_edit", json!({"path": "/a"})),
        ("acc_note_add", json!({"text": "a"})),
        ("acc_note_list", json!({})),
        ("acc_ledger_commit", json!({"message": "a"})),
        ("acc_chan_register", json!({})),
        ("acc_chan_changed", json!({})),
        ("acc_chan_list_host", json!({})),
        ("acc_incoming", json!({"n": 1})),
        ("acc_fs_changed", json!({})),
    ] {
        refused_locally(&tool(&host, name, arguments).await, -32001);
    }
    let seen = state(&host).await;
    assert_eq!(seen["mcpl"], true);
    assert_eq!(seen["hostVersion"], "0.4");
    assert_eq!(seen["enabled"], json!([]));
    assert_eq!(seen["grant"], Value::Null);
    assert_eq!(sent(&host), [""; 0]);
}

#[tokio::test]
async fn a_push_is_the_event_and_its_outcome() {
    let host = host_04().await;
    let pushed = tool(&host, "acc_push", json!({"text": "news", "eventId": "e1"})).await;
    assert_eq!(pushed["ok"], true, "{pushed}");
    assert_eq!(pushed["result"]["accepted"], true);
    assert!(pushed["result"]["inferenceId"].is_string());
    let request = host.received("push/event").remove(0);
    let mut params = request["params"].clone();
    let timestamp = params.as_object_mut().unwrap().remove("timestamp").unwrap();
    assert!(timestamp.as_str().unwrap().contains('T'), "{timestamp}");
    assert_eq!(
        params,
        json!({
            "featureSet": "acc.push", "eventId": "e1", "origin": {"server": "acc"},
            "payload": {"content": [{"type": "text", "text": "news"}]},
        })
    );
    let again = tool(&host, "acc_push", json!({"text": "news", "eventId": "e1"})).await;
    assert_eq!(again["ok"], true);
    assert_eq!(again["result"]["accepted"], false);
    let tags = json!({"text": "news", "tags": ["chat:mention"]});
    assert_eq!(tool(&host, "acc_push", tags).await["ok"], true);
    let tags = &host.received("push/event")[2]["params"]["tags"];
    assert!(tags.as_array().unwrap().contains(&json!("chat:mention")));
    for set in ["acc.nope", "acc.late", "acc.infer"] {
        let answer = tool(&host, "acc_push", json!({"text": "x", "featureSet": set})).await;
        refused_locally(&answer, -32003);
    }
    assert_eq!(host.received("push/event").len(), 3);
    host.react(
        "push/event",
        Reaction::error(ErrorObject::new(-32000, "no").with_data(json!({"why": 1}))),
    );
    let refused = tool(&host, "acc_push", json!({"text": "x"})).await;
    let error = json!({"code": -32000, "message": "no", "data": {"why": 1}});
    assert_eq!(refused, json!({"ok": false, "error": error}));
}

#[tokio::test]
async fn an_inference_is_the_request_and_its_answer() {
    let host = connect(McplHost::builder().infers("one two three ")).await;
    let arguments = json!({"prompt": "p", "maxTokens": 5, "conversationId": "c"});
    let answer = tool(&host, "acc_infer", arguments).await;
    assert_eq!(answer["ok"], true, "{answer}");
    assert_eq!(answer["result"]["content"], "one two three ");
    assert_eq!(answer["chunks"], json!([]));
    let params = &host.received("inference/request")[0]["params"];
    assert_eq!(params["featureSet"], "acc.infer");
    assert_eq!(params["conversationId"], "c");
    assert_eq!(params["preferences"]["maxTokens"], 5);
    assert_eq!(
        params["messages"],
        json!([{"role": "user", "content": "p"}])
    );
    assert_ne!(params["stream"], true);
    assert!(params.get("_meta").is_none(), "{params}");

    let answer = tool(&host, "acc_infer", json!({"prompt": "p", "stream": true})).await;
    let chunk = |index: u64, delta: &str| json!({"index": index, "delta": delta});
    let chunks = json!([chunk(0, "one "), chunk(1, "two "), chunk(2, "three ")]);
    assert_eq!(answer["chunks"], chunks);
    assert_eq!(answer["result"]["content"], "one two three ");
    assert_eq!(
        host.received("inference/request")[1]["params"]["stream"],
        true
    );

    let model = tool(&host, "acc_model_info", json!({})).await;
    assert_eq!(model["result"]["id"], "test-model");
    assert_eq!(model["result"]["contextWindow"], 200_000);
}

#[tokio::test]
async fn a_file_is_edited_in_the_scope_that_the_host_gives() {
    let builder = McplHost::builder()
        .grants(McplGrants::trusting().whitelist("acc.files", ["/white/*"]))
        .enrich(|_, _| json!({"resolved": 1}).as_object().cloned().unwrap())
        .decide(|set, scope| match (set, &*scope.label) {
            ("acc.files", "/asked") => Elevation::approved(scope.payload.clone()),
            _ => Elevation::denied("not that one"),
        });
    let host = connect(builder).await;
    let edit = async |path: &str| tool(&host, "acc_file_edit", json!({"path": path})).await;
    assert_eq!(
        edit("/asked").await,
        json!({"ok": true, "via": "elevate", "approved": true, "payload": {"path": "/asked", "mode": "write"}})
    );
    let enriched = edit("/white/a").await;
    assert_eq!(
        enriched["payload"],
        json!({"path": "/white/a", "mode": "write", "resolved": 1})
    );
    let denied = edit("/other").await;
    assert_eq!(denied["approved"], false);
    assert_eq!(denied["reason"], "not that one");
    assert_eq!(
        host.received("scope/elevate")[0]["params"],
        json!({"featureSet": "acc.files", "scope": {"label": "/asked", "payload": {"path": "/asked", "mode": "write"}}})
    );
    let call = HostCall::new("acc_file_edit", json!({"path": "/x"})).scope("/x", json!({"p": [1]}));
    let answer = host.call_tool_with(call).await.unwrap().text();
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(
        answer,
        json!({"ok": true, "via": "host-scope", "payload": {"p": [1]}})
    );
    assert_eq!(host.received("scope/elevate").len(), 3);
    let scopes = &state(&host).await["scopes"];
    assert_eq!(*scopes, json!({"acc.files": {"whitelist": ["/white/*"]}}));
}

#[tokio::test]
async fn channels_are_registered_changed_and_listed() {
    let host = host_04().await;
    let registered = tool(&host, "acc_chan_register", json!({})).await;
    assert_eq!(
        registered,
        json!({"ok": true, "result": {"registered": ["acc:lobby", "acc:news"]}})
    );
    let room = |name: &str, label: &str, direction: &str| {
        json!({
            "id": format!("acc:{name}"), "type": "acc", "label": label, "direction": direction,
            "address": {"room": name},
        })
    };
    let lobby = room("lobby", "Lobby", "bidirectional");
    let news = room("news", "News", "outbound");
    assert_eq!(
        host.received("channels/register")[0]["params"],
        json!({"channels": [lobby, news]})
    );
    let listed = host.request("channels/list", json!({})).await.unwrap();
    assert_eq!(listed, json!({"channels": [lobby, news]}));

    let changed = tool(&host, "acc_chan_changed", json!({})).await;
    assert_eq!(changed, json!({"ok": true}));
    let told = host.wait_for("channels/changed").await.unwrap();
    assert!(told.get("id").is_none(), "{told}");
    let renamed = room("lobby", "Lobby 2", "bidirectional");
    let extra = room("extra", "Extra", "bidirectional");
    assert_eq!(
        told["params"],
        json!({"added": [extra], "removed": ["acc:news"], "updated": [renamed]})
    );
    let listed = host.request("channels/list", json!({})).await.unwrap();
    assert_eq!(listed, json!({"channels": [extra, renamed]}));
    let open = json!({"type": "acc", "address": {"room": "lobby"}});
    let opened = host.request("channels/open", open).await.unwrap();
    assert_eq!(opened["channel"], renamed);
    let known = tool(&host, "acc_chan_list_host", json!({})).await;
    assert_eq!(known["ok"], true);
    assert_eq!(known["result"]["channels"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn messages_come_in_as_one_batch() {
    let host = host_04().await;
    let none = tool(&host, "acc_incoming", json!({"n": 1})).await;
    assert_eq!(none["error"]["code"], -32023, "{none}");
    tool(&host, "acc_chan_register", json!({})).await;
    let answer = tool(&host, "acc_incoming", json!({"n": 3})).await;
    let results = answer["result"]["results"].as_array().unwrap();
    let ids: Vec<_> = results.iter().map(|result| &result["messageId"]).collect();
    assert_eq!(ids, ["m1", "m2", "m3"]);
    assert!(results.iter().all(|result| result["accepted"] == true));
    let requests = host.received("channels/incoming");
    assert_eq!(requests.len(), 2);
    let messages = &requests[1]["params"]["messages"];
    assert_eq!(messages.as_array().unwrap().len(), 3);
    assert_eq!(messages[0]["channelId"], "acc:lobby");
    assert!(messages[0]["author"]["id"].is_string() && messages[0]["author"]["name"].is_string());
    assert!(messages[0]["timestamp"].is_string() && messages[0]["content"].is_array());
    let elsewhere = json!({"n": 1, "channelId": "acc:nowhere"});
    let answer = tool(&host, "acc_incoming", elsewhere).await;
    assert_eq!(answer["error"]["code"], -32023, "{answer}");
}

#[tokio::test]
async fn feature_sets_change_on_the_wire_and_in_effect() {
    let host = host_04().await;
    let changed = tool(&host, "acc_fs_changed", json!({})).await;
    assert_eq!(changed, json!({"ok": true}));
    let told = host.wait_for("featureSets/changed").await.unwrap();
    assert!(told.get("id").is_none(), "{told}");
    let late = &told["params"]["added"]["acc.late"];
    assert_eq!(late["uses"], json!(["pushEvents"]));
    assert!(late["description"].is_string());
    assert_eq!(told["params"]["removed"], json!(["acc.infer"]));
    let late = || json!({"text": "x", "featureSet": "acc.late"});
    refused_locally(&tool(&host, "acc_push", late()).await, -32001);
    refused_locally(
        &tool(&host, "acc_infer", json!({"prompt": "x"})).await,
        -32003,
    );
    let policy = McplGrants::new().enable(["acc.late"]);
    host.update_feature_sets(&policy).await.unwrap();
    assert_eq!(tool(&host, "acc_push", late()).await["ok"], true);
    assert!(host.failures().is_empty(), "{:?}", host.failures());
}
