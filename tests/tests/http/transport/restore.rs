//! A session that goes on at another replica greets nobody twice, and has everything of its handshake again.

use std::{
    collections::HashMap,
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use hooks_sdk::{
    Collected,
    core::Registry,
    guidance::{Firing, GuidanceHook, HookInput, HookType, Lifecycle, RequirementLevel},
};
use hooks_tests::client::{Client, LEGACY, told};
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig,
    session::{SessionState, SessionStore, SessionStoreError},
};
use serde_json::json;

use super::desk::{Desk, Stage, infers, mounted};

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

/// Serves a replica, which counts its greetings.
async fn replica(handshakes: &Handshakes, greetings: &Arc<AtomicUsize>) -> SocketAddr {
    let input = HookInput::new(
        HookType::Session,
        Lifecycle::Start,
        "greeting",
        "Greeting",
        RequirementLevel::Should,
    );
    let count = greetings.clone();
    let greeting = GuidanceHook::answering(input, move |_: &Desk, _: &Firing| {
        let number = count.fetch_add(1, Ordering::Relaxed);
        Box::pin(async move { format!("GREETING {number}") })
    });
    let hooks = Registry::builder()
        .add(greeting.into())
        .add(infers())
        .build();
    let hooks = Collected::of(hooks.expect("hooks")).expect("sound hooks");
    let hooked = hooks
        .session::<Stage>()
        .wrap(Desk::new().0)
        .expect("fitting hooks");
    let mut config = StreamableHttpServerConfig::default();
    config.session_store = Some(Arc::new(handshakes.clone()));
    mounted(hooked, config).await
}

#[tokio::test]
async fn a_restored_session_is_not_greeted_again() {
    let (handshakes, greetings) = (Handshakes::default(), Arc::default());
    let one = replica(&handshakes, &greetings).await;
    let other = replica(&handshakes, &greetings).await;
    let mcpl = json!({"experimental": {"mcpl": {"version": "0.4"}}});
    let (client, capabilities) = Client::of(LEGACY, one, mcpl).await;
    assert!(capabilities["experimental"]["mcpl"].is_object());
    assert_eq!(greetings.load(Ordering::Relaxed), 1);

    let elsewhere = client.at(other);
    // The link of MCPL is there again: only an MCPL host gets a state.
    let result = elsewhere
        .call_with("keep", json!({"checkpoint": "c1"}))
        .await;
    assert_eq!(told(&result)["given"], json!({"checkpoint": "c1"}));
    assert_eq!(result["state"]["checkpoint"], "c2", "{result}");
    // The handshake has greeted the client, so the opening of the session does not.
    let opened = elsewhere.call_with("session_init", json!({})).await;
    assert!(!opened.to_string().contains("GREETING"), "{opened}");
    assert_eq!(greetings.load(Ordering::Relaxed), 1);
}
