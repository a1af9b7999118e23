//! Notices about what was left out: only for a client that asked.

use hooks_sdk::{
    core::HookError,
    guidance::{Composer, GuidanceHook, McpFeature},
    testing::{Side, TestHost},
};
use hooks_tests::subscriber::Logged;
use serde_json::{Value, json};
use tracing::Level;

use super::shop::{Action, End, LEGACY, STATELESS, Session, Start, guidance, hook, plain, shop};

fn messages(host: &TestHost) -> Vec<Value> {
    let frames = host.frames().into_iter();
    let sent = frames
        .filter(|frame| frame.from == Side::Server)
        .map(|frame| frame.message);
    sent.filter(|message| message["method"] == "notifications/message")
        .map(|message| message["params"].clone())
        .collect()
}

fn failing() -> hooks_sdk::Hooked<super::shop::Shop> {
    let failing = GuidanceHook::answering_any(super::shop::bare(Action, End, "failing"), |_| {
        Box::pin(async { Err::<String, _>(HookError::new("no luck")) })
    });
    let sampling = hook(Action, End, "sampling").requires_features([McpFeature::Sampling]);
    super::shop::with([GuidanceHook::new(sampling), failing])
}

#[tokio::test]
async fn a_legacy_client_asks_by_setting_a_level() {
    let host = plain(LEGACY, failing()).await.unwrap();
    assert!(host.handshake()["capabilities"]["logging"].is_object());
    host.call_tool("work", json!({})).await.unwrap();
    assert_eq!(messages(&host), [] as [Value; 0]);
    host.request("logging/setLevel", json!({"level": "notice"}))
        .await
        .unwrap();
    host.call_tool("work", json!({})).await.unwrap();
    let skipped = "1 hook(s) were skipped (conditions not met): Name (requires features: sampling)";
    let failed = "1 hook(s) failed to load: Name (no luck)";
    assert_eq!(
        messages(&host),
        [
            json!({"level": "notice", "logger": "hooks", "data": skipped}),
            json!({"level": "error", "logger": "hooks", "data": failed}),
        ]
    );
    host.request("logging/setLevel", json!({"level": "warning"}))
        .await
        .unwrap();
    host.call_tool("work", json!({})).await.unwrap();
    assert_eq!(messages(&host).len(), 3);
    host.request("logging/setLevel", json!({"level": "critical"}))
        .await
        .unwrap();
    host.call_tool("work", json!({})).await.unwrap();
    assert_eq!(messages(&host).len(), 3);
}

#[tokio::test]
async fn a_stateless_client_asks_with_the_request() {
    let host = plain(STATELESS, failing()).await.unwrap();
    let call = |meta: Value| {
        host.request(
            "tools/call",
            json!({"name": "work", "arguments": {}, "_meta": meta}),
        )
    };
    call(json!({})).await.unwrap();
    assert!(messages(&host).is_empty());
    call(json!({"io.modelcontextprotocol/logLevel": "error"}))
        .await
        .unwrap();
    assert_eq!(messages(&host).len(), 1);
    call(json!({})).await.unwrap();
    assert_eq!(messages(&host).len(), 1);
}

#[tokio::test]
async fn what_the_handshake_leaves_out_is_logged_once() {
    for (version, capabilities) in [
        (LEGACY, json!({})),
        (LEGACY, super::shop::reads(&super::shop::ALL_EVENTS)),
        (STATELESS, json!({})),
        (STATELESS, super::shop::reads(&super::shop::ALL_EVENTS)),
    ] {
        for unasked in [false, true] {
            let left_out = hook(Session, Start, "left-out").requires_storage(["none"]);
            let mut server = shop([left_out]);
            if unasked {
                server = server.declare_unasked();
            }
            let log = Logged::listen(Level::INFO);
            let host = TestHost::builder().version(version);
            let host = host.capabilities(capabilities.clone());
            let _host = host.connect(server).await.unwrap();
            let count = log.take().matches("hooks were left out").count();
            assert_eq!(count, 1, "{version} {capabilities} {unasked}");
        }
    }
}

#[tokio::test]
async fn a_limit_is_told_like_a_condition() {
    let hooks = [
        hook(Action, End, "one"),
        hook(Action, End, "two").priority(10),
    ];
    let server = shop(hooks).guidance(guidance().composer(Composer::new().max_hooks(1)));
    let host = plain(LEGACY, server).await.unwrap();
    host.request("logging/setLevel", json!({"level": "debug"}))
        .await
        .unwrap();
    let worked = host.call_tool("work", json!({})).await.unwrap();
    assert!(worked.text().contains("ONE") && !worked.text().contains("TWO"));
    assert_eq!(
        messages(&host)[0]["data"],
        "1 hook(s) were skipped (limit reached): Name (limit of 1 hooks)"
    );
}

#[tokio::test]
async fn a_hook_about_another_tool_is_no_notice() {
    let host = plain(
        LEGACY,
        shop([hook(Action, End, "one")
            .tool("pay")
            .requires_storage(["none"])]),
    )
    .await
    .unwrap();
    host.request("logging/setLevel", json!({"level": "debug"}))
        .await
        .unwrap();
    host.call_tool("work", json!({})).await.unwrap();
    assert!(messages(&host).is_empty());
}
