//! The documents that are only fragments in the specification, by line.

use hooks_sdk::mcpl::{
    BeforeInference, Content, ContentBlock, Injection, Position,
    wire::{BeforeInferenceResult, PushEvent},
};
use hooks_tests::vectors::mcpl::{check, leftovers};
use serde_json::{Value, json};

use super::decoded;

/// Each with its gaps filled, through the vectors' own choice of types.
#[test]
fn whole_they_are_chosen_and_kept_like_the_others() {
    for (section, document) in [
        ("6.5 Tagging Messages", push(json!({}))),
        ("6.5 Tagging Messages", before(json!({}))),
        ("6.5 Tagging Messages", injected(json!([]))),
        ("10.3 Content Blocks", json!({ "content": blocks() })),
        (
            "10.3 Content Blocks",
            json!({"content": "Simple text injection"}),
        ),
        (
            "14.4 beforeInference Channel Context",
            json!({ "channels": channels() }),
        ),
    ] {
        assert_eq!(check(section, &document), Ok(()), "{document}");
    }
}

fn push(more: Value) -> Value {
    let mut params = json!({
        "featureSet": "memory.proactive", "eventId": "e1", "timestamp": "2026-01-23T10:30:00Z",
        "payload": {"content": []}
    });
    params
        .as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    json!({"jsonrpc": "2.0", "method": "push/event", "id": 1, "params": params})
}

fn before(more: Value) -> Value {
    let mut params = json!({
        "inferenceId": "inf_xyz", "conversationId": "conv_1", "turnIndex": 0, "userMessage": null,
        "model": {}
    });
    params
        .as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    json!({"jsonrpc": "2.0", "method": "context/beforeInference", "id": 5, "params": params})
}

fn injected(injections: Value) -> Value {
    let result = json!({"featureSet": "memory.retrieval", "contextInjections": injections});
    json!({"jsonrpc": "2.0", "id": 5, "result": result})
}

fn blocks() -> Value {
    json!([
        {"type": "text", "text": "Relevant context"},
        {"type": "image", "data": "iVBORw0KGgo", "mimeType": "image/png"},
        {"type": "resource", "uri": "memory://facts/12345"}
    ])
}

fn channels() -> Value {
    json!({
        "incoming": {"channelId": "discord:#general", "messageId": "dmsg_123", "threadId": "t_42"},
        "defaultOutgoing": {"channelId": "discord:#general"},
        "candidates": ["ui", "discord:#general", "telegram:123456"]
    })
}

#[test]
fn line_341_what_a_server_sends_names_its_feature_set() {
    let document = push(json!({"origin": {"server": "memory"}}));
    let event: PushEvent = decoded(&document["params"]);
    assert_eq!(event.feature_set, "memory.proactive");
    assert_eq!(leftovers(&event), 0);
}

#[test]
fn line_355_what_a_host_sends_names_none_and_the_answer_does() {
    let document = before(json!({}));
    let turn: BeforeInference = decoded(&document["params"]);
    assert_eq!((&*turn.inference_id, turn.user_message), ("inf_xyz", None));
    assert!(document["params"].get("featureSet").is_none());
    let document = injected(json!([]));
    let answer: BeforeInferenceResult = decoded(&document["result"]);
    assert_eq!(answer.feature_set, "memory.retrieval");
    assert_eq!(
        answer,
        BeforeInferenceResult::new("memory.retrieval", Vec::new())
    );
}

#[test]
fn line_893_text_media_and_references() {
    let content: Content = decoded(&blocks());
    let expected = vec![
        ContentBlock::text("Relevant context"),
        ContentBlock::image_data("iVBORw0KGgo", "image/png"),
        ContentBlock::resource("memory://facts/12345"),
    ];
    assert_eq!(content, Content::from(expected));
    let by_reference = json!([
        {"type": "image", "uri": "memory://plans/7.png"},
        {"type": "audio", "data": "T2dnUw", "mimeType": "audio/ogg"},
        {"type": "audio", "uri": "memory://notes/7.ogg"}
    ]);
    let content: Content = decoded(&by_reference);
    let expected = vec![
        ContentBlock::image_uri("memory://plans/7.png"),
        ContentBlock::audio_data("T2dnUw", "audio/ogg"),
        ContentBlock::audio_uri("memory://notes/7.ogg"),
    ];
    assert_eq!(content, Content::from(expected));
}

#[test]
fn line_921_a_plain_text_is_one_block_of_text() {
    let document =
        json!({"namespace": "memory", "position": "afterUser", "content": "Simple text injection"});
    let injection: Injection = decoded(&document);
    let ours = Injection::new("memory", Position::AfterUser, "Simple text injection");
    assert_eq!(injection, ours);
    let blocks = json!([{"type": "text", "text": "Simple text injection"}]);
    let blocks: Content = decoded(&blocks);
    assert_eq!(injection.content.into_blocks(), blocks.into_blocks());
}

#[test]
fn line_1449_the_channels_of_a_turn() {
    let document = before(json!({ "channels": channels() }));
    let turn: BeforeInference = decoded(&document["params"]);
    assert_eq!(leftovers(&turn), 0);
    let channels = turn.channels.unwrap();
    let incoming = channels.incoming.unwrap();
    assert_eq!(incoming.channel_id, "discord:#general");
    assert_eq!(incoming.message_id, "dmsg_123");
    assert_eq!(incoming.thread_id.as_deref(), Some("t_42"));
    assert_eq!(
        channels.default_outgoing.unwrap().channel_id,
        "discord:#general"
    );
    assert_eq!(channels.candidates.unwrap().len(), 3);
    for less in [
        json!({}),
        json!({"incoming": {"channelId": "c", "messageId": "m"}}),
    ] {
        let turn: BeforeInference = decoded(&before(json!({"channels": less}))["params"]);
        assert_eq!(leftovers(&turn), 0);
    }
}
