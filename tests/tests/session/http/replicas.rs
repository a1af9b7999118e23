//! Replicas: services on two ports that share a store serve one session.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use hooks_sdk::{
    Collected,
    store::{MemoryStore, Store},
};
use hooks_tests::client::Client;
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig,
    session::{SessionState, SessionStore, SessionStoreError},
};
use serde_json::json;

use super::office::{Office, offices_with, passed, serve_with};

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
