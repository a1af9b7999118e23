//! The beginning of a session, told once where the transport keeps no sessions.

use hooks_sdk::{
    Collected,
    core::Registry,
    guidance::{GuidanceHook, HookInput, HookType, Lifecycle, RequirementLevel},
    server::{Guidance, Route},
};
use hooks_tests::client::{Client, LEGACY};
use rmcp::transport::streamable_http_server::StreamableHttpServerConfig;
use serde_json::{Value, json};

use super::office::{Office, Stage, serve_with};

/// Offices that welcome whoever comes, without sessions.
fn welcoming() -> Collected<Office> {
    let (about, when) = (HookType::Session, Lifecycle::Start);
    let welcome = HookInput::new(about, when, "welcome", "Welcome", RequirementLevel::Should);
    let hook = GuidanceHook::new(welcome.text("Be welcome."));
    let registry = Registry::builder().add(hook.into()).build();
    Collected::of(registry.expect("one hook")).expect("a sound hook")
}

fn texts(result: &Value) -> Vec<&str> {
    let blocks = result["content"].as_array().expect("blocks").iter();
    blocks.filter_map(|block| block["text"].as_str()).collect()
}

fn welcomes(text: &str) -> bool {
    text.contains("Be welcome.")
}

#[tokio::test]
async fn where_the_transport_keeps_no_sessions_the_older_generation_is_told_once() {
    let config = StreamableHttpServerConfig::default().with_legacy_session_mode(false);
    let offices = welcoming().session::<Stage>();
    let served = serve_with(offices, config.clone()).await;
    let client = Client::stranger(served.address);
    let shaken = client.ask("initialize", shake()).await;
    let instructions = shaken["result"]["instructions"].as_str();
    assert!(instructions.is_some_and(welcomes), "{shaken}");
    let opened = client.call("session_init", json!({})).await;
    assert!(!texts(&opened).into_iter().any(welcomes), "{opened}");
    // Without that route it is the opening call that tells.
    let none = Guidance::new().without(Route::Instructions);
    let offices = welcoming().guidance(none).session::<Stage>();
    let served = serve_with(offices, config).await;
    let client = Client::stranger(served.address);
    let shaken = client.ask("initialize", shake()).await;
    assert_eq!(shaken["result"].get("instructions"), None, "{shaken}");
    let opened = client.call("session_init", json!({})).await;
    assert!(texts(&opened).into_iter().any(welcomes), "{opened}");
}

fn shake() -> Value {
    json!({
        "protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "client", "version": "1"},
    })
}
