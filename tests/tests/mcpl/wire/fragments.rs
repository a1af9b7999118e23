//! The documents that are only fragments in the specification, by line.

use hooks_sdk::mcpl::{Content, ContentBlock, Injection, Position};
use hooks_tests::vectors::mcpl::check;
use serde_json::{Value, json};

use super::decoded;

/// Each with its gaps filled, through the vectors' own choice of types.
#[test]
fn whole_they_are_chosen_and_kept_like_the_others() {
    for (section, document) in [
        ("6.5 Tagging Messages", push()),
        ("6.5 Tagging Messages", before()),
        ("6.5 Tagging Messages", injected()),
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

fn push() -> Value {
    let params = json!({
        "featureSet": "memory.proactive", "eventId": "e1", "timestamp": "2026-01-23T10:30:00Z",
        "payload": {"content": []}
    });
    json!({"jsonrpc": "2.0", "method": "push/event", "id": 1, "params": params})
}

fn before() -> Value {
    let params = json!({
        "inferenceId": "inf_xyz", "conversationId": "conv_1", "turnIndex": 0, "userMessage": null,
        "model": {}
    });
    json!({"jsonrpc": "2.0", "method": "context/beforeInference", "id": 5, "params": params})
}

fn injected() -> Value {
    let result = json!({"featureSet": "memory.retrieval", "contextInjections": []});
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
