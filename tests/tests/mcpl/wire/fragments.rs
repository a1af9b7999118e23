//! The documents that are only fragments in the specification, by line.

use hooks_sdk::mcpl::{Content, ContentBlock, Injection, Position};
use serde_json::{Value, json};

use super::decoded;

fn blocks() -> Value {
    json!([
        {"type": "text", "text": "Relevant context"},
        {"type": "image", "data": "iVBORw0KGgo", "mimeType": "image/png"},
        {"type": "resource", "uri": "memory://facts/12345"}
    ])
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
