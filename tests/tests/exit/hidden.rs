//! Notifications that a tool sends before its answer, on every transport: nothing is told about a hidden resource.

use hooks_sdk::{
    Collected, Hooked,
    core::Registry,
    plugin::{ListHook, ListOf},
};
use serde_json::{Value, json};

use crate::{
    desk::Desk,
    peer::{Kind, Peer},
};

/// A server that hides some resources.
fn hiding(desk: &Desk) -> Hooked<Desk> {
    let hidden = ListHook::hide("hidden", ListOf::Resources, &["hidden:*"]);
    let registry = Registry::builder().add(hidden.into());
    let collected = Collected::of(registry.build().unwrap()).unwrap();
    collected.wrap(desk.clone()).unwrap()
}

fn updated(uri: &str) -> Value {
    json!({"method": "notifications/resources/updated", "params": {"uri": uri}})
}

/// What the client gets before the answer of a tool that sends `message`.
async fn told(peer: &mut Peer, desk: &Desk, message: Value) -> Vec<Value> {
    desk.relays(message);
    let meta = json!({"progressToken": "p", "io.modelcontextprotocol/logLevel": "debug"});
    let params = json!({"name": "loose", "arguments": {}, "_meta": meta});
    let mut all = peer.all("tools/call", params).await;
    let answer = all.pop().expect("an answer");
    assert_eq!(answer["result"]["content"][0]["text"], "told", "{answer}");
    all
}

#[tokio::test]
async fn an_update_of_a_resource_that_is_not_hidden_is_told() {
    // In a session of HTTP, a notification that belongs to no request leaves by the stream of the session.
    for kind in [
        Kind::StreamLegacy,
        Kind::StreamStateless,
        Kind::HttpStateless,
    ] {
        let desk = Desk::default();
        let mut peer = Peer::of(kind, hiding(&desk)).await;
        for is_custom in [false, true] {
            let mut message = updated("file:own");
            if is_custom {
                message["custom"] = true.into();
            }
            let all = told(&mut peer, &desk, message).await;
            let uris: Vec<&Value> = all.iter().map(|told| &told["params"]["uri"]).collect();
            assert_eq!(uris, ["file:own"], "{kind:?} custom: {is_custom}");
        }
    }
}
