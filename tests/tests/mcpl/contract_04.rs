//! The acceptance fixture towards a 0.4 host: its table, and what no other test asks.

use hooks_sdk::testing::{McplHost, mcpl::Returns};
use serde_json::{Value, json};

use super::rig::{
    ErrorCode, answers, ask_raw, before, connect, host_04, of_server, raw, refused_locally, sent,
    state, tool,
};

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
async fn a_rollback_is_of_an_enabled_set_that_is_declared_with_it() {
    let host = connect(McplHost::builder().returns(Returns::Nothing)).await;
    tool(&host, "acc_note_add", json!({"text": "one"})).await;
    let first = host.stored("acc.notes").unwrap().checkpoint;
    let of_nothing = host.rollback("acc.nope", &first).await;
    assert_eq!(of_nothing.code_or_0(), -32003);
    let of_files = host.rollback("acc.files", &first).await.unwrap();
    assert!(!of_files.success);
    let reason = of_files.reason.unwrap_or_default();
    assert_eq!(reason, "the feature set is not declared with rollback");
    assert!(host.rollback("acc.notes", &first).await.unwrap().success);
    host.disable(["acc.files", "acc.notes"]).await.unwrap();
    for set in ["acc.files", "acc.notes"] {
        let refused = host.rollback(set, &first).await;
        assert_eq!(refused.code_or_0(), -32001, "{set}");
    }
}

#[tokio::test]
async fn what_is_unknown_is_refused_or_ignored() {
    let host = host_04().await;
    for method in [
        "nope/nope",
        "mcpl/manifest",
        "channels/acknowledge",
        "push/event",
        "inference/request",
        "inference/lifecycle",
    ] {
        let answer = host.request(method, json!({})).await;
        assert_eq!(answer.code_or_0(), -32601, "{method}");
    }
    for method in ["nope/nope", "notifications/nope", "mcpl/manifestChanged"] {
        host.notify(method, json!({"a": 1})).await.unwrap();
    }
    let mut strange = before();
    strange["unknown"] = json!({"deep": [1]});
    strange["model"]["unknown"] = json!(1);
    strange["channels"]["incoming"]["unknown"] = json!(null);
    let answer = host.request("context/beforeInference", strange).await;
    assert_eq!(
        answer.unwrap()["contextInjections"]
            .as_array()
            .unwrap()
            .len(),
        3
    );
    let update =
        json!({"enabled": ["acc.nope", "nope.*"], "disabled": [], "scopes": {"nope": {}}, "x": 1});
    host.notify("featureSets/update", update).await.unwrap();
    assert_eq!(state(&host).await["enabled"].as_array().unwrap().len(), 7);
    let malformed = host.request("context/beforeInference", json!({})).await;
    assert_eq!(malformed.code_or_0(), -32602);
}

#[tokio::test]
async fn lines_that_are_no_json_and_odd_ids_do_no_harm() {
    let host = host_04().await;
    for line in ["not json", "{\"jsonrpc\":", "[]", "42", "\u{0}", "{}"] {
        host.send_line(line.as_bytes()).await.unwrap();
    }
    host.send_line(b"\xff\xfe").await.unwrap();
    host.send_line(b"").await.unwrap();
    // The handshake had the id 0; so may any other request, and an id may be a text.
    for id in [json!(0), json!("a"), json!(-1), json!("")] {
        let method = "context/beforeInference";
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": before()});
        let earlier = answers(&host, &id).len();
        raw(&host, message).await;
        host.wait_until(|host| answers(host, &id).len() > earlier)
            .await
            .unwrap();
        let answer = answers(&host, &id).pop().unwrap();
        assert_eq!(answer["result"]["featureSet"], "acc.context", "{answer}");
    }
    assert_eq!(state(&host).await["before"].as_array().unwrap().len(), 4);
}

#[tokio::test]
async fn a_handshake_with_id_0_and_without_params_behind_it() {
    let (pipe, _server) = super::rig::serve(super::rig::fixture());
    let (read, write) = tokio::io::split(pipe);
    let builder = McplHost::builder().silent();
    let host = builder.over(read, write).await.unwrap();
    raw(
        &host,
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
    )
    .await;
    raw(
        &host,
        json!({"jsonrpc": "2.0", "method": "featureSets/update", "params": {"enabled": ["acc.*"]}}),
    )
    .await;
    let message = json!({"jsonrpc": "2.0", "id": "x", "method": "context/beforeInference", "params": before()});
    let answer = ask_raw(&host, message).await;
    assert_eq!(
        answer["result"]["contextInjections"]
            .as_array()
            .unwrap()
            .len(),
        3
    );
    assert!(of_server(&host)[0]["id"] == 0);
}
