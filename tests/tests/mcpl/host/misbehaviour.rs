//! A host that does not answer as it should.

use std::time::Duration;

use hooks_sdk::{
    mcpl::ErrorObject,
    testing::{
        McplHost,
        mcpl::{Chunks, Reaction},
    },
};
use serde_json::{Value, json};

use super::peer::{Peer, connected, event};

/// Everything that came up to the answer to a ping.
async fn until_now(peer: &mut Peer) -> Vec<Value> {
    let id = peer.request("ping", json!({})).await;
    let mut came = Vec::new();
    loop {
        let message = peer.next().await.unwrap();
        if message["id"] == id {
            return came;
        }
        came.push(message);
    }
}

#[tokio::test]
async fn each_misbehaviour_is_what_it_says() {
    let (host, mut peer) = connected(McplHost::builder()).await;
    let push = |id: &str| event("acc.push", id);

    host.react_once("push/event", Reaction::never());
    peer.request("push/event", push("1")).await;
    assert!(until_now(&mut peer).await.is_empty());
    // Nothing was done, so that the retry is the first one that counts.
    assert_eq!(peer.result("push/event", push("1")).await["accepted"], true);

    host.react_once("push/event", Reaction::lost());
    peer.request("push/event", push("2")).await;
    assert!(until_now(&mut peer).await.is_empty());
    let retry = peer.result("push/event", push("2")).await;
    assert_eq!(retry["reason"], "duplicate");

    host.react_once("push/event", Reaction::good().twice());
    let id = peer.request("push/event", push("3")).await;
    let came = until_now(&mut peer).await;
    assert_eq!(came.len(), 2);
    assert!(
        came.iter()
            .all(|answer| answer["id"] == id && *answer == came[0])
    );

    host.react_once("push/event", Reaction::wrong_shape());
    assert!(peer.result("push/event", push("4")).await.is_array());

    let refusal = ErrorObject::new(-32000, "no").with_data(json!({"why": 1}));
    host.react_once("push/event", Reaction::error(refusal));
    let answer = peer.ask("push/event", push("4")).await;
    assert_eq!(
        answer["error"],
        json!({"code": -32000, "message": "no", "data": {"why": 1}})
    );

    host.react_once("push/event", Reaction::neither());
    let answer = peer.ask("push/event", push("4")).await;
    assert!(answer.get("result").is_none() && answer.get("error").is_none());

    host.react_once("push/event", Reaction::under_another_id());
    peer.request("push/event", push("5")).await;
    let came = until_now(&mut peer).await;
    assert_eq!(came[0]["id"], "nobody's");
    assert_eq!(came[0]["result"]["accepted"], true);

    let stray = json!({"jsonrpc": "2.0", "method": "stray"});
    let reaction = Reaction::good().first(stray.clone()).afterwards(stray);
    host.react_once("push/event", reaction);
    peer.request("push/event", push("6")).await;
    let came = until_now(&mut peer).await;
    assert_eq!(came.len(), 3);
    assert_eq!((&came[0], &came[2]["method"]), (&came[2], &json!("stray")));
}

#[tokio::test(start_paused = true)]
async fn a_late_answer_keeps_nothing_else_waiting() {
    let (host, mut peer) = connected(McplHost::builder()).await;
    host.react(
        "push/event",
        Reaction::good().after(Duration::from_secs(60)),
    );
    let id = peer.request("push/event", event("acc.push", "1")).await;
    assert_eq!(peer.result("ping", json!({})).await, json!({}));
    let late = peer.next().await.unwrap();
    assert_eq!(late["id"], id);
    host.be_good();
    peer.result("push/event", event("acc.push", "2")).await;
}

#[tokio::test]
async fn chunks_come_as_the_test_wants() {
    let builder = McplHost::builder().infers("a b c d ");
    let (host, mut peer) = connected(builder).await;
    let params = json!({"featureSet": "acc.infer", "stream": true, "messages": []});
    for (order, before, behind) in [
        (Chunks::InOrder, vec![0, 1, 2, 3], vec![]),
        (Chunks::Shuffled, vec![1, 3, 0, 2], vec![]),
        (Chunks::Late, vec![], vec![0, 1, 2, 3]),
        (Chunks::None, vec![], vec![]),
        (Chunks::Mixed, vec![0, 0, 1, 1, 2, 2, 3, 3], vec![]),
    ] {
        host.react_once("inference/request", Reaction::good().chunks(order));
        let id = peer.request("inference/request", params.clone()).await;
        let came = until_now(&mut peer).await;
        let answer = came.iter().position(|message| message["id"] == id).unwrap();
        let indices = |messages: &[Value]| -> Vec<u64> {
            let indices = messages
                .iter()
                .map(|chunk| chunk["params"]["index"].as_u64());
            indices.map(Option::unwrap).collect()
        };
        assert_eq!(indices(&came[..answer]), before, "{order:?}");
        assert_eq!(indices(&came[answer + 1..]), behind, "{order:?}");
        let strange = came
            .iter()
            .filter(|chunk| chunk["params"]["requestId"] == "nobody's");
        assert_eq!(strange.count(), if order == Chunks::Mixed { 4 } else { 0 });
    }
}

#[tokio::test]
async fn a_disconnect_leaves_half_an_answer() {
    let (host, mut peer) = connected(McplHost::builder()).await;
    host.react("push/event", Reaction::disconnect());
    peer.request("push/event", event("acc.push", "1")).await;
    let half = peer.next().await.unwrap();
    assert!(half.as_str().unwrap().starts_with('{'), "{half}");
    assert_eq!(peer.next().await, None);
    assert!(host.wait_for("anything").await.is_err());
    assert!(host.request("ping", json!({})).await.is_err());
}

#[tokio::test]
async fn a_closure_judges_each_request() {
    let builder = McplHost::builder()
        .react("model/info", Reaction::result(json!({"id": "fixed"})))
        .behaviour(|method, params| match method {
            "push/event" if params["eventId"] == "bad" => {
                Reaction::result(json!({"accepted": false, "reason": "rate limit"}))
            }
            "model/info" => Reaction::never(),
            _ => Reaction::good(),
        });
    let (host, mut peer) = connected(builder).await;
    let refused = peer.result("push/event", event("acc.push", "bad")).await;
    assert_eq!(refused["reason"], "rate limit");
    let accepted = peer.result("push/event", event("acc.push", "good")).await;
    assert_eq!(accepted["accepted"], true);
    assert_eq!(peer.result("model/info", json!({})).await["id"], "fixed");
    host.behaviour(|_, _| Reaction::wrong_shape());
    assert!(
        peer.result("push/event", event("acc.push", "x"))
            .await
            .is_array()
    );
}
