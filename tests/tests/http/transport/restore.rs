//! A session that goes on at another replica greets nobody twice, and has everything of its handshake again.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use hooks_sdk::{
    Collected,
    core::Registry,
    guidance::{Firing, GuidanceHook, HookInput, HookType, Lifecycle, RequirementLevel},
    http::Server,
    store::MemoryStore,
};
use hooks_tests::client::{Client, LEGACY, told};
use serde_json::json;

use super::desk::{Desk, Stage, infers, served};

/// Serves a replica, which counts its greetings.
async fn replica(store: &Arc<MemoryStore>, greetings: &Arc<AtomicUsize>) -> SocketAddr {
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
    served(Server::new(hooked).store(store.clone())).await
}

#[tokio::test]
async fn a_restored_session_is_not_greeted_again() {
    let (store, greetings) = (Arc::new(MemoryStore::new()), Arc::default());
    let one = replica(&store, &greetings).await;
    let other = replica(&store, &greetings).await;
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
