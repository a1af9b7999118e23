//! The acceptance fixture towards a 0.4 host: what it is asked and told.

use hooks_sdk::testing::{
    McplHost,
    mcpl::{HostCall, McplGrants, Returns},
};
use serde_json::{Value, json};

use super::rig::{
    ErrorCode, after, answers, ask_raw, before, call, connect, host_04, of_server, outgoing,
    publish, raw, sent, state, state_when, tool,
};

#[tokio::test]
async fn before_an_inference_three_injections_come() {
    let host = host_04().await;
    let ask = async |params| host.request("context/beforeInference", params).await;
    let injections = |user: &str, channel: &str| {
        json!({"featureSet": "acc.context", "contextInjections": [
            {"namespace": "acc", "position": "system", "metadata": {"k": 1},
             "content": [{"type": "text", "text": "ACC-SYSTEM conv=conv_1 turn=7"}]},
            {"namespace": "acc", "position": "beforeUser",
             "content": format!("ACC-BEFORE user={user} chan={channel}")},
            {"namespace": "acc", "position": "afterUser",
             "content": [{"type": "resource", "uri": "acc://fact/1"}]},
        ]})
    };
    let expected = injections("How is it?", "acc:lobby");
    assert_eq!(ask(before()).await.unwrap(), expected);
    let mut continued = before();
    continued["userMessage"] = Value::Null;
    continued.as_object_mut().unwrap().remove("channels");
    assert_eq!(ask(continued).await.unwrap(), injections("null", "none"));
    assert_eq!(state(&host).await["before"][0], before());
    host.disable(["acc.context"]).await.unwrap();
    let nothing = json!({"featureSet": "acc.context", "contextInjections": []});
    assert_eq!(ask(before()).await.unwrap(), nothing);
}

#[tokio::test]
async fn after_an_inference_secrets_go() {
    let host = host_04().await;
    let ask = async |said: &str| host.request("context/afterInference", after(said)).await;
    let answer = ask("The keys are sk-abc1 and sk-Z.").await.unwrap();
    assert_eq!(
        answer,
        json!({
            "featureSet": "acc.after",
            "modifiedResponse": "The keys are [REDACTED] and [REDACTED].",
            "metadata": {"redactions": 2},
        })
    );
    let answer = ask("Nothing here.").await.unwrap();
    assert!(answer.get("modifiedResponse").is_none(), "{answer}");
    host.notify("context/afterInference", after("sk-1"))
        .await
        .unwrap();
    let seen = state_when(&host, |seen| seen["after"][2].is_object()).await;
    let forms: Vec<_> = (0..3).map(|at| &seen["after"][at]["form"]).collect();
    assert_eq!(forms, ["request", "request", "notification"]);
    assert_eq!(seen["after"][2]["params"], after("sk-1"));
    host.disable(["acc.after"]).await.unwrap();
    assert_eq!(
        ask("sk-1").await.unwrap(),
        json!({"featureSet": "acc.after"})
    );
    assert_eq!(sent(&host), [""; 0]);
}

#[tokio::test]
async fn notes_follow_what_the_host_carries() {
    let host = connect(McplHost::builder().returns(Returns::Nothing)).await;
    let add = |text: &str| HostCall::new("acc_note_add", json!({"text": text}));
    let state_of = async |call: HostCall| {
        let answer = host.call_tool_with(call).await.unwrap();
        answer.as_value()["state"].clone()
    };
    let first = state_of(add("one")).await;
    assert_eq!(first["parent"], Value::Null);
    assert_eq!(first["data"], json!({"notes": [{"id": 1, "text": "one"}]}));
    assert!(first.get("patch").is_none());
    let second = state_of(add("two")).await;
    assert_eq!(second["parent"], first["checkpoint"]);
    assert!(second.get("data").is_none());
    let note = json!({"id": 2, "text": "two"});
    assert_eq!(
        second["patch"],
        json!([{"op": "add", "path": "/notes/1", "value": note}])
    );
    let list = || HostCall::new("acc_note_list", json!({}));
    let own = call(&host, list()).await;
    assert_eq!(own["notes"].as_array().unwrap().len(), 2);
    let checkpoint = first["checkpoint"].as_str().unwrap();
    let then = call(&host, list().checkpoint(checkpoint)).await;
    assert_eq!(then, json!({"notes": [{"id": 1, "text": "one"}]}));
    let foreign = json!({"notes": [{"id": 8, "text": "theirs"}]});
    assert_eq!(call(&host, list().state(foreign.clone())).await, foreign);
    let both = list()
        .state(foreign.clone())
        .member("checkpoint", json!(checkpoint));
    assert_eq!(call(&host, both).await, foreign);
    let listed = host.call_tool_with(list()).await.unwrap();
    assert!(listed.as_value().get("state").is_none());
    let third = state_of(add("nine").state(foreign)).await;
    assert_eq!(third["parent"], second["checkpoint"]);
    assert!(third.get("patch").is_none(), "the parent has another state");
    let theirs_and_nine = json!({"notes": [
        {"id": 8, "text": "theirs"}, {"id": 9, "text": "nine"},
    ]});
    assert_eq!(third["data"], theirs_and_nine);
    let pruned = call(&host, list().checkpoint("nowhere")).await;
    assert_eq!(pruned, theirs_and_nine, "the head");
    let after = state_of(add("ten").checkpoint("nowhere")).await;
    assert_eq!(after["parent"], third["checkpoint"]);
    assert_eq!(after["data"]["notes"][2]["text"], "ten");
}

#[tokio::test]
async fn a_rollback_is_done_impossible_or_to_nowhere() {
    let host = connect(McplHost::builder().returns(Returns::Nothing)).await;
    let add = async |text: &str| tool(&host, "acc_note_add", json!({"text": text})).await;
    add("one").await;
    let first = host.stored("acc.notes").unwrap().checkpoint;
    add("two").await;
    let to = async |checkpoint: &str| {
        let params = json!({"featureSet": "acc.notes", "checkpoint": checkpoint});
        host.request("state/rollback", params).await
    };
    assert_eq!(
        to(&first).await.unwrap(),
        json!({"checkpoint": first, "success": true})
    );
    let listed = tool(&host, "acc_note_list", json!({})).await;
    assert_eq!(listed, json!({"notes": [{"id": 1, "text": "one"}]}));
    let nowhere = host.rollback("acc.notes", "nowhere").await.unwrap_err();
    assert_eq!(nowhere.code(), Some(-32005));
    assert_eq!(nowhere.data(), Some(&json!({"checkpoint": "nowhere"})));
    let of_nothing = host.rollback("acc.nope", &first).await;
    assert_eq!(of_nothing.code_or_0(), -32003);
    // This set is declared, without rollback.
    let of_files = host.rollback("acc.files", &first).await.unwrap();
    assert!(!of_files.success);
    let reason = of_files.reason.unwrap_or_default();
    assert_eq!(reason, "the feature set is not declared with rollback");
    host.update_feature_sets(&McplGrants::new().disable(["acc.files", "acc.notes"]))
        .await
        .unwrap();
    for set in ["acc.files", "acc.notes"] {
        assert_eq!(
            host.rollback(set, &first).await.code_or_0(),
            -32001,
            "{set}"
        );
    }
    host.update_feature_sets(&McplGrants::new().enable(["acc.files", "acc.notes"]))
        .await
        .unwrap();

    let commit = async |message: &str| {
        let call = HostCall::new("acc_ledger_commit", json!({"message": message}));
        let answer = host.call_tool_with(call).await.unwrap();
        answer.as_value()["state"].clone()
    };
    let opaque = commit("fine").await;
    assert_eq!(opaque["parent"], json!(first));
    let checkpoint = &opaque["checkpoint"];
    assert_eq!(
        opaque,
        json!({"checkpoint": checkpoint, "parent": first, "featureSet": "acc.notes"})
    );
    assert_eq!(to(&first).await.unwrap()["success"], true);
    let last = commit("irreversible").await;
    let last = last["checkpoint"].as_str().unwrap().to_owned();
    for checkpoint in [&last, &first] {
        let refused = to(checkpoint).await.unwrap();
        assert_eq!(refused["success"], false);
        assert_eq!(refused["checkpoint"], json!(checkpoint));
        assert!(refused["reason"].is_string());
    }
}

#[tokio::test]
async fn rooms_are_opened_and_closed() {
    let host = host_04().await;
    let open = async |room: &str| {
        let params = json!({"type": "acc", "address": {"room": room}, "metadata": {}});
        host.request("channels/open", params).await
    };
    let close = async |id: &str| {
        host.request("channels/close", json!({"channelId": id}))
            .await
    };
    assert_eq!(close("acc:lobby").await.code_or_0(), -32023);
    let opened = open("lobby").await.unwrap();
    assert_eq!(opened["channel"]["id"], "acc:lobby");
    assert_eq!(opened["channel"]["direction"], "bidirectional");
    assert_eq!(state(&host).await["open"], json!(["acc:lobby"]));
    assert_eq!(open("forbidden").await.code_or_0(), -32024);
    assert_eq!(close("acc:lobby").await.unwrap(), json!({"closed": true}));
    assert_eq!(close("acc:lobby").await.code_or_0(), -32023);
    assert_eq!(state(&host).await["open"], json!([]));
}

#[tokio::test]
async fn publishing_delivers_in_both_forms_and_observing_never() {
    let host = host_04().await;
    let ask = async |channel: &str| {
        host.request("channels/publish", publish(channel, "ask"))
            .await
    };
    assert_eq!(ask("acc:lobby").await.code_or_0(), -32023);
    tool(&host, "acc_chan_register", json!({})).await;
    for at in 0..20 {
        let text = format!("{at}");
        host.notify("channels/publish", publish("acc:lobby", &text))
            .await
            .unwrap();
    }
    let delivered = ask("acc:lobby").await.unwrap();
    assert_eq!(delivered["delivered"], true);
    assert!(delivered["messageId"].is_string());
    // The request waits for the notifications before it, so that all of them are there.
    let published = state(&host).await["published"].as_array().unwrap().clone();
    let texts: Vec<_> = published.iter().map(|one| one["text"].clone()).collect();
    let mut expected: Vec<_> = (0..20).map(|at| json!(at.to_string())).collect();
    expected.push(json!("ask"));
    assert_eq!(texts, expected);
    assert!(
        published[..20]
            .iter()
            .all(|one| one["form"] == "notification")
    );
    assert_eq!(published[20]["form"], "request");
    assert_eq!(ask("thinking").await.code_or_0(), -32017);

    let mut complete = outgoing(0);
    let members = complete.as_object_mut().unwrap();
    members.remove("index");
    members.remove("delta");
    members.insert(
        "content".to_owned(),
        json!([{"type": "text", "text": "d0"}]),
    );
    host.notify("channels/outgoing/chunk", outgoing(0))
        .await
        .unwrap();
    host.notify("channels/outgoing/complete", complete.clone())
        .await
        .unwrap();
    let seen = state_when(&host, |seen| seen["outgoing"][1].is_object()).await;
    assert_eq!(
        seen["outgoing"],
        json!([{"kind": "chunk", "params": outgoing(0)}, {"kind": "complete", "params": complete}])
    );
    assert_eq!(seen["published"].as_array().unwrap().len(), 21);
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

#[tokio::test]
async fn wildcards_enable_and_later_updates_change_what_they_name() {
    let host = connect(McplHost::builder().silent()).await;
    let enabled = async || state(&host).await["enabled"].clone();
    let update = async |policy: McplGrants| host.update_feature_sets(&policy).await.unwrap();
    update(McplGrants::new().enable(["acc.c*", "acc", "acc.*x"])).await;
    assert_eq!(enabled().await, json!([]));
    update(McplGrants::new().enable(["acc.*"]).disable(["acc.infer"])).await;
    let all = json!([
        "acc.after",
        "acc.chan",
        "acc.context",
        "acc.files",
        "acc.notes",
        "acc.push"
    ]);
    assert_eq!(enabled().await, all);
    update(McplGrants::new().disable(["acc.a*", "acc.chan"])).await;
    let fewer = json!([
        "acc.after",
        "acc.context",
        "acc.files",
        "acc.notes",
        "acc.push"
    ]);
    assert_eq!(enabled().await, fewer);
    update(McplGrants::new().enable(["acc.infer"])).await;
    update(McplGrants::new().disable(["*"])).await;
    assert_eq!(enabled().await, json!([]));
}
