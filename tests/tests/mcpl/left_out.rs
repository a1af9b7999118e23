//! What a host leaves out, or says in a shape of its own where nobody reads it, costs a detail at most.

use hooks_sdk::{
    mcpl::Scope,
    testing::{McplHost, mcpl::HostCall},
};
use serde_json::{Value, json};

use super::{
    bad_input::{hosts, spoilt},
    rig::{ErrorCode, after, connect, host_04, host_05, tool},
};

#[tokio::test]
async fn a_0_5_host_that_asks_after_an_inference_is_answered_whatever_it_sends() {
    let host = host_05().await;
    for (_, _, params) in spoilt(&after("sk-1")) {
        let answer = host.request("context/afterInference", params).await;
        assert_eq!(answer.unwrap(), json!({"featureSet": "acc.after"}));
    }
}

/// What a host leaves out, or says is `null`, costs the detail and not the turn.
#[tokio::test]
async fn a_detail_that_a_host_leaves_out_costs_no_turn() {
    let host = host_04().await;
    for without in [
        |params: &mut Value| {
            *params = json!({"inferenceId": "i", "conversationId": "c", "assistantMessage": "sk-1"})
        },
        |params: &mut Value| params["usage"] = json!({"outputTokens": null}),
        |params: &mut Value| params["model"] = Value::Null,
        |params: &mut Value| params["channels"]["incoming"] = json!({"channelId": "acc:lobby"}),
    ] {
        let mut params = after("sk-1");
        without(&mut params);
        let answer = host.request("context/afterInference", params.clone()).await;
        let changed = answer.unwrap()["modifiedResponse"].clone();
        assert!(changed.is_string(), "{params}: {changed}");
        let answer = host.request("context/beforeInference", params).await;
        let injected = answer.unwrap()["contextInjections"].clone();
        assert_eq!(injected.as_array().unwrap().len(), 3);
    }
}

#[tokio::test]
async fn members_of_a_call_in_the_wrong_shape_are_answered() {
    for host in hosts().await {
        let is_04 = host.declared()["version"] == "0.4";
        for name in [
            "acc_note_add",
            "acc_note_list",
            "acc_file_edit",
            "acc_echo",
            "acc_ledger_commit",
        ] {
            for member in ["state", "checkpoint", "scope"] {
                for value in [
                    Value::Null,
                    json!(true),
                    json!(5),
                    json!("x"),
                    json!([]),
                    json!({}),
                    json!({"notes": 5}),
                    json!({"label": 5}),
                    json!({"label": "/a", "payload": 5}),
                    json!({"label": "/a", "extra": 5}),
                ] {
                    let arguments = json!({"text": "a", "path": "/a", "message": "m"});
                    let call = HostCall::new(name, arguments)
                        .without_state()
                        .member(member, value.clone());
                    let answer = host.call_tool_with(call).await;
                    let scope = serde_json::from_value::<Scope>(value.clone());
                    // Only a scope of the wrong shape is refused, where the tool takes one.
                    let refused = !value.is_null()
                        && match (name, member) {
                            ("acc_file_edit", "scope") => is_04 && scope.is_err(),
                            _ => false,
                        };
                    let code = if refused { -32602 } else { 0 };
                    assert_eq!(
                        answer.code_or_0(),
                        code,
                        "{name} {member} {value}: {answer:?}"
                    );
                }
            }
        }
        assert_eq!(tool(&host, "acc_echo", json!({"text": "a"})).await, "a");
    }
}

#[tokio::test]
async fn behind_an_opaque_checkpoint_the_host_is_told_the_whole_state() {
    let host = connect(McplHost::builder()).await;
    let call = HostCall::new("acc_ledger_commit", json!({"message": "opaque"}));
    host.call_tool_with(call).await.unwrap();
    tool(&host, "acc_note_add", json!({"text": "one"})).await;
    assert!(host.failures().is_empty(), "{:?}", host.failures());
    let listed = HostCall::new("acc_note_list", json!({})).without_state();
    let listed = super::rig::call(&host, listed).await;
    assert_eq!(listed, json!({"notes": [{"id": 1, "text": "one"}]}));
    let foreign = json!({"notes": [{"id": 4, "text": "theirs"}], "more": {"kept": true}});
    let add = HostCall::new("acc_note_add", json!({"text": "five"})).state(foreign);
    let added = super::rig::call(&host, add).await;
    assert_eq!(added["notes"][1], json!({"id": 5, "text": "five"}));
}
