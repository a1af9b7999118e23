//! Subscriptions on every transport that has them: they are acknowledged when the server has let them pass.

use hooks_sdk::{
    Collected, Hooked, WireTransport,
    core::Registry,
    plugin::{ListHook, ListOf, Listed, PluginHook, point},
    rmcp::ServiceExt,
};
use serde_json::{Value, json};
use tokio::io::{duplex, split};

use crate::{
    desk::Desk,
    peer::{Kind, Peer, Stream},
};

const KINDS: [Kind; 2] = [Kind::StreamStateless, Kind::HttpStateless];

/// A server with a rule about a resource, and a resource that only its list tells to be hidden.
fn guarded(desk: &Desk) -> Hooked<Desk> {
    desk.lists(json!([{"name": "plan", "uri": "file:plan"}, {"name": "own", "uri": "file:own"}]));
    let rule = PluginHook::deny("rule", point::resource_pre_fetch, "not for you");
    let hidden = ListHook::new("hidden", ListOf::Resources, |item| {
        match item.members.get("name").and_then(Value::as_str) {
            Some("plan") => Listed::Hidden,
            _ => Listed::Shown,
        }
    });
    let registry = Registry::builder()
        .add(rule.items(&["file:ruled"]).into())
        .add(hidden.into());
    let collected = Collected::of(registry.build().unwrap()).unwrap();
    collected.wrap(desk.clone()).unwrap()
}

fn listening(uris: &[&str]) -> Value {
    json!({"notifications": {"resourceSubscriptions": uris, "toolsListChanged": true}})
}

/// Checks what a client gets to which the server says yes.
fn is_granted(kind: Kind, all: &[Value], uris: &[&str]) {
    let id = &all.last().unwrap()["id"];
    let meta = json!({"io.modelcontextprotocol/subscriptionId": id});
    let acknowledged = json!({
        "jsonrpc": "2.0",
        "method": "notifications/subscriptions/acknowledged",
        "params": {"_meta": meta, "notifications": {"resourceSubscriptions": uris}},
    });
    assert_eq!(all.first(), Some(&acknowledged), "{kind:?} {all:?}");
    let updated: Vec<Value> = (uris.iter())
        .map(|uri| {
            json!({
                "jsonrpc": "2.0",
                "method": "notifications/resources/updated",
                "params": {"_meta": meta, "uri": uri},
            })
        })
        .collect();
    assert_eq!(all[1..all.len() - 1], updated, "{kind:?}");
    assert!(
        all.last().unwrap().get("result").is_some(),
        "{kind:?} {all:?}"
    );
}

#[tokio::test]
async fn a_subscription_is_acknowledged_once_with_what_was_granted() {
    for kind in KINDS {
        let desk = Desk::default();
        let mut peer = Peer::of(kind, guarded(&desk)).await;
        for _ in 0..2 {
            let uris = ["file:notes", "file:other"];
            let all = peer.all("subscriptions/listen", listening(&uris)).await;
            is_granted(kind, &all, &uris);
        }
        // Of a resource that is known to be hidden, the client hears nothing.
        peer.answer("resources/list", json!({})).await;
        let asked = listening(&["file:plan", "file:own"]);
        let all = peer.all("subscriptions/listen", asked).await;
        is_granted(kind, &all, &["file:own"]);
    }
}

#[tokio::test]
async fn a_subscription_that_is_refused_is_not_acknowledged() {
    for kind in KINDS {
        for refused in ["file:ruled", "file:plan"] {
            let desk = Desk::default();
            let mut peer = Peer::of(kind, guarded(&desk)).await;
            let asked = listening(&["file:notes", refused]);
            let all = peer.all("subscriptions/listen", asked).await;
            assert_eq!(all.len(), 1, "{kind:?} {refused} {all:?}");
            assert!(all[0]["error"]["code"].is_i64(), "{kind:?} {all:?}");
        }
    }
}

#[tokio::test]
async fn an_acknowledgement_of_the_author_or_of_rmcp_itself_does_not_leave() {
    let (ours, theirs) = duplex(64 * 1024);
    let (read, write) = split(theirs);
    let serving = ServiceExt::serve(guarded(&Desk::default()), WireTransport::new(read, write));
    tokio::spawn(async move { serving.await.unwrap().waiting().await.unwrap() });
    // rmcp serves, and the first message is the subscription.
    let mut stream = Stream::of(ours, true);
    let asked = listening(&["file:ruled"]);
    stream.send(Some(1), "subscriptions/listen", asked).await;
    assert!(stream.next().await.get("error").is_some());

    let filter = json!({"notifications": {"toolsListChanged": true}});
    let method = "notifications/subscriptions/acknowledged";
    for is_custom in [false, true] {
        for kind in KINDS {
            let desk = Desk::default();
            let mut peer = Peer::of(kind, guarded(&desk)).await;
            let mut message = json!({"method": method, "params": filter});
            if is_custom {
                message["custom"] = true.into();
            }
            desk.relays(message);
            let all = peer.all("tools/call", json!({"name": "loose"})).await;
            assert_eq!(all.len(), 1, "{kind:?} {all:?}");
        }
    }
}
