//! Hosts that speak plain MCP, and connections without the shim.

use hooks_sdk::testing::{
    McplHost,
    mcpl::{HostCall, Returns},
};
use serde_json::{Value, json};

use super::rig::{
    ErrorCode, after, before, call, connect, of_server, outgoing, publish, refused_locally, sent,
    state, state_when, tool,
};

async fn plain(capabilities: Value) -> McplHost {
    connect(McplHost::builder().capabilities(capabilities)).await
}

/// Every tool does its work, or says that there is no host for it; nothing of MCPL goes out.
async fn is_plain(host: &McplHost) {
    assert!(!host.speaks_mcpl());
    for (name, arguments) in [
        ("acc_push", json!({"text": "a"})),
        ("acc_infer", json!({"prompt": "a"})),
        ("acc_infer", json!({"prompt": "a", "stream": true})),
        ("acc_model_info", json!({})),
        ("acc_file_edit", json!({"path": "/a"})),
        ("acc_chan_register", json!({})),
        ("acc_chan_changed", json!({})),
        ("acc_chan_list_host", json!({})),
        ("acc_incoming", json!({"n": 1})),
        ("acc_fs_changed", json!({})),
    ] {
        refused_locally(&tool(host, name, arguments).await, -32001);
    }
    assert_eq!(tool(host, "acc_echo", json!({"text": "a"})).await, "a");
    let seen = state(host).await;
    assert_eq!(
        (&seen["mcpl"], &seen["hostVersion"]),
        (&json!(false), &Value::Null)
    );
    assert_eq!(sent(host), [""; 0]);
}

#[tokio::test]
async fn a_plain_host_gets_no_frame_of_mcpl() {
    for capabilities in [
        json!({}),
        json!({"experimental": {}}),
        json!({"experimental": {"other": {}}, "roots": {}, "sampling": {}}),
        json!({"mcpl": {"version": "0.4"}}),
    ] {
        let host = plain(capabilities).await;
        assert_eq!(host.list_tools().await.unwrap().len(), 14);
        is_plain(&host).await;
        for (method, params) in [
            ("featureSets/update", json!({"enabled": ["acc.*"]})),
            ("context/beforeInference", before()),
            ("context/afterInference", after("sk-1")),
            ("channels/publish", publish("acc:lobby", "a")),
            ("channels/list", json!({})),
            (
                "state/rollback",
                json!({"featureSet": "acc.notes", "checkpoint": "1"}),
            ),
            ("mcpl/manifest", json!({})),
        ] {
            let answer = host.request(method, params.clone()).await;
            assert_eq!(answer.code_or_0(), -32601, "{method}");
            host.notify(method, params).await.unwrap();
        }
        host.notify("channels/outgoing/chunk", outgoing(0))
            .await
            .unwrap();
        is_plain(&host).await;
    }
}

#[tokio::test]
async fn a_plain_hosts_own_members_of_a_call_are_not_looked_at() {
    let host = plain(json!({})).await;
    let odd = HostCall::new("acc_note_add", json!({"text": "one"}))
        .member("scope", json!(5))
        .member("checkpoint", json!({"a": 1}))
        .member("state", json!({"notes": "none"}));
    let answer = host.call_tool_with(odd).await.unwrap();
    let text: Value = serde_json::from_str(&answer.text()).unwrap();
    assert_eq!(text["notes"], json!([{"id": 1, "text": "one"}]));
    let members: Vec<&String> = answer.as_value().as_object().unwrap().keys().collect();
    assert!(
        members
            .iter()
            .all(|name| ["content", "isError"].contains(&name.as_str())),
        "{}",
        answer.as_value()
    );
}

#[tokio::test]
async fn an_advertisement_of_the_wrong_shape_is_none() {
    for odd in [
        json!(true),
        json!([]),
        json!("x"),
        Value::Null,
        json!(4),
        json!(false),
    ] {
        for capabilities in [
            json!({"experimental": {"mcpl": odd}}),
            json!({"experimental": {"mcpl": odd, "other": {}}, "tools": {}}),
            json!({"experimental": odd}),
        ] {
            let host = plain(capabilities.clone()).await;
            is_plain(&host).await;
        }
        let beside = json!({"experimental": {"mcpl": {"version": "0.4"}, "other": odd}});
        let host = plain(beside).await;
        assert!(host.speaks_mcpl(), "{odd}");
        assert_eq!(
            tool(&host, "acc_push", json!({"text": "a"})).await["ok"],
            true
        );
    }
}

#[tokio::test]
async fn an_empty_advertisement_is_one_of_0_4() {
    let host = plain(json!({"experimental": {"mcpl": {}}})).await;
    assert!(host.speaks_mcpl());
    assert_eq!(host.declared()["version"], "0.4");
    assert_eq!(
        tool(&host, "acc_push", json!({"text": "a"})).await["ok"],
        true
    );
    let seen = state(&host).await;
    assert_eq!(
        (&seen["mcpl"], &seen["hostVersion"]),
        (&json!(true), &Value::Null)
    );
}

#[tokio::test]
async fn what_a_host_says_it_has_not_is_not_asked_of_it() {
    let mcpl =
        json!({"version": "0.4", "pushEvents": false, "inferenceRequest": {"streaming": false}});
    let host = plain(json!({"experimental": {"mcpl": mcpl}})).await;
    refused_locally(&tool(&host, "acc_push", json!({"text": "a"})).await, -32002);
    assert_eq!(
        tool(&host, "acc_infer", json!({"prompt": "a"})).await["ok"],
        true
    );
    let streamed = tool(&host, "acc_infer", json!({"prompt": "a", "stream": true})).await;
    assert_eq!(
        (&streamed["ok"], &streamed["chunks"]),
        (&json!(true), &json!([]))
    );
    assert!(streamed["result"]["content"].is_string(), "{streamed}");
    assert_eq!(sent(&host), ["inference/request"; 2]);
    let asked = host.received("inference/request");
    assert!(
        asked.iter().all(|one| one["params"]["stream"] != true),
        "{asked:?}"
    );
}

#[tokio::test]
async fn without_the_shim_policies_hooks_tools_and_senders_work() {
    for version in ["0.4", "0.5"] {
        let host = connect(McplHost::builder().version(version).without_shim()).await;
        state_when(&host, |seen| seen["enabled"][0].is_string()).await;
        for (name, arguments) in [
            ("acc_push", json!({"text": "a"})),
            ("acc_model_info", json!({})),
            ("acc_infer", json!({"prompt": "a", "stream": true})),
            ("acc_chan_register", json!({})),
            ("acc_incoming", json!({"n": 2})),
            ("acc_fs_changed", json!({})),
        ] {
            let answer = tool(&host, name, arguments).await;
            assert_eq!(answer["ok"], true, "{name}: {answer}");
        }
        let injected = host
            .request("context/beforeInference", before())
            .await
            .unwrap();
        assert_eq!(injected["contextInjections"].as_array().unwrap().len(), 3);
        let published = host
            .request("channels/publish", publish("acc:lobby", "a"))
            .await;
        assert_eq!(published.unwrap()["delivered"], true);
        assert_eq!(
            host.request("nope/nope", json!({})).await.code_or_0(),
            -32601
        );
        host.notify("channels/outgoing/chunk", outgoing(0))
            .await
            .unwrap();
        state_when(&host, |seen| seen["outgoing"][0].is_object()).await;
    }
}

#[tokio::test]
async fn without_the_shim_state_and_scope_of_calls_are_lost_and_results_carry_state_in_meta() {
    let builder = McplHost::builder().returns(Returns::Nothing).without_shim();
    let host = connect(builder).await;
    state_when(&host, |seen| seen["enabled"][0].is_string()).await;
    let foreign = json!({"notes": [{"id": 8, "text": "theirs"}]});
    let list = HostCall::new("acc_note_list", json!({})).state(foreign);
    assert_eq!(call(&host, list).await, json!({"notes": []}));
    let edit = HostCall::new("acc_file_edit", json!({"path": "/a"})).scope("/a", json!({}));
    assert_eq!(call(&host, edit).await["via"], "elevate");
    let add = HostCall::new("acc_note_add", json!({"text": "one"}));
    let answer = host.call_tool_with(add).await.unwrap();
    let result = answer.as_value();
    assert!(result.get("state").is_none(), "{result}");
    let carried = &result["_meta"]["hooks-sdk/state"];
    assert_eq!(carried["data"]["notes"][0]["text"], "one");
    let push = tool(&host, "acc_push", json!({"text": "a"})).await;
    assert_eq!(push["ok"], true);
    let token = &host.received("push/event")[0]["params"]["_meta"]["progressToken"];
    assert!(
        !token.is_null(),
        "only the shim takes rmcp's own member away"
    );
}

#[tokio::test]
async fn with_the_shim_nothing_of_the_sdks_own_reaches_the_wire() {
    for version in ["0.4", "0.5"] {
        let host = connect(McplHost::builder().version(version)).await;
        tool(&host, "acc_note_add", json!({"text": "a"})).await;
        tool(&host, "acc_note_add", json!({"text": "b"})).await;
        tool(&host, "acc_ledger_commit", json!({"message": "c"})).await;
        tool(&host, "acc_push", json!({"text": "a"})).await;
        tool(&host, "acc_infer", json!({"prompt": "a", "stream": true})).await;
        let texts: Vec<String> = of_server(&host).iter().map(Value::to_string).collect();
        for text in texts {
            assert!(
                !text.contains("hooks-sdk/") && !text.contains("progressToken"),
                "{text}"
            );
        }
    }
}
