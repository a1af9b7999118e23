//! `DELETE`: a client ends its session, and only a session that exists.

use hooks_sdk::store::MemoryStore;
use hooks_tests::client::{LEGACY, Reply, STATELESS, ask, request, session};
use http::{Method, StatusCode};
use std::net::SocketAddr;

use crate::desk::serve;

async fn delete(address: SocketAddr, session: Option<&str>, version: &str) -> Reply {
    let mut headers = vec![("mcp-protocol-version", version)];
    headers.extend(session.map(|session| ("mcp-session-id", session)));
    ask(address, request(Method::DELETE, "/mcp", &headers, "")).await
}

#[tokio::test]
async fn only_a_session_that_exists_is_ended() {
    let alone = serve(|server| server).await;
    let replica = serve(|server| server.store(MemoryStore::new())).await;
    for served in [&alone, &replica] {
        let address = served.address;
        let own = session(address).await;
        for unknown in [
            "nonsense",
            "",
            "00000000-0000-4000-8000-000000000000",
            "\u{fc}",
        ] {
            let answer = delete(address, Some(unknown), LEGACY).await;
            assert_eq!(answer.status, StatusCode::NOT_FOUND, "{unknown}");
            assert!(answer.body.contains("Session not found"), "{answer:?}");
        }
        let none = delete(address, None, LEGACY).await;
        assert_eq!(none.status, StatusCode::BAD_REQUEST, "{none:?}");
        assert!(none.body.contains("Session ID is required"), "{none:?}");
        assert_eq!(
            delete(address, Some(&own), LEGACY).await.status,
            StatusCode::NO_CONTENT
        );
        // It has ended.
        assert_eq!(
            delete(address, Some(&own), LEGACY).await.status,
            StatusCode::NOT_FOUND
        );
        // A revision without sessions has none to end.
        let stateless = delete(address, None, STATELESS).await;
        assert_eq!(stateless.status, StatusCode::METHOD_NOT_ALLOWED);
    }
}
