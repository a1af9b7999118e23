//! When the store is full or cannot be reached: closed, and nothing is lost.

use std::{sync::Arc, time::Duration};

use hooks_sdk::{server::Sessions, store::MemoryStore, testing::TestHost};
use hooks_tests::{faulty_store::FaultyStore, toy_server::ToyServer};
use serde_json::json;

use super::desk::{two_states, with_tools};

fn desk() -> ToyServer {
    with_tools(&["work", "search", "session_init", "session_clear"])
}

#[tokio::test]
async fn without_the_store_guarded_tools_are_refused_and_others_run() {
    for version in ["2025-11-25", "2026-07-28"] {
        let desk = desk();
        let remote = FaultyStore::default();
        let sessions = Sessions::on(two_states()).store(remote.clone());
        let host = TestHost::builder()
            .version(version)
            .connect(desk.sessions(sessions))
            .await
            .unwrap();
        let opened = host.call_tool("session_init", json!({})).await.unwrap();
        let handle = opened.as_value()["_meta"]["hooks-sdk/session"].clone();
        remote.fail("no route");
        for tool in ["work", "session_clear"] {
            let refused = host
                .call_tool(tool, json!({"session": handle}))
                .await
                .unwrap();
            assert!(refused.is_error(), "{version}");
            assert!(
                refused
                    .text()
                    .contains("the state of the session cannot be read"),
                "{refused:?}"
            );
            assert_eq!(refused.as_value()["_meta"]["hooks-sdk/retryable"], true);
        }
        assert!(
            !host
                .call_tool("search", json!({}))
                .await
                .unwrap()
                .is_error()
        );
        remote.mend();
        assert!(
            !host
                .call_tool("work", json!({"session": handle}))
                .await
                .unwrap()
                .is_error(),
            "{version}"
        );
        assert_eq!(desk.ran(), ["session_init", "search", "work"]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_move_that_cannot_be_written_is_told() {
    let remote = FaultyStore::default();
    let sessions = Sessions::on(two_states()).store(remote.clone());
    let host = TestHost::connect(desk().sessions(sessions)).await.unwrap();
    let (opened, ()) = futures::join!(host.call_tool("session_init", json!({"ms": 100})), async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        remote.fail("no route");
    });
    let opened = opened.unwrap();
    assert!(
        opened
            .text()
            .contains("The session is where it was before this call"),
        "{opened:?}"
    );
    remote.mend();
    assert!(host.call_tool("work", json!({})).await.unwrap().is_error());
    host.call_tool("session_init", json!({})).await.unwrap();
    assert!(!host.call_tool("work", json!({})).await.unwrap().is_error());
}

#[tokio::test]
async fn a_full_store_refuses_one_more_session_and_drops_none() {
    let desk = desk();
    let store = Arc::new(MemoryStore::with_capacity(2));
    let sessions = Sessions::on(two_states()).store(store.clone());
    let host = TestHost::builder()
        .version("2026-07-28")
        .without_session_handle()
        .connect(desk.sessions(sessions))
        .await
        .unwrap();
    let open = async |then: &str| {
        host.call_tool("session_init", json!({"then": then}))
            .await
            .unwrap()
    };
    // An opening that fails takes no room.
    for _ in 0..5 {
        open("error").await;
    }
    assert_eq!(store.len(), 0);
    let handles = [open("ok").await, open("ok").await]
        .map(|opened| opened.as_value()["_meta"]["hooks-sdk/session"].clone());
    let ran = desk.ran().len();
    let refused = open("ok").await;
    assert!(
        refused.is_error()
            && refused
                .text()
                .contains("as many sessions are open as can be"),
        "{refused:?}"
    );
    assert_eq!(refused.as_value()["_meta"]["hooks-sdk/retryable"], true);
    assert_eq!(desk.ran().len(), ran, "the tool does not run in vain");
    for handle in &handles {
        assert!(
            !host
                .call_tool("work", json!({"session": handle}))
                .await
                .unwrap()
                .is_error()
        );
    }
    host.call_tool("session_clear", json!({"session": handles[0]}))
        .await
        .unwrap();
    assert!(!open("ok").await.is_error());
}

#[tokio::test(start_paused = true)]
async fn a_closed_connection_takes_its_session_along() {
    for shim in [true, false] {
        let store = Arc::new(MemoryStore::new());
        let hooked = desk().sessions(Sessions::on(two_states()).store(store.clone()));
        let builder = TestHost::builder();
        let builder = if shim {
            builder
        } else {
            builder.without_shim()
        };
        let host = builder.connect(hooked.clone()).await.unwrap();
        host.call_tool("session_init", json!({})).await.unwrap();
        assert_eq!(store.len(), 1);
        host.close().await.unwrap();
        for _ in 0..500 {
            if store.is_empty() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        assert_eq!(store.len(), 0, "{shim}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_passes_its_deadline_opens_no_session() {
    let hooked = desk().sessions(Sessions::on(two_states()));
    let hooked = hooked.call_deadline(Duration::from_millis(100));
    let host = TestHost::connect(hooked).await.unwrap();
    let opened = host.call_tool("session_init", json!({"ms": 60_000}));
    let opened = opened.await.unwrap();
    assert!(opened.is_error() && opened.text().contains("did not end within"));
    assert!(host.call_tool("work", json!({})).await.unwrap().is_error());
    host.call_tool("session_init", json!({})).await.unwrap();
    assert!(!host.call_tool("work", json!({})).await.unwrap().is_error());
}

#[tokio::test]
async fn one_client_cannot_take_the_sessions_of_another() {
    const SHARE: usize = 10_000;
    let hooked = desk().sessions(Sessions::on(two_states()));
    let builder = || {
        TestHost::builder()
            .version("2026-07-28")
            .without_session_handle()
    };
    let one = builder().connect(hooked.clone()).await.unwrap();
    let open = async |host: &TestHost| host.call_tool("session_init", json!({})).await.unwrap();
    for _ in 1..SHARE {
        assert!(!open(&one).await.is_error());
    }
    // An opening that fails takes no share.
    let failed = one
        .call_tool("session_init", json!({"then": "error"}))
        .await;
    assert!(failed.unwrap().is_error());
    let last = open(&one).await;
    let handle = last.as_value()["_meta"]["hooks-sdk/session"].clone();
    let refused = open(&one).await;
    let text = refused.text();
    assert!(
        text.contains("10000 sessions of this client are open"),
        "{text}"
    );
    assert_eq!(refused.as_value()["_meta"]["hooks-sdk/retryable"], true);
    let other = builder().connect(hooked).await.unwrap();
    assert!(!open(&other).await.is_error());
    let closed = one
        .call_tool("session_clear", json!({"session": handle}))
        .await;
    assert!(!closed.unwrap().is_error());
    assert!(!open(&one).await.is_error());
}
