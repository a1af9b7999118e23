//! The generation with a handshake: the session of rmcp's HTTP service is the machine's.

use futures::future::join_all;
use hooks_tests::client::{Client, text};
use rmcp::transport::streamable_http_server::StreamableHttpServerConfig;
use serde_json::json;

use super::office::{handle, offices, offices_with, passed, serve, serve_with, user};

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
async fn many_clients_at_once_are_as_many_sessions() {
    let served = serve(offices()).await;
    let clients = join_all((0..8).map(|_| Client::legacy(served.address))).await;
    join_all(clients.iter().enumerate().map(async |(at, client)| {
        let opens = at % 2 == 0;
        if opens {
            client.call("session_init", json!({})).await;
        }
        for _ in 0..5 {
            assert_eq!(passed(&client.call("work", json!({})).await), opens);
        }
    }))
    .await;
}

#[tokio::test]
async fn the_clients_own_session_id_comes_before_the_transports() {
    let served = serve(offices()).await;
    let one = Client::legacy(served.address).await;
    let other = Client::legacy(served.address).await;
    let codex = json!({"sessionId": "codex-1", "threadId": "thread-1"});
    one.call_with("session_init", json!({"_meta": codex.clone()}))
        .await;
    for client in [&one, &other] {
        assert!(passed(
            &client
                .call_with("work", json!({"_meta": codex.clone()}))
                .await
        ));
        let another = json!({"sessionId": "codex-2"});
        assert!(!passed(
            &client.call_with("work", json!({"_meta": another})).await
        ));
        assert!(!passed(&client.call("work", json!({})).await));
    }
}

#[tokio::test]
async fn a_stolen_session_id_is_no_use_to_another_principal() {
    let by_user =
        offices_with(|sessions| sessions.principal(|request| user(request.extensions.get()?)));
    let served = serve(by_user).await;
    let client = Client::legacy(served.address).await;
    let ann = client.clone().with("x-user", "ann");
    let bob = client.clone().with("x-user", "bob");
    ann.call("session_init", json!({})).await;
    for (caller, open) in [(&ann, true), (&bob, false), (&client, false)] {
        assert_eq!(passed(&caller.call("work", json!({})).await), open);
    }
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
