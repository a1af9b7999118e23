//! Hooks whose texts are made when they fire.

use std::time::Duration;

use hooks_sdk::{
    core::HookError,
    guidance::{Firing, GuidanceHook},
    testing::TestHost,
};
use serde_json::json;

use super::shop::{
    ALL_EVENTS, Action, End, LEGACY, Session, Shop, Start, bare, hook, plain, reads, texts, with,
};

fn whose(_: &Shop, firing: &Firing) -> String {
    format!(
        "MADE at {} for {:?} in {}",
        firing.moment,
        firing.tool,
        firing.session_id.is_some()
    )
}

fn computed(hook_type: super::shop::HookType, lifecycle: super::shop::Lifecycle) -> GuidanceHook {
    GuidanceHook::answering(
        bare(hook_type, lifecycle, "made"),
        |shop: &Shop, firing: &Firing| {
            let text = whose(shop, firing);
            Box::pin(async move { text })
        },
    )
}

#[tokio::test]
async fn it_is_told_at_which_moment_and_about_which_tool() {
    let host = plain(
        LEGACY,
        with([
            computed(Action, End),
            GuidanceHook::new(hook(Action, End, "text")),
        ]),
    )
    .await
    .unwrap();
    let worked = host.call_tool("work", json!({})).await.unwrap();
    let blocks = texts(worked.as_value());
    assert!(
        blocks[1].contains("MADE at action_end for Some(\"work\") in true"),
        "{blocks:?}"
    );
    assert!(blocks[1].contains("TEXT"));
}

#[tokio::test]
async fn a_session_start_is_made_for_the_handshake_whether_declared_or_not() {
    let host = plain(LEGACY, with([computed(Session, Start)]))
        .await
        .unwrap();
    assert!(
        host.handshake()["instructions"]
            .as_str()
            .unwrap()
            .contains("MADE at session_start")
    );
    let host = TestHost::builder()
        .capabilities(reads(&ALL_EVENTS))
        .connect(with([computed(Session, Start)]))
        .await
        .unwrap();
    let declared = serde_json::to_value(host.declarations()).unwrap();
    assert!(
        declared[0]["context"]
            .as_str()
            .unwrap()
            .contains("MADE at session_start"),
        "{declared}"
    );
}

#[tokio::test]
async fn elsewhere_it_goes_by_results_even_to_a_client_that_reads_declarations() {
    let host = TestHost::builder()
        .capabilities(reads(&ALL_EVENTS))
        .connect(with([computed(Action, End)]))
        .await
        .unwrap();
    assert!(host.declarations().is_empty());
    assert!(
        host.call_tool("work", json!({}))
            .await
            .unwrap()
            .text()
            .contains("MADE")
    );
}

#[tokio::test]
async fn what_fails_panics_hangs_or_has_nothing_to_say_holds_nobody_up() {
    let fail = |tag: &'static str| bare(Action, End, tag);
    let hooks = [
        GuidanceHook::answering_any(fail("fails"), |_| {
            Box::pin(async { Err::<String, _>(HookError::new("no")) })
        }),
        GuidanceHook::answering_any(
            fail("panics"),
            |_| -> futures::future::BoxFuture<'_, String> { panic!("as told") },
        ),
        GuidanceHook::answering_any(
            fail("hangs"),
            |_| Box::pin(std::future::pending::<String>()),
        )
        .deadline(Duration::from_millis(20)),
        GuidanceHook::answering_any(fail("silent"), |_| Box::pin(async { None::<String> })),
        GuidanceHook::new(hook(Action, End, "text")),
    ];
    let host = plain(LEGACY, with(hooks)).await.unwrap();
    let worked = host.call_tool("work", json!({})).await.unwrap();
    let blocks = texts(worked.as_value());
    assert_eq!(blocks.len(), 2, "{blocks:?}");
    assert_eq!(blocks[1], "SHOULD: TEXT");
    let host = plain(
        LEGACY,
        with([GuidanceHook::answering_any(fail("silent"), |_| {
            Box::pin(async { " " })
        })]),
    )
    .await
    .unwrap();
    assert_eq!(
        host.call_tool("work", json!({})).await.unwrap().text(),
        "done"
    );
}

#[tokio::test]
async fn it_is_told_the_name_of_the_request_to_which_a_hook_can_be_bound() {
    let asked = GuidanceHook::answering_any(bare(Action, End, "asked"), |firing: &Firing| {
        let id = firing.request_id.clone();
        Box::pin(async move { format!("REQUEST {}.", id.unwrap()) })
    });
    let host = plain(LEGACY, with([asked])).await.unwrap();
    let bind = json!({"then": "bind", "to": "request", "and": "tell"});
    let worked = host.call_tool("work", bind).await.unwrap();
    let blocks = texts(worked.as_value());
    assert!(
        blocks[1].contains(&format!("REQUEST {}.", blocks[0])),
        "{blocks:?}"
    );
}
