//! Sessions that their clients carry in signed handles, without any store.

use std::time::Duration;

use hooks_sdk::{
    Hooked,
    rmcp::model::RequestStateCodec,
    server::Sessions,
    session::{Machine, State},
    testing::TestHost,
};
use hooks_tests::{
    client::{Client, text},
    faulty_store::FaultyStore,
    toy_server::ToyServer,
};
use rmcp::transport::streamable_http_server::StreamableHttpServerConfig;
use serde_json::{Value, json};

use super::{
    desk::with_tools,
    http::office::{handle, offices_with, passed, serve_with, user},
};

/// A store that nobody may use.
fn untouched() -> FaultyStore {
    FaultyStore::broken("there is no store")
}

fn codec(keys: &[(&str, u8)]) -> RequestStateCodec {
    let ring = keys.iter().map(|(id, byte)| (*id, vec![*byte; 32]));
    RequestStateCodec::new_with_keyring(keys[0].0, ring).expect("keys")
}

fn machine() -> Machine {
    Machine::builder()
        .state(
            State::new("New")
                .start()
                .allow("search")
                .next("session_init", "Open"),
        )
        .state(State::new("Open").allow("work").next("approve", "Approved"))
        .state(
            State::new("Approved")
                .allow("deploy")
                .next("finish", "Open"),
        )
        .reset("session_clear")
        .build()
        .expect("a machine")
}

const TOOLS: [&str; 7] = [
    "search",
    "session_init",
    "work",
    "approve",
    "deploy",
    "finish",
    "session_clear",
];

fn sessions(keys: &[(&str, u8)]) -> Sessions {
    Sessions::on(machine()).signed(codec(keys))
}

async fn host(server: Hooked<ToyServer>) -> TestHost {
    TestHost::builder()
        .version("2026-07-28")
        .without_session_handle()
        .connect(server)
        .await
        .expect("a connection")
}

/// Calls a tool. Returns whether it ran, the handle that its result gives, and the whole result.
async fn call(host: &TestHost, tool: &str, session: Option<&str>) -> (bool, Option<String>, Value) {
    let arguments = session.map_or_else(|| json!({}), |session| json!({"session": session}));
    let result = host.call_tool(tool, arguments).await.expect("a result");
    let result = result.as_value().clone();
    let new = result["_meta"]["hooks-sdk/session"].as_str();
    let ran = result["isError"] != true;
    (ran, new.map(str::to_owned), result)
}

async fn given(host: &TestHost, tool: &str, session: Option<&str>) -> String {
    let (ran, new, result) = call(host, tool, session).await;
    assert!(ran, "{result}");
    new.unwrap_or_else(|| panic!("no handle in {result}"))
}

async fn runs(host: &TestHost, tool: &str, session: &str) -> bool {
    call(host, tool, Some(session)).await.0
}

#[tokio::test]
async fn the_handle_carries_the_state_and_no_store_is_touched() {
    let (desk, store) = (with_tools(&TOOLS), untouched());
    let host = host(desk.sessions(sessions(&[("a", 1)]).store(store.clone()))).await;
    assert!(!call(&host, "work", None).await.0);
    assert!(call(&host, "search", None).await.0);

    let (_, open, opened) = call(&host, "session_init", None).await;
    let open = open.expect("a handle");
    let blocks = opened["content"].as_array().expect("content");
    let told =
        format!("session: {open}\nPass it as the argument `session` with every further call.");
    assert_eq!(blocks[blocks.len() - 1]["text"], told);

    // A call that moves nothing returns no handle.
    let (ran, none, _) = call(&host, "work", Some(&open)).await;
    assert!(ran && none.is_none());
    assert!(!runs(&host, "deploy", &open).await);

    let (_, approved, result) = call(&host, "approve", Some(&open)).await;
    let approved = approved.expect("a new handle");
    assert_ne!(approved, open);
    let blocks = result["content"].as_array().expect("content");
    let told = format!(
        "session: {approved}\nIt replaces the one before: pass it as the argument `session` with every further call."
    );
    assert_eq!(blocks[blocks.len() - 1]["text"], told);
    assert!(runs(&host, "deploy", &approved).await);
    assert!(!runs(&host, "work", &approved).await);
    let again = given(&host, "finish", Some(&approved)).await;
    assert!(runs(&host, "work", &again).await);

    // A failed call moves nothing.
    let failed = json!({"session": again, "then": "error"});
    let failed = host.call_tool("approve", failed).await.expect("a result");
    assert_eq!(failed.as_value()["_meta"].get("hooks-sdk/session"), None);
    let (_, none, _) = call(&host, "session_clear", Some(&again)).await;
    assert_eq!(none, None);
    assert_eq!(store.uses(), 0);
    // The tools never saw the handle.
    let mut seen = desk.calls().into_iter();
    assert!(seen.all(|(_, input)| input.get("session").is_none()));
}

#[tokio::test]
async fn an_old_handle_restores_the_old_state() {
    let host = host(with_tools(&TOOLS).sessions(sessions(&[("a", 1)]))).await;
    let open = given(&host, "session_init", None).await;
    let approved = given(&host, "approve", Some(&open)).await;
    let done = given(&host, "finish", Some(&approved)).await;
    assert!(!runs(&host, "deploy", &done).await);
    // This is the documented limit: a transition that may happen only once needs a store.
    assert!(runs(&host, "deploy", &approved).await);
    call(&host, "session_clear", Some(&done)).await;
    assert!(runs(&host, "work", &open).await);
}

#[tokio::test]
async fn keys_rotate_without_losing_a_session() {
    let on = |keys: &[(&str, u8)]| with_tools(&TOOLS).sessions(sessions(keys));
    let old = host(on(&[("old", 1)])).await;
    let both = host(on(&[("new", 2), ("old", 1)])).await;
    let new = host(on(&[("new", 2)])).await;
    let open = given(&old, "session_init", None).await;
    assert!(!runs(&new, "work", &open).await);
    assert!(runs(&both, "work", &open).await);
    let approved = given(&both, "approve", Some(&open)).await;
    assert!(runs(&new, "deploy", &approved).await);
    assert!(!runs(&old, "deploy", &approved).await);
}

#[tokio::test]
async fn a_wrong_handle_counts_as_none() {
    let host = host(with_tools(&TOOLS).sessions(sessions(&[("a", 1)]))).await;
    let open = given(&host, "session_init", None).await;
    // What the same keys seal for another purpose.
    let other = codec(&[("a", 1)]).seal(b"0123456789abcdef\x01\x00Open");
    let long = "a".repeat(100_000);
    for wrong in ["", "a", &open[1..], &open[..open.len() - 2], &other, &long] {
        let (ran, _, result) = call(&host, "work", Some(wrong)).await;
        assert!(!ran);
        let said = result["content"][1]["text"].as_str().expect("text");
        assert!(
            said.contains("is not the handle of an open session"),
            "{said}"
        );
        // It opens another session, and not under this name.
        let (ran, new, _) = call(&host, "session_init", Some(wrong)).await;
        assert!(ran && new.is_some_and(|new| new != wrong));
    }
    for at in 0..open.len() {
        let mut flipped = open.clone().into_bytes();
        flipped[at] = if flipped[at] == b'A' { b'B' } else { b'A' };
        let flipped = String::from_utf8(flipped).expect("text");
        if flipped != open {
            assert!(!runs(&host, "work", &flipped).await, "{at}");
        }
    }
    assert!(runs(&host, "work", &open).await);
}

#[tokio::test]
async fn a_handle_expires_with_the_sessions_time_to_live() {
    let short = sessions(&[("a", 1)]).time_to_live(Duration::from_millis(1));
    let short = host(with_tools(&TOOLS).sessions(short)).await;
    let long = host(with_tools(&TOOLS).sessions(sessions(&[("a", 1)]))).await;
    let open = given(&short, "session_init", None).await;
    while runs(&short, "work", &open).await {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    // The time is in the handle.
    assert!(!runs(&long, "work", &open).await);
    let forever = sessions(&[("a", 1)]).time_to_live(Duration::MAX);
    let forever = host(with_tools(&TOOLS).sessions(forever)).await;
    let open = given(&forever, "session_init", None).await;
    assert!(runs(&forever, "work", &open).await);
}

#[tokio::test]
async fn a_state_that_a_newer_machine_lacks_counts_as_no_session() {
    let other = Machine::builder()
        .state(State::new("New").start().next("session_init", "Working"))
        .state(State::new("Working").allow_any())
        .build()
        .expect("a machine");
    let other = Sessions::on(other).signed(codec(&[("a", 1)]));
    let newer = host(with_tools(&TOOLS).sessions(other)).await;
    let older = host(with_tools(&TOOLS).sessions(sessions(&[("a", 1)]))).await;
    let open = given(&older, "session_init", None).await;
    assert!(!runs(&newer, "work", &open).await);
}

#[tokio::test]
async fn handles_are_short_and_a_machine_whose_handles_are_not_is_refused() {
    let host = host(with_tools(&TOOLS).sessions(sessions(&[("a", 1)]))).await;
    let open = given(&host, "session_init", None).await;
    assert!(open.len() < 120, "{}", open.len());
    let long = "a".repeat(4_096);
    let machine = Machine::builder()
        .state(State::new("New").start().next("session_init", long.clone()))
        .state(State::new(long.clone()).allow_any())
        .build()
        .expect("a machine");
    let server = with_tools(&TOOLS).bare();
    let problems = server
        .sessions(Sessions::on(machine).signed(codec(&[("a", 1)])))
        .check()
        .expect_err("a problem");
    assert!(
        problems.to_string().contains("longer than 4096 characters"),
        "{problems}"
    );
}

#[tokio::test]
async fn a_connections_own_session_stays_in_the_store() {
    let store = untouched();
    let server = with_tools(&TOOLS).sessions(sessions(&[("a", 1)]).store(store.clone()));
    let host = TestHost::builder()
        .version("2025-11-25")
        .connect(server)
        .await
        .expect("a connection");
    let opened = host
        .call_tool("session_init", json!({}))
        .await
        .expect("a result");
    assert!(opened.is_error());
    assert!(store.uses() > 0);
    // A handle that was returned elsewhere is used here, too, and needs no store.
    let elsewhere = self::host(with_tools(&TOOLS).sessions(sessions(&[("a", 1)]))).await;
    let open = given(&elsewhere, "session_init", None).await;
    let before = store.uses();
    let approved = given(&host, "approve", Some(&open)).await;
    assert!(runs(&host, "deploy", &approved).await);
    assert_eq!(store.uses(), before);
}

/// Two servers that share keys only.
#[tokio::test]
async fn two_replicas_without_a_store_and_two_principals() {
    let office = |store: &FaultyStore| {
        let store = store.clone();
        offices_with(|sessions| {
            let sessions = sessions.signed(codec(&[("a", 1)])).store(store);
            sessions.principal(|request| user(request.extensions.get()?))
        })
    };
    let store = untouched();
    // Clients of the older generation have no sessions of the transport's here either.
    let config = || StreamableHttpServerConfig::default().with_legacy_session_mode(false);
    let one = serve_with(office(&store), config()).await;
    let two = serve_with(office(&store), config()).await;
    let ann = Client::stateless(one.address).with("x-user", "ann");
    let opened = ann.call("session_init", json!({})).await;
    let open = json!({"session": handle(&opened)});
    assert!(passed(&ann.call("work", open.clone()).await));
    assert!(passed(
        &ann.at(two.address).call("work", open.clone()).await
    ));

    let bob = Client::stateless(two.address).with("x-user", "bob");
    let refused = bob.call("work", open.clone()).await;
    assert!(!passed(&refused));
    assert!(text(&refused).contains("belongs to somebody else"));
    let nobody = Client::stateless(two.address);
    assert!(!passed(&nobody.call("work", open.clone()).await));

    let older = Client::stranger(two.address).with("x-user", "ann");
    assert!(passed(&older.call("work", open).await));
    assert_eq!(store.uses(), 0);
}
