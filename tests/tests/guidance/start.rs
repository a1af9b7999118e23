//! The beginning of a session: by the best route, and once.

use hooks_sdk::{Collected, server::Route, testing::TestHost};
use serde_json::{Value, json};

use super::shop::{
    ALL_EVENTS, Config, End, LEGACY, STATELESS, Session, Shop, Start, Storage, guarded, guidance,
    hook, reads, registry, shop, texts, times_sent,
};

async fn host(version: &str, capabilities: Value, server: hooks_sdk::Hooked<Shop>) -> TestHost {
    TestHost::builder()
        .version(version)
        .capabilities(capabilities)
        .connect(server)
        .await
        .unwrap()
}

#[tokio::test]
async fn it_joins_the_authors_instructions_on_both_generations() {
    for version in [LEGACY, "2024-11-05", STATELESS] {
        let own = Shop {
            instructions: Some("Be kind."),
            ..Shop::default()
        };
        let hooks = [
            hook(Session, Start, "welcome"),
            hook(Storage, Start, "storage-tips"),
            hook(Config, Start, "config-tips"),
            hook(Session, End, "goodbye"),
        ];
        let server = Collected::of(registry(hooks)).unwrap().wrap(own).unwrap();
        let host = host(version, json!({}), server).await;
        let said = host.handshake()["instructions"].as_str().unwrap();
        assert!(
            said.starts_with("Be kind.\n\n> The following sections"),
            "{version}: {said}"
        );
        for text in ["WELCOME", "STORAGE-TIPS", "CONFIG-TIPS"] {
            assert!(said.contains(text), "{version}: {said}");
        }
        assert!(!said.contains("GOODBYE"), "{version}: {said}");
    }
}

#[tokio::test]
async fn instructions_of_nobody_begin_with_the_guidance() {
    let host = host(LEGACY, json!({}), shop([hook(Session, Start, "welcome")])).await;
    let said = host.handshake()["instructions"].as_str().unwrap();
    assert_eq!(said, "SHOULD: WELCOME");
}

#[tokio::test]
async fn a_client_that_reads_declarations_gets_no_instructions() {
    for version in [LEGACY, STATELESS] {
        let server = guarded([hook(Session, Start, "welcome")]);
        let host = host(version, reads(&ALL_EVENTS), server).await;
        assert_eq!(host.handshake().get("instructions"), None, "{version}");
        host.call_tool("open", json!({})).await.unwrap();
        let declared = host.declarations();
        assert_eq!(declared.len(), 1, "{version}");
        // Both places of the capability hold it, and nothing else does.
        assert_eq!(times_sent(&host, "WELCOME"), 2, "{version}");
    }
}

#[tokio::test]
async fn a_client_that_reads_other_events_only_gets_instructions() {
    let server = shop([hook(Session, Start, "welcome")]);
    let host = host(LEGACY, reads(&["post_tool_use"]), server).await;
    assert!(
        host.handshake()["instructions"]
            .as_str()
            .unwrap()
            .contains("WELCOME")
    );
    assert!(host.declarations().is_empty());
}

#[tokio::test]
async fn the_opening_call_tells_it_when_the_handshake_did_not() {
    let server = guarded([hook(Session, Start, "welcome")]);
    let server = server.guidance(guidance().without(Route::Instructions));
    let host = host(LEGACY, json!({}), server).await;
    assert_eq!(host.handshake().get("instructions"), None);
    let opened = host.call_tool("open", json!({})).await.unwrap();
    assert!(
        texts(opened.as_value())[1].contains("WELCOME"),
        "{opened:?}"
    );
    host.call_tool("work", json!({})).await.unwrap();
    assert_eq!(times_sent(&host, "WELCOME"), 1);
}

#[tokio::test]
async fn the_next_session_of_a_connection_is_told_anew() {
    let host = host(
        LEGACY,
        json!({}),
        guarded([hook(Session, Start, "welcome")]),
    )
    .await;
    let open = || async { host.call_tool("open", json!({})).await.unwrap() };
    assert_eq!(texts(open().await.as_value()), ["done"]);
    host.call_tool("close", json!({})).await.unwrap();
    assert!(open().await.text().contains("WELCOME"));
    assert_eq!(times_sent(&host, "WELCOME"), 2);
}

#[tokio::test]
async fn a_stateless_client_is_told_in_the_opening_call_before_the_handle() {
    let server = guarded([hook(Session, Start, "welcome")]);
    let server = server.guidance(guidance().without(Route::Instructions));
    let host = host(STATELESS, json!({}), server).await;
    let opened = host.call_tool("open", json!({})).await.unwrap();
    let texts = texts(opened.as_value());
    assert_eq!((texts.len(), texts[0]), (3, "done"), "{texts:?}");
    assert!(
        texts[1].contains("WELCOME") && texts[2].starts_with("session: "),
        "{texts:?}"
    );
}

#[tokio::test]
async fn a_refused_call_and_a_failed_opening_tell_nothing() {
    let server = guarded([
        hook(Session, Start, "welcome"),
        hook(Session, End, "goodbye"),
    ]);
    let server = server.guidance(guidance().without(Route::Instructions));
    let host = host(LEGACY, json!({}), server).await;
    assert!(host.call_tool("work", json!({})).await.unwrap().is_error());
    host.call_tool("open", json!({"then": "break"}))
        .await
        .unwrap_err();
    assert_eq!(times_sent(&host, "WELCOME"), 0);
}

#[tokio::test]
async fn the_end_is_told_in_the_result_that_ends_the_session() {
    let hooks = || {
        [
            hook(Session, End, "goodbye"),
            hook(Storage, End, "storage-end"),
            hook(Config, End, "config-end"),
        ]
    };
    for (capabilities, sent) in [(json!({}), 1), (reads(&ALL_EVENTS), 2)] {
        let host = host(LEGACY, capabilities.clone(), guarded(hooks())).await;
        host.call_tool("open", json!({})).await.unwrap();
        let closed = host.call_tool("close", json!({})).await.unwrap();
        for text in ["GOODBYE", "STORAGE-END", "CONFIG-END"] {
            assert_eq!(closed.text().contains(text), sent == 1, "{capabilities}");
            assert_eq!(times_sent(&host, text), sent, "{capabilities}");
        }
    }
}

#[tokio::test]
async fn a_server_without_guidance_hooks_says_nothing_of_them() {
    let host = host(LEGACY, json!({}), shop([])).await;
    assert_eq!(host.handshake()["capabilities"], json!({"tools": {}}));
}
