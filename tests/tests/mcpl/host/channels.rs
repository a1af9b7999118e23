//! Channels, from both sides.

use hooks_sdk::{
    mcpl::{ContentBlock, wire::TypingOp},
    testing::{
        McplHost,
        mcpl::{McplGrants, RegisterAnswer, Turn},
    },
};
use serde_json::{Value, json};

use super::peer::connected;

fn channel(id: &str, room: &str) -> Value {
    json!({"id": id, "type": "acc", "label": id, "direction": "bidirectional", "address": {"room": room}})
}

fn message(channel: &str, id: &str) -> Value {
    json!({
        "channelId": channel, "messageId": id, "author": {"id": "u", "name": "Alice"},
        "timestamp": "2026-03-05T10:30:00Z", "content": [{"type": "text", "text": "hi"}],
    })
}

fn two() -> Value {
    json!({"channels": [channel("acc:lobby", "lobby"), channel("acc:news", "news")]})
}

#[tokio::test]
async fn registration_is_answered_in_the_form_that_was_chosen() {
    for (form, expected) in [
        (
            RegisterAnswer::Ids,
            json!({"registered": ["acc:lobby", "acc:news"]}),
        ),
        (RegisterAnswer::Nothing, json!({})),
        (
            RegisterAnswer::Itemised,
            json!({"results": [{"id": "acc:lobby", "accepted": true}, {"id": "acc:news", "accepted": true}]}),
        ),
    ] {
        let (host, mut peer) = connected(McplHost::builder().registered(form)).await;
        assert_eq!(peer.result("channels/register", two()).await, expected);
        assert_eq!(host.registered_channels().len(), 2);
        let listed = peer.result("channels/list", json!({})).await;
        assert_eq!(listed, two());
    }
}

#[tokio::test]
async fn changes_are_told_in_0_4_and_itemised_in_0_5() {
    let change = json!({
        "added": [channel("acc:extra", "extra")], "removed": ["acc:news", "acc:none"],
        "updated": [channel("acc:lobby", "lobby 2")],
    });
    let (host, mut peer) = connected(McplHost::builder()).await;
    peer.result("channels/register", two()).await;
    peer.notify("channels/changed", change.clone()).await;
    host.wait_for("channels/changed").await.unwrap();
    let ids = |host: &McplHost| -> Vec<String> {
        host.registered_channels()
            .into_iter()
            .map(|one| one.id)
            .collect()
    };
    assert_eq!(ids(&host), ["acc:extra", "acc:lobby"]);

    let (host, mut peer) = connected(McplHost::builder().version("0.5")).await;
    let odd = json!({"channels": [channel("acc:lobby", "lobby"), {"id": "acc:odd"}]});
    let results = peer.result("channels/register", odd).await;
    assert_eq!(results["results"][0]["accepted"], true);
    assert_eq!(results["results"][1]["accepted"], false);
    assert_eq!(ids(&host), ["acc:lobby"]);
    let results = peer.result("channels/changed", change).await;
    let accepted = results["results"].as_array().unwrap().iter();
    let accepted: Vec<_> = accepted.map(|one| one["accepted"].clone()).collect();
    assert_eq!(accepted, [false, false, true, true]);
    assert_eq!(ids(&host), ["acc:extra", "acc:lobby"]);
}

#[tokio::test]
async fn messages_are_taken_one_by_one_and_only_of_registered_channels() {
    let (_host, mut peer) = connected(McplHost::builder()).await;
    let unknown = json!({"messages": [message("acc:none", "m1")]});
    let refused = peer.ask("channels/incoming", unknown).await;
    assert_eq!(refused["error"]["code"], -32023);
    assert_eq!(refused["error"]["data"]["channelId"], "acc:none");
    peer.result("channels/register", two()).await;
    let mut threaded = message("acc:lobby", "m3");
    threaded["threadId"] = json!("t");
    let mixed =
        json!({"messages": [message("acc:lobby", "m1"), message("acc:none", "m2"), threaded]});
    assert_eq!(
        peer.result("channels/incoming", mixed).await["results"],
        json!([
            {"messageId": "m1", "accepted": true, "conversationId": "acc:lobby"},
            {"messageId": "m2", "accepted": false},
            {"messageId": "m3", "accepted": true, "conversationId": "acc:lobby/t"},
        ])
    );
    let nothing = json!({"messages": []});
    assert_eq!(
        peer.result("channels/incoming", nothing).await,
        json!({"results": []})
    );
}

#[tokio::test]
async fn a_channel_on_the_blacklist_is_not_permitted() {
    let policy = McplGrants::new()
        .enable(["acc.*"])
        .blacklist("acc.chan", ["acc:news*"]);
    let (host, mut peer) = connected(McplHost::builder().grants(policy)).await;
    let refused = peer.ask("channels/register", two()).await;
    assert_eq!(refused["error"]["code"], -32017);
    assert!(host.registered_channels().is_empty());
}

#[tokio::test]
async fn channels_are_opened_written_to_and_closed() {
    let builder = McplHost::builder()
        .version("0.5")
        .moderate(|text| text.replace("damn", "***"));
    let (host, mut peer) = connected(builder).await;
    peer.result("channels/register", two()).await;
    let turn = Turn::new("conv_1").inference("inf_1");
    let answering = async {
        let open = peer.expect("channels/open").await;
        assert_eq!(
            open["params"],
            json!({"type": "acc", "address": {"room": "lobby"}, "channelId": "acc:lobby"})
        );
        let opened = json!({"channel": channel("acc:lobby", "lobby")});
        peer.answer(&open, opened).await;
        let publish = peer.expect("channels/publish").await;
        assert_eq!(publish["params"]["content"][0]["text"], "*** it");
        peer.answer(&publish, json!({"delivered": true, "messageId": "m"}))
            .await;
        let told = peer.expect("channels/publish").await;
        assert!(told.get("id").is_none());
        let chunk = peer.expect("channels/outgoing/chunk").await["params"].clone();
        assert_eq!(
            chunk,
            json!({
                "inferenceId": "inf_1", "conversationId": "conv_1", "channelId": "acc:lobby",
                "index": 0, "delta": "*** ",
            })
        );
        let complete = peer.expect("channels/outgoing/complete").await["params"].clone();
        assert_eq!(
            complete["content"],
            json!([{"type": "resource", "uri": "x://y"}])
        );
        let typing = peer.expect("channels/typing").await["params"].clone();
        assert_eq!(typing, json!({"channelId": "acc:lobby", "op": "start"}));
        let acknowledge = peer.expect("channels/acknowledge").await;
        assert_eq!(acknowledge["params"]["value"], "👀");
        peer.answer(&acknowledge, json!({"acknowledged": true}))
            .await;
        let list = peer.expect("channels/list").await;
        peer.answer(&list, two()).await;
        let close = peer.expect("channels/close").await;
        peer.answer(&close, json!({"closed": true})).await;
        let close = peer.expect("channels/close").await;
        peer.refuse(
            &close,
            json!({"code": -32023, "message": "Unknown channel"}),
        )
        .await;
    };
    let asking = async {
        let address = json!({"room": "lobby"});
        let opened = host.open_channel("acc", address).await.unwrap();
        assert_eq!(opened.id, "acc:lobby");
        let published = host.publish("conv_1", &opened.id, "damn it").await.unwrap();
        assert_eq!(published.message_id.as_deref(), Some("m"));
        host.notify_publish("conv_1", &opened.id, "x")
            .await
            .unwrap();
        host.outgoing_chunk(&turn, &opened.id, 0, "damn ")
            .await
            .unwrap();
        let content = ContentBlock::resource("x://y");
        host.outgoing_complete(&turn, &opened.id, content)
            .await
            .unwrap();
        host.typing(&opened.id, TypingOp::Start).await.unwrap();
        let acknowledged = host.acknowledge(&opened.id, "m1", Some(json!("👀"))).await;
        assert!(acknowledged.unwrap().acknowledged);
        assert_eq!(host.list_channels().await.unwrap().len(), 2);
        assert!(host.close_channel(&opened.id).await.unwrap());
        let unknown = host.close_channel("acc:none").await.unwrap_err();
        assert_eq!(unknown.code(), Some(-32023));
    };
    tokio::join!(asking, answering);
}
