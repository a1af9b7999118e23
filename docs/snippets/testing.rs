//! What else the in-memory host can do, with a server of hooks added by hand.

use hooks_sdk::{
    Collected, Hooked,
    core::Registry,
    lifecycle::{Event, LifecycleHook, Occasion, Variables, host::ClientControls, point, strength},
    testing::{Side, TestHost},
};
use rmcp::ServerHandler;
use serde_json::json;

struct Plain;

impl ServerHandler for Plain {}

// ANCHOR: by_hand
fn server() -> Hooked<Plain> {
    let ending = LifecycleHook::text(
        "ending",
        point::session_end,
        strength::required,
        "Store what you learned.",
    );
    let registry = Registry::builder().add(ending.into()).build();
    let collected = Collected::of(registry.unwrap()).unwrap();
    collected.wrap(Plain).unwrap()
}
// ANCHOR_END: by_hand

// ANCHOR: generations
#[tokio::test]
async fn both_generations_are_told_the_same() {
    for version in ["2025-11-25", "2026-07-28"] {
        let host = TestHost::builder()
            .version(version)
            .capabilities(json!({"hooks": {"supported_events": ["session_end"]}}))
            .connect(server())
            .await
            .unwrap();
        assert_eq!(host.declarations().len(), 1, "{version}");
    }
}
// ANCHOR_END: generations

// ANCHOR: policy
#[tokio::test]
async fn a_careful_client_takes_less() {
    let mut controls = ClientControls::default();
    controls.max_characters = 10;
    let host = TestHost::builder().controls(controls);
    let host = host.connect(server()).await.unwrap();
    let end = Occasion::new(Event::SessionEnd, Variables::new());
    let report = host.fire(end).await;
    assert_eq!(
        report.skipped[0].reason.to_string(),
        "its 23 characters do not fit"
    );
}
// ANCHOR_END: policy

// ANCHOR: frames
#[tokio::test]
async fn a_malformed_line_is_answered() {
    let host = TestHost::connect(server()).await.unwrap();
    host.send_line(b"not json").await.unwrap();
    host.request("ping", json!({})).await.unwrap();
    let frames = host.frames();
    let refusal = frames
        .iter()
        .filter(|frame| frame.from == Side::Server)
        .find(|frame| frame.message["error"]["code"] == -32700);
    assert!(refusal.is_some(), "{frames:?}");
}
// ANCHOR_END: frames
