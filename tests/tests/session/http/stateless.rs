//! The generation without sessions: every request has a handler of its own, and handles name sessions.

use hooks_sdk::session::Handle;
use hooks_tests::client::{Client, text};
use rmcp::transport::streamable_http_server::StreamableHttpServerConfig;
use serde_json::{Value, json};

use super::office::{handle, offices, offices_with, passed, serve, serve_with, user};

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

#[tokio::test]
async fn a_forged_or_truncated_handle_is_refused() {
    let served = serve(offices()).await;
    let elsewhere = serve(offices()).await;
    let client = Client::stateless(served.address);
    let opened = client.call("session_init", json!({})).await;
    let handle = handle(&opened);
    let foreign = client
        .at(elsewhere.address)
        .call("session_init", json!({}))
        .await;
    let mut flipped = handle.to_owned();
    flipped.replace_range(25.., if handle.ends_with('0') { "1" } else { "0" });
    let wrong = [
        json!(Handle::mint().unwrap().to_string()),
        foreign["_meta"]["hooks-sdk/session"].clone(),
        json!(flipped),
        json!(handle[1..]),
        json!(handle[..25]),
        json!(handle[..1]),
        json!(""),
        json!([handle]),
    ];
    for session in &wrong {
        assert!(!works(&client, session).await, "{session}");
        let meta = json!({"hooks-sdk/session": session});
        let by_meta = client.call_with("work", json!({"_meta": meta})).await;
        assert!(!passed(&by_meta), "{session}");
        assert!(
            text(&by_meta).contains("is not the handle of an open session"),
            "{session}"
        );
        // Whoever opens a session under a name of their own gets another.
        let opened = client
            .call("session_init", json!({"session": session}))
            .await;
        assert_ne!(&opened["_meta"]["hooks-sdk/session"], session);
        assert!(!works(&client, session).await, "{session}");
    }
    assert!(works(&client, &json!(handle)).await);
}

#[tokio::test]
async fn two_principals_cannot_use_each_others_handle() {
    let by_user =
        offices_with(|sessions| sessions.principal(|request| user(request.extensions.get()?)));
    let served = serve(by_user).await;
    let nobody = Client::stateless(served.address);
    let ann = nobody.clone().with("x-user", "ann");
    let bob = nobody.clone().with("x-user", "bob");
    let (anns, bobs) = (
        ann.call("session_init", json!({})).await,
        bob.call("session_init", json!({})).await,
    );
    let (anns, bobs) = (json!(handle(&anns)), json!(handle(&bobs)));
    for (client, own, other) in [(&ann, &anns, &bobs), (&bob, &bobs, &anns)] {
        assert!(works(client, own).await);
        assert!(!works(client, other).await);
        client
            .call("session_clear", json!({"session": other}))
            .await;
    }
    assert!(!works(&nobody, &anns).await);
    // Nor has either ended the other's.
    assert!(works(&ann, &anns).await && works(&bob, &bobs).await);
}

#[tokio::test]
async fn the_clients_own_session_id_needs_no_handle() {
    let served = serve(offices()).await;
    let client = Client::stateless(served.address);
    let codex = json!({"sessionId": "codex-1", "threadId": "thread-1"});
    let opened = client
        .call_with("session_init", json!({"_meta": codex.clone()}))
        .await;
    assert_eq!(opened["_meta"].get("hooks-sdk/session"), None);
    assert_eq!(text(&opened), "opened\nStore what you learn.");
    assert!(passed(
        &client.call_with("work", json!({"_meta": codex})).await
    ));
    let another = json!({"sessionId": "codex-2"});
    assert!(!passed(
        &client.call_with("work", json!({"_meta": another})).await
    ));
    assert!(!passed(&client.call("work", json!({})).await));
}

#[tokio::test]
async fn guarded_tools_show_the_argument() {
    let served = serve(offices()).await;
    let listed = |client: Client| async move {
        let listed = client.ask("tools/list", json!({})).await;
        let tools = listed["result"]["tools"].as_array().expect("tools").clone();
        let shows = |tool: &&Value| tool["inputSchema"]["properties"].get("session").is_some();
        let names = tools.iter().filter(shows).map(|tool| tool["name"].clone());
        let mut names: Vec<String> = names.map(|name| name.as_str().unwrap().into()).collect();
        names.sort();
        names
    };
    let stateless = Client::stateless(served.address);
    assert_eq!(listed(stateless).await, ["bind", "session_clear", "work"]);
    let legacy = Client::legacy(served.address).await;
    assert!(listed(legacy).await.is_empty());
}
