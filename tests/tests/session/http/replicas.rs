//! Replicas: services on two ports that share a store serve one session.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use futures::future::join_all;
use hooks_sdk::{
    Collected,
    store::{MemoryStore, SqliteStore, Store},
};
use hooks_tests::client::Client;
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig,
    session::{SessionState, SessionStore, SessionStoreError},
};
use serde_json::json;

use super::office::{Office, Served, handle, offices_with, passed, serve, serve_with};

/// A replica's hooks and sessions; as little is shared with another's as between two processes.
fn replica(store: impl Store) -> Collected<Office> {
    offices_with(|sessions| sessions.store(store))
}

/// What rmcp keeps of a session for its replicas: the handshake.
#[derive(Clone, Default)]
struct Handshakes(Arc<Mutex<HashMap<String, SessionState>>>);

#[async_trait::async_trait]
impl SessionStore for Handshakes {
    async fn load(&self, id: &str) -> Result<Option<SessionState>, SessionStoreError> {
        Ok(self.0.lock().unwrap().get(id).cloned())
    }

    async fn store(&self, id: &str, state: &SessionState) -> Result<(), SessionStoreError> {
        self.0.lock().unwrap().insert(id.to_owned(), state.clone());
        Ok(())
    }

    async fn delete(&self, id: &str) -> Result<(), SessionStoreError> {
        self.0.lock().unwrap().remove(id);
        Ok(())
    }
}

async fn a_handle_opens_both(one: &Served, other: &Served) {
    let client = Client::stateless(one.address);
    let opened = client.call("session_init", json!({})).await;
    let session = json!({"session": handle(&opened)});
    let elsewhere = client.at(other.address);
    assert!(passed(&elsewhere.call("work", session.clone()).await));
    assert!(passed(&client.call("work", session.clone()).await));
    assert!(!passed(&elsewhere.call("work", json!({})).await));
    // Ended on one, it is ended on both.
    elsewhere.call("session_clear", session.clone()).await;
    assert!(!passed(&client.call("work", session).await));
}

#[tokio::test]
async fn replicas_with_one_store_have_the_same_sessions() {
    let store = Arc::new(MemoryStore::new());
    let one = serve(replica(store.clone())).await;
    let other = serve(replica(store.clone())).await;
    a_handle_opens_both(&one, &other).await;
    assert!(store.is_empty());
}

#[tokio::test]
async fn a_session_with_a_handshake_goes_on_at_another_replica() {
    let store = Arc::new(MemoryStore::new());
    let handshakes = Handshakes::default();
    let start = || {
        let mut config = StreamableHttpServerConfig::default();
        config.session_store = Some(Arc::new(handshakes.clone()));
        serve_with(replica(store.clone()), config)
    };
    let (one, other) = (start().await, start().await);
    let client = Client::legacy(one.address).await;
    let elsewhere = client.at(other.address);
    assert!(!passed(&elsewhere.call("work", json!({})).await));
    client.call("session_init", json!({})).await;
    assert!(passed(&elsewhere.call("work", json!({})).await));
    elsewhere.call("session_clear", json!({})).await;
    assert!(!passed(&client.call("work", json!({})).await));
}

#[tokio::test]
async fn calls_at_both_replicas_at_once_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sessions.db");
    let open = || SqliteStore::open(&file).expect("a store");
    let (one, other) = (serve(replica(open())).await, serve(replica(open())).await);
    let codex = json!({"sessionId": "codex-1"});
    let opened = join_all((0..10).map(|at| {
        let address = [one.address, other.address][at % 2];
        let codex = codex.clone();
        async move {
            let client = Client::stateless(address);
            let opened = client
                .call_with("session_init", json!({"_meta": codex.clone()}))
                .await;
            assert_eq!(opened["isError"], false, "{opened}");
            client.call_with("work", json!({"_meta": codex})).await
        }
    }));
    assert!(opened.await.iter().all(passed));
}
