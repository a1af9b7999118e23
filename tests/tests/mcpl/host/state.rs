//! States that tools report, stored and carried back.

use hooks_sdk::testing::{
    McplHost,
    mcpl::{HostCall, Returns},
};
use serde_json::{Value, json};

use super::peer::{Peer, connected};

async fn tool(peer: &mut Peer, state: Value) -> Value {
    let request = peer.expect("tools/call").await;
    let mut result = json!({"content": [{"type": "text", "text": "ok"}]});
    if !state.is_null() {
        result["state"] = state;
    }
    peer.answer(&request, result).await;
    request["params"].clone()
}

async fn call(host: &McplHost, peer: &mut Peer, call: HostCall, state: Value) -> Value {
    let (answer, params) = tokio::join!(host.call_tool_with(call), tool(peer, state));
    assert_eq!(answer.unwrap().text(), "ok");
    params
}

fn add(text: &str) -> HostCall {
    HostCall::new("add", json!({"text": text}))
}

#[tokio::test]
async fn data_patches_and_opaque_checkpoints() {
    let (host, mut peer) = connected(McplHost::builder()).await;
    let state = json!({"checkpoint": "1", "parent": null, "data": {"notes": ["a"]}});
    let params = call(&host, &mut peer, add("a"), state).await;
    assert_eq!(params, json!({"name": "add", "arguments": {"text": "a"}}));

    let patch = json!([{"op": "add", "path": "/notes/-", "value": "b"}]);
    let state = json!({"checkpoint": "2", "parent": "1", "patch": patch});
    let params = call(&host, &mut peer, add("b"), state).await;
    assert_eq!(params["state"], json!({"notes": ["a"]}));
    let head = host.stored("acc.notes").unwrap();
    assert_eq!(
        (&*head.checkpoint, head.parent.as_deref()),
        ("2", Some("1"))
    );
    assert_eq!(head.data, Some(json!({"notes": ["a", "b"]})));

    let state = json!({"checkpoint": "3", "parent": "2"});
    call(&host, &mut peer, add("c"), state).await;
    let params = call(
        &host,
        &mut peer,
        HostCall::new("list", json!({})),
        json!(null),
    )
    .await;
    assert_eq!(params["checkpoint"], "3");
    assert!(params.get("state").is_none());
    assert!(host.failures().is_empty());
    let of = host
        .audit()
        .into_iter()
        .filter(|entry| entry.method == "tools/call");
    let of: Vec<_> = of.map(|entry| entry.feature_set).collect();
    let notes = Some("acc.notes".to_owned());
    assert_eq!(of, [notes.clone(), notes.clone(), notes, None]);
}

#[tokio::test]
async fn a_call_may_carry_what_it_wants() {
    let (host, mut peer) = connected(McplHost::builder()).await;
    let state = json!({"checkpoint": "1", "parent": null, "data": {}});
    call(&host, &mut peer, add("a"), state).await;
    let params = call(&host, &mut peer, add("b").checkpoint("1"), json!(null)).await;
    assert_eq!(params["checkpoint"], "1");
    let patch = json!([{"op": "add", "path": "/x", "value": 1}]);
    let state = json!({"checkpoint": "2", "parent": "elsewhere", "patch": patch});
    let params = call(&host, &mut peer, add("b").state(json!({"own": 1})), state).await;
    assert_eq!(params["state"], json!({"own": 1}));
    assert_eq!(
        host.stored("acc.notes").unwrap().data,
        Some(json!({"own": 1, "x": 1}))
    );
    let params = call(&host, &mut peer, add("b").without_state(), json!(null)).await;
    assert_eq!(params, json!({"name": "add", "arguments": {"text": "b"}}));
    let scoped = HostCall::new("edit", json!({}))
        .scope("/project/a", json!({"path": "/project/a"}))
        .feature_set("acc.files")
        .member("odd", json!(true));
    let params = call(&host, &mut peer, scoped, json!(null)).await;
    assert_eq!(
        params["scope"],
        json!({"label": "/project/a", "payload": {"path": "/project/a"}})
    );
    assert_eq!(params["odd"], true);
    assert!(params.get("state").is_none());
}

#[tokio::test]
async fn of_several_states_the_list_of_tools_says_whose_is_a_tools() {
    let (mut peer, stream) = Peer::new();
    let (read, write) = tokio::io::split(stream);
    let stateful = json!({"description": "A state", "uses": ["tools"], "rollback": true});
    let sets = json!({"acc.ledger": &stateful, "acc.notes": &stateful});
    let answering = async {
        let mcpl = json!({"version": "0.4", "featureSets": sets});
        peer.shake_hands(json!({"mcpl": mcpl})).await;
        peer.take_policy(json!({"accepted": true})).await;
    };
    let (host, ()) = tokio::join!(McplHost::builder().over(read, write), answering);
    let host = host.unwrap();
    let tools = json!({"tools": [
        {"name": "book", "inputSchema": {}, "_meta": {"featureSet": "acc.ledger"}},
        {"name": "add", "inputSchema": {}, "_meta": {"featureSet": "acc.notes"}},
    ]});
    for (name, expected) in [
        ("book", json!(null)),
        ("add", json!(null)),
        ("add", json!("add")),
    ] {
        let answering = async {
            let request = peer.expect("tools/list").await;
            peer.answer(&request, tools.clone()).await;
            let state = json!({"checkpoint": name, "parent": null, "data": name});
            tool(&mut peer, state).await
        };
        let (answer, params) = tokio::join!(host.call_tool(name, json!({})), answering);
        answer.unwrap();
        assert_eq!(params["state"], expected);
    }
    assert_eq!(host.stored("acc.ledger").unwrap().checkpoint, "book");
    assert_eq!(host.stored("acc.notes").unwrap().checkpoint, "add");
}

#[tokio::test]
async fn a_host_may_return_checkpoints_only() {
    let builder = McplHost::builder().returns(Returns::Checkpoint);
    let (host, mut peer) = connected(builder).await;
    let state = json!({"checkpoint": "1", "parent": null, "data": {}});
    call(&host, &mut peer, add("a"), state).await;
    let params = call(&host, &mut peer, add("b"), json!(null)).await;
    assert_eq!(params["checkpoint"], "1");
    assert!(params.get("state").is_none());
}

#[tokio::test]
async fn a_state_that_cannot_be_stored_is_a_failure() {
    let (host, mut peer) = connected(McplHost::builder()).await;
    for (state, expected) in [
        (
            json!({"checkpoint": "1", "parent": null, "patch": []}),
            "a patch of a state that the host does not have",
        ),
        (
            json!({"checkpoint": "1", "parent": null, "patch": [], "data": 1}),
            "exclude each other",
        ),
        (json!({"checkpoint": 1}), "state: invalid type"),
    ] {
        call(&host, &mut peer, add("a"), state).await;
        let failure = host.failures().pop().unwrap();
        assert!(
            format!("{:?}", failure.outcome).contains(expected),
            "{failure:?}"
        );
    }
    assert_eq!(host.stored("acc.notes"), None);
}

#[tokio::test]
async fn rollback_has_three_outcomes() {
    let (host, mut peer) = connected(McplHost::builder()).await;
    for (checkpoint, parent) in [("1", json!(null)), ("2", json!("1")), ("3", json!("2"))] {
        let state = json!({"checkpoint": checkpoint, "parent": parent, "data": checkpoint});
        call(&host, &mut peer, add("a"), state).await;
    }
    let answering = async {
        let request = peer.expect("state/rollback").await;
        assert_eq!(
            request["params"],
            json!({"featureSet": "acc.notes", "checkpoint": "1"})
        );
        peer.answer(&request, json!({"checkpoint": "1", "success": true}))
            .await;
        let request = peer.expect("state/rollback").await;
        let failed = json!({"checkpoint": "2", "success": false, "reason": "sent already"});
        peer.answer(&request, failed).await;
        let request = peer.expect("state/rollback").await;
        let error = json!({"code": -32005, "message": "gone", "data": {"checkpoint": "3"}});
        peer.refuse(&request, error).await;
    };
    let asking = async {
        assert!(host.rollback("acc.notes", "1").await.unwrap().success);
        assert_eq!(host.stored("acc.notes").unwrap().checkpoint, "1");
        let failed = host.rollback("acc.notes", "2").await.unwrap();
        assert_eq!(failed.reason.as_deref(), Some("sent already"));
        let gone = host.rollback("acc.notes", "3").await.unwrap_err();
        assert_eq!(gone.code(), Some(-32005));
        assert_eq!(gone.data(), Some(&json!({"checkpoint": "3"})));
    };
    tokio::join!(asking, answering);
    assert_eq!(host.stored("acc.notes").unwrap().checkpoint, "1");
    assert!(host.checkpoint("acc.notes", "2").is_some());
    assert!(host.checkpoint("acc.notes", "3").is_none());
}
