//! Tools whose definitions are not known: they are asked for again, and until then nothing is taken for granted.

use std::{sync::atomic::Ordering, time::Duration};

use hooks_sdk::{
    Policy,
    plugin::{
        Instance, ListHook, ListOf, Listed,
        ready::{Confirm, Validate},
    },
};
use serde_json::json;

use super::shelf::{Shelf, hooked, host};

/// More than the time for which a list is not read again.
const LATER: Duration = Duration::from_secs(6);

#[tokio::test(start_paused = true)]
async fn confirm_asks_until_the_definition_is_known() {
    let shelf = Shelf::default();
    shelf.0.lists_fail.store(true, Ordering::SeqCst);
    let policy = Policy::new().with(Instance::of(Confirm::new()));
    let host = host("2025-11-25", hooked(&shelf, [], [], policy)).await;
    // The client cannot ask its user, so a question is a refusal.
    for tool in ["look", "wipe"] {
        let refused = host.call_tool(tool, json!({"id": 1})).await.unwrap();
        assert!(refused.is_error(), "{tool}");
    }
    shelf.0.lists_fail.store(false, Ordering::SeqCst);
    tokio::time::sleep(LATER).await;
    let asked = async |tool: &str| {
        let called = host.call_tool(tool, json!({"id": 1})).await.unwrap();
        called.is_error()
    };
    assert!(!asked("look").await, "its definition is known now");
    assert!(asked("wipe").await);
    // A tool that comes later.
    assert!(asked("later").await);
    shelf.0.more_tools.store(true, Ordering::SeqCst);
    tokio::time::sleep(LATER).await;
    assert!(!asked("later").await);
}

#[tokio::test(start_paused = true)]
async fn validate_says_that_it_cannot_until_the_definition_is_known() {
    let shelf = Shelf::default();
    shelf.0.lists_fail.store(true, Ordering::SeqCst);
    let policy = Policy::new().with(Instance::of(Validate::new()));
    let host = host("2025-11-25", hooked(&shelf, [], [], policy)).await;
    let refused = host.call_tool("look", json!({"id": "x"})).await.unwrap();
    let whole = refused.as_value().to_string();
    assert!(whole.contains("unknown_definition"), "{whole}");
    shelf.0.lists_fail.store(false, Ordering::SeqCst);
    tokio::time::sleep(LATER).await;
    let refused = host.call_tool("look", json!({"id": "x"})).await.unwrap();
    assert!(refused.as_value().to_string().contains("invalid_arguments"));
    let called = host.call_tool("look", json!({"id": 1})).await.unwrap();
    assert!(!called.is_error(), "{called:?}");
}

#[tokio::test]
async fn confirm_sees_a_hint_that_a_list_hook_adds() {
    let shelf = Shelf::default();
    let hint = ListHook::new("hint", ListOf::Tools, |tool| {
        Listed::As(tool.clone().annotated("destructiveHint", true))
    })
    .items(&["look"]);
    let policy = Policy::new().with(Instance::of(Confirm::new()));
    let host = host("2025-11-25", hooked(&shelf, [], [hint], policy)).await;
    let refused = host.call_tool("look", json!({"id": 1})).await.unwrap();
    assert!(refused.is_error() && shelf.ran() == 0, "{refused:?}");
}

#[tokio::test]
async fn calls_of_unknown_tools_share_one_reading_of_the_list() {
    let shelf = Shelf::default();
    let lists = [ListHook::hide("hidden", ListOf::Tools, &["internal_*"])];
    let host = host("2025-11-25", hooked(&shelf, [], lists, Policy::new())).await;
    for number in 0..100 {
        host.call_tool(&format!("unknown_{number}"), json!({}))
            .await
            .ok();
    }
    assert!(shelf.lists() <= 3, "{} readings", shelf.lists());
}
