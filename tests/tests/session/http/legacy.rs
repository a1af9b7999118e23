//! The generation with a handshake: the session of rmcp's HTTP service is the machine's.

use hooks_tests::client::{Client, text};
use rmcp::transport::streamable_http_server::StreamableHttpServerConfig;
use serde_json::json;

use super::office::{handle, offices, passed, serve, serve_with};

#[tokio::test]
async fn the_transports_session_is_the_machines() {
    let served = serve(offices()).await;
    let one = Client::legacy(served.address).await;
    let other = Client::legacy(served.address).await;
    let refused = one.call("work", json!({})).await;
    assert!(!passed(&refused));
    let sentence = text(&refused);
    assert!(
        sentence.contains("You MUST call session_init first"),
        "{sentence}"
    );
    assert_eq!(text(&one.call("search", json!({})).await), "searched");

    let opened = one.call("session_init", json!({})).await;
    assert_eq!(text(&opened), "opened\nStore what you learn.");
    assert_eq!(opened.get("_meta"), None, "nothing needs to be passed on");
    let worked = one.call("work", json!({})).await;
    assert!(passed(&worked));
    assert!(!passed(&other.call("work", json!({})).await));
    // One handler has served the client all along, and the other client has its own.
    assert_eq!(text(&worked), "worked in office 0");
    assert_eq!(served.made(), 2);

    assert_eq!(text(&one.call("session_clear", json!({})).await), "cleared");
    assert!(!passed(&one.call("work", json!({})).await));
}

#[tokio::test]
async fn where_no_sessions_are_kept_the_opening_tool_returns_a_handle() {
    let config = StreamableHttpServerConfig::default().with_legacy_session_mode(false);
    let served = serve_with(offices(), config).await;
    let client = Client::stranger(served.address);
    let opened = client.call("session_init", json!({})).await;
    let refused = client.call("work", json!({})).await;
    assert!(!passed(&refused));
    assert!(text(&refused).contains("pass its handle as the argument `session`"));
    let listed = client.ask("tools/list", json!({})).await;
    assert!(
        listed.to_string().contains("The session's handle"),
        "{listed}"
    );
    let handle = handle(&opened);
    assert!(passed(
        &client.call("work", json!({"session": handle})).await
    ));
}
