//! The generation without sessions: every request has a handler of its own, and handles name sessions.

use hooks_tests::client::{Client, text};
use rmcp::transport::streamable_http_server::StreamableHttpServerConfig;
use serde_json::{Value, json};

use super::office::{handle, offices, passed, serve, serve_with};

async fn works(client: &Client, session: &Value) -> bool {
    passed(&client.call("work", json!({"session": session})).await)
}

#[tokio::test]
async fn a_handle_names_the_session_from_one_request_to_the_next() {
    for json_response in [false, true] {
        let config = StreamableHttpServerConfig::default().with_json_response(json_response);
        let served = serve_with(offices(), config).await;
        let client = Client::stateless(served.address);
        assert!(!passed(&client.call("work", json!({})).await));
        assert_eq!(text(&client.call("search", json!({})).await), "searched");

        let opened = client.call("session_init", json!({})).await;
        let handle = handle(&opened);
        let told = format!(
            "session: {handle}\nPass it as the argument `session` with every further call."
        );
        assert_eq!(
            text(&opened),
            format!("opened\nStore what you learn.\n{told}")
        );

        let by_argument = client.call("work", json!({"session": handle})).await;
        let meta = json!({"hooks-sdk/session": handle});
        let by_meta = client.call_with("work", json!({"_meta": meta})).await;
        assert!(passed(&by_argument) && passed(&by_meta));
        assert_ne!(
            text(&by_argument),
            text(&by_meta),
            "each had its own handler"
        );

        // Neither the client nor its connection is a session.
        let refused = client.call("work", json!({})).await;
        assert!(!passed(&refused));
        assert!(text(&refused).ends_with("pass its handle as the argument `session`."));

        client
            .call("session_clear", json!({"session": handle}))
            .await;
        assert!(!works(&client, &json!(handle)).await);
    }
}

#[tokio::test]
async fn a_transports_session_id_names_nothing_here() {
    let served = serve(offices()).await;
    let client = Client::stateless(served.address).with("mcp-session-id", "0198-a");
    client.call("session_init", json!({})).await;
    assert!(!passed(&client.call("work", json!({})).await));
}
