//! Guidance behind the result of a call: around tools, on progress, after a cancellation.

use hooks_sdk::{guidance::McpFeature, server::Route, testing::TestHost};
use hooks_tests::idle;
use serde_json::{Value, json};

use super::shop::{
    Action, Cancel, End, LEGACY, Progress, Running, STATELESS, Session, Start, guarded, guidance,
    hook, plain, shop, texts, times_sent,
};

async fn host(version: &str, server: hooks_sdk::Hooked<super::shop::Shop>) -> TestHost {
    plain(version, server).await.unwrap()
}

#[tokio::test]
async fn action_hooks_stand_around_the_tools_that_their_glob_names() {
    for version in [LEGACY, STATELESS] {
        let hooks = [
            hook(Action, Start, "first").tool("wo*"),
            hook(Action, Running, "meanwhile").tool("work"),
            hook(Action, End, "then").tool("w[mno]rk"),
            hook(Action, End, "others").tool("pa?"),
        ];
        let host = host(version, shop(hooks)).await;
        let worked = host.call_tool("work", json!({})).await.unwrap();
        let blocks = texts(worked.as_value());
        assert_eq!((blocks.len(), blocks[0]), (2, "done"), "{version}");
        for text in ["FIRST", "MEANWHILE", "THEN"] {
            assert!(blocks[1].contains(text), "{version}: {blocks:?}");
        }
        assert!(!blocks[1].contains("OTHERS"), "{version}: {blocks:?}");
        let looked = host.call_tool("look", json!({})).await.unwrap();
        assert_eq!(texts(looked.as_value()), ["done"], "{version}");
    }
}

#[tokio::test]
async fn the_end_of_an_action_does_not_follow_a_call_that_failed() {
    for version in [LEGACY, STATELESS] {
        let hooks = [hook(Action, Start, "first"), hook(Action, End, "then")];
        let host = host(version, shop(hooks)).await;
        let failed = host
            .call_tool("work", json!({"then": "fail"}))
            .await
            .unwrap();
        assert!(failed.is_error(), "{version}");
        let text = failed.text();
        assert!(
            text.contains("FIRST") && !text.contains("THEN"),
            "{version}: {text}"
        );
    }
}

#[tokio::test]
async fn an_action_hook_that_requires_sampling_needs_a_client_that_has_it() {
    for version in [LEGACY, STATELESS] {
        for has in [true, false] {
            let capabilities = if has {
                json!({"sampling": {}})
            } else {
                json!({})
            };
            let sampling = hook(Action, End, "sample")
                .requires_features([McpFeature::Sampling, McpFeature::Tools]);
            let host = TestHost::builder()
                .version(version)
                .capabilities(capabilities)
                .connect(shop([sampling]))
                .await
                .unwrap();
            let worked = host.call_tool("work", json!({})).await.unwrap();
            assert_eq!(worked.text().contains("SAMPLE"), has, "{version}");
        }
    }
}

#[tokio::test]
async fn progress_hooks_follow_a_call_that_reported_progress() {
    for version in [LEGACY, STATELESS] {
        let host = host(version, shop([hook(Action, Progress, "patience")])).await;
        let call = |arguments: Value| {
            let params =
                json!({"name": "work", "arguments": arguments, "_meta": {"progressToken": "t"}});
            host.request("tools/call", params)
        };
        let silent = call(json!({})).await.unwrap();
        assert_eq!(texts(&silent), ["done"], "{version}");
        let reported = call(json!({"then": "report"})).await.unwrap();
        let blocks = texts(&reported);
        assert_eq!((blocks.len(), blocks[0]), (2, "reported"), "{version}");
        assert!(blocks[1].contains("PATIENCE"), "{version}");
        assert_eq!(times_sent(&host, "PATIENCE"), 1, "{version}");
    }
}

/// Begins a call and cancels it; `meta` says whose it is.
pub(crate) async fn cancel(host: &TestHost, then: &str, meta: Value) {
    let arguments = json!({"then": then});
    let params = json!({"name": "work", "arguments": arguments, "_meta": meta});
    let call = json!({"jsonrpc": "2.0", "id": "c1", "method": "tools/call", "params": params});
    host.send_line(call.to_string().as_bytes()).await.unwrap();
    idle().await;
    let notice = json!({"requestId": "c1"});
    host.notify("notifications/cancelled", notice)
        .await
        .unwrap();
    idle().await;
}

#[tokio::test]
async fn what_a_cancelled_call_leaves_is_told_with_the_sessions_next_result() {
    for then in ["wait", "hang"] {
        let host = host(
            LEGACY,
            shop([hook(Action, Cancel, "clean-up").tool("work")]),
        )
        .await;
        cancel(&host, then, json!({})).await;
        let next = host.call_tool("look", json!({})).await.unwrap();
        let blocks = texts(next.as_value());
        assert_eq!((blocks.len(), blocks[0]), (2, "done"), "{then}: {blocks:?}");
        assert!(blocks[1].contains("CLEAN-UP"), "{then}");
        let after = host.call_tool("look", json!({})).await.unwrap();
        assert_eq!(texts(after.as_value()), ["done"], "{then}");
    }
}

#[tokio::test]
async fn it_waits_for_the_session_whose_call_was_cancelled() {
    let host = host(STATELESS, shop([hook(Action, Cancel, "clean-up")])).await;
    let mut meta = json!({"sessionId": "one"});
    for (key, value) in [
        ("protocolVersion", json!(STATELESS)),
        ("clientCapabilities", json!({})),
        ("clientInfo", json!({"name": "test", "version": "1"})),
    ] {
        meta[format!("io.modelcontextprotocol/{key}")] = value;
    }
    cancel(&host, "wait", meta).await;
    let look = |session: &str| {
        let params = json!({"name": "look", "arguments": {}, "_meta": {"sessionId": session}});
        host.request("tools/call", params)
    };
    assert_eq!(texts(&look("two").await.unwrap()), ["done"]);
    assert_eq!(
        texts(host.call_tool("look", json!({})).await.unwrap().as_value()),
        ["done"]
    );
    assert!(texts(&look("one").await.unwrap())[1].contains("CLEAN-UP"));
}

#[tokio::test]
async fn a_guarded_call_that_was_cancelled_leaves_its_guidance_too() {
    let host = host(LEGACY, guarded([hook(Action, Cancel, "clean-up")])).await;
    host.call_tool("open", json!({})).await.unwrap();
    cancel(&host, "hang", json!({})).await;
    assert!(
        host.call_tool("look", json!({}))
            .await
            .unwrap()
            .text()
            .contains("CLEAN-UP")
    );
}

#[tokio::test]
async fn a_tool_composes_any_moment_for_itself() {
    let hooks = [
        hook(Session, Running, "middle"),
        hook(Action, Running, "for-work").tool("work"),
        hook(Action, Running, "for-pay").tool("pay"),
        hook(Action, Running, "sampling").requires_features([McpFeature::Sampling]),
    ];
    let server = shop(hooks).guidance(guidance().without(Route::Actions));
    let host = host(LEGACY, server).await;
    let guide = |hook_type: &str| {
        host.call_tool(
            "work",
            json!({"then": "guide", "type": hook_type, "lifecycle": "running"}),
        )
    };
    assert!(guide("session").await.unwrap().text().contains("MIDDLE"));
    let action = guide("action").await.unwrap();
    let blocks = texts(action.as_value());
    assert!(
        blocks[0].contains("FOR-WORK") && !blocks[0].contains("FOR-PAY"),
        "{blocks:?}"
    );
    assert_eq!(
        blocks[1],
        "1 hook(s) were skipped (conditions not met): Name (requires features: sampling)"
    );
    assert_eq!(texts(guide("config").await.unwrap().as_value()), ["", ""]);
}

#[tokio::test]
async fn every_moment_has_a_route_or_is_composed() {
    use hooks_sdk::guidance::Moment;
    let tags: Vec<&'static str> = Moment::all()
        .map(|moment| &*moment.as_str().replace('_', "-").leak())
        .collect();
    let hooks = Moment::all()
        .zip(&tags)
        .map(|(moment, tag)| hook(moment.hook_type, moment.lifecycle, tag));
    let server = shop(hooks.collect::<Vec<_>>()).guidance(guidance().without(Route::Actions));
    let host = host(LEGACY, server).await;
    for (moment, tag) in Moment::all().zip(tags) {
        let asked =
            json!({"then": "guide", "type": moment.hook_type, "lifecycle": moment.lifecycle});
        let composed = host.call_tool("work", asked).await.unwrap();
        assert!(composed.text().contains(&tag.to_uppercase()), "{moment}");
        let prompt = host
            .request("prompts/get", json!({"name": format!("hooks_{moment}")}))
            .await
            .unwrap();
        assert!(prompt.to_string().contains(&tag.to_uppercase()), "{moment}");
    }
    let _ = (End, Start);
}
