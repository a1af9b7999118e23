//! The beginning of a session, told once to clients over HTTP.

use hooks_sdk::{
    Collected,
    core::Registry,
    guidance::{GuidanceHook, HookInput, HookType, Lifecycle, RequirementLevel},
    server::{Guidance, Route},
};
use hooks_tests::client::{Client, LEGACY};
use rmcp::transport::streamable_http_server::StreamableHttpServerConfig;
use serde_json::{Value, json};

use super::office::{Office, Stage, serve, serve_with};

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
async fn where_each_request_stands_alone_the_opening_call_tells_it_and_discover_does_not() {
    let served = serve(welcoming().session::<Stage>()).await;
    let client = Client::stateless(served.address);
    let discovered = client.ask("server/discover", json!({})).await;
    assert_eq!(
        discovered["result"].get("instructions"),
        None,
        "{discovered}"
    );
    let opened = client.call("session_init", json!({})).await;
    let blocks = texts(&opened);
    assert_eq!((blocks.len(), blocks[0]), (4, "opened"), "{blocks:?}");
    assert!(
        welcomes(blocks[2]) && blocks[3].starts_with("session: "),
        "{blocks:?}"
    );
    let handle = &opened["_meta"]["hooks-sdk/session"];
    let worked = client.call("work", json!({"session": handle})).await;
    assert!(!texts(&worked).into_iter().any(welcomes), "{worked}");
}

#[tokio::test]
async fn without_sessions_discover_tells_it() {
    let served = serve(welcoming()).await;
    let client = Client::stateless(served.address);
    let discovered = client.ask("server/discover", json!({})).await;
    let instructions = discovered["result"]["instructions"].as_str();
    assert!(instructions.is_some_and(welcomes), "{discovered}");
    let worked = client.call("work", json!({})).await;
    assert_eq!(texts(&worked).len(), 1, "{worked}");
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

#[tokio::test]
async fn a_session_of_the_older_generation_is_told_in_its_handshake() {
    let served = serve(welcoming().session::<Stage>()).await;
    let shaken = Client::stranger(served.address)
        .ask("initialize", shake())
        .await;
    let instructions = shaken["result"]["instructions"].as_str();
    assert!(instructions.is_some_and(welcomes), "{shaken}");
    let client = Client::legacy(served.address).await;
    let opened = client.call("session_init", json!({})).await;
    assert!(!texts(&opened).into_iter().any(welcomes), "{opened}");
}
