//! What an author says about guidance, and what is found at start-up.

use std::fs;

use hooks_sdk::{
    Collected,
    core::Registry,
    guidance::{ContentLoader, Folder, HookInput, McpFeature},
    server::Route,
    testing::TestHost,
};
use serde_json::json;

use super::shop::{
    ALL_EVENTS, Action, Cancel, End, LEGACY, Progress, STATELESS, Session, Shop, Should, Start,
    guarded, guidance, hook, plain, reads, registry, shop, texts,
};

#[tokio::test]
async fn conditions_are_judged_by_the_settings() {
    let config = json!({"debug": true, "limits": {"max": 5}});
    let config = config.as_object().unwrap();
    let hooks = || {
        [
            hook(Session, Start, "on-sqlite").requires_storage(["sqlite", "file"]),
            hook(Session, Start, "on-memory").requires_storage(["memory"]),
            hook(Session, Start, "debugging").requires_config(config.clone()),
        ]
    };
    let set = guidance().storage("sqlite").config(config.clone());
    let host = plain(LEGACY, shop(hooks()).guidance(set)).await.unwrap();
    let said = host.handshake()["instructions"].as_str().unwrap();
    assert!(
        said.contains("ON-SQLITE") && said.contains("DEBUGGING") && !said.contains("ON-MEMORY"),
        "{said}"
    );
    let host = plain(LEGACY, shop(hooks())).await.unwrap();
    assert_eq!(host.handshake().get("instructions"), None);
}

#[tokio::test]
async fn the_app_is_set_once_for_the_server() {
    let own = hook(Session, Start, "own").app("other");
    let server = shop([hook(Session, Start, "welcome"), own])
        .guidance(guidance().app("shop").trigger_tool());
    let host = plain(LEGACY, server).await.unwrap();
    let composed = host
        .call_tool(
            "hooks_trigger",
            json!({"type": "session", "lifecycle": "start"}),
        )
        .await
        .unwrap();
    let included = &composed.as_value()["structuredContent"]["includedHooks"];
    assert_eq!(included[0]["id"], "shop:session:start:welcome");
    assert_eq!(included[1]["id"], "other:session:start:own");
}

#[tokio::test]
async fn the_prompts_of_the_guidance_are_a_feature_of_the_server() {
    let hooks = || {
        let needs = |feature, tag| hook(Session, Start, tag).requires_features([feature]);
        [
            needs(McpFeature::Prompts, "with-prompts"),
            needs(McpFeature::Resources, "with-resources"),
        ]
    };
    for version in [LEGACY, STATELESS] {
        let host = plain(version, shop(hooks())).await.unwrap();
        let capabilities = &host.handshake()["capabilities"];
        assert!(capabilities["prompts"].is_object(), "{version}");
        let said = &host.handshake()["instructions"];
        assert_eq!(said, "SHOULD: WITH-PROMPTS", "{version}");
        let none = guidance().without(Route::Prompts);
        let host = plain(version, shop(hooks()).guidance(none)).await.unwrap();
        let capabilities = &host.handshake()["capabilities"];
        assert!(capabilities.get("prompts").is_none(), "{version}");
        assert_eq!(host.handshake().get("instructions"), None, "{version}");
    }
    let declared = Collected::<Shop>::of(registry(hooks())).unwrap();
    let declared = declared.declared(Default::default(), None).await;
    assert_eq!(declared.len(), 1, "{declared:?}");
}

#[tokio::test]
async fn one_or_two_texts_are_framed_in_a_line_unless_the_page_is_wanted() {
    let hooks = |count: usize| {
        let all = ["one", "two", "three"].map(|tag| hook(Action, End, tag));
        all.into_iter().take(count).collect::<Vec<_>>()
    };
    let said = async |server| {
        let host = plain(LEGACY, server).await.unwrap();
        let worked = host.call_tool("work", json!({})).await.unwrap();
        texts(worked.as_value())[1].to_owned()
    };
    assert_eq!(said(shop(hooks(1))).await, "SHOULD: ONE");
    assert_eq!(said(shop(hooks(2))).await, "SHOULD: ONE\n\nSHOULD: TWO");
    let page = said(shop(hooks(3))).await;
    assert!(page.starts_with("> The following sections"), "{page}");
    for count in 1..=3 {
        let page = said(shop(hooks(count)).guidance(guidance().full_page())).await;
        assert!(page.starts_with("> The following sections"), "{page}");
        assert!(page.contains("## SHOULD\n\nThese are") && page.contains("### Name\n\nONE"));
    }
}

#[tokio::test]
async fn folders_are_a_second_source() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("from-disk.md"),
        "---\ntype: action\nlifecycle: end\nname: From disk\nrequirement: MUST\ntool: wo*\n---\nFROM-DISK\n",
    )
    .unwrap();
    let set = guidance().folder(Folder::read(folder.path()).unwrap());
    let host = plain(LEGACY, shop([]).guidance(set)).await.unwrap();
    let worked = host.call_tool("work", json!({})).await.unwrap();
    assert!(texts(worked.as_value())[1].contains("FROM-DISK"));
    assert_eq!(
        host.call_tool("pay", json!({})).await.unwrap().text(),
        "done"
    );
}

#[tokio::test]
async fn a_loader_reads_the_texts_of_hooks_that_carry_none() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("elsewhere.md"), "ON-DISK").unwrap();
    let textless = |tag: &'static str| HookInput::new(Action, End, tag, "Name", Should);
    let set = guidance().texts(ContentLoader::new(folder.path()));
    let server = shop([textless("elsewhere"), textless("missing")]).guidance(set);
    let host = plain(LEGACY, server).await.unwrap();
    host.request("logging/setLevel", json!({"level": "error"}))
        .await
        .unwrap();
    let worked = host.call_tool("work", json!({})).await.unwrap();
    assert!(texts(worked.as_value())[1].contains("ON-DISK"));
    let told = host.frames().iter().any(|frame| {
        frame.message["params"]["data"]
            == "1 hook(s) failed to load: Name (`missing.md` does not exist)"
    });
    assert!(told, "{:?}", host.frames());
}

#[tokio::test]
async fn what_does_not_fit_is_found_before_anything_is_served() {
    let twice = || registry([hook(Session, Start, "welcome").app("a")]);
    let again = Folder::embedded([(
        "welcome.md",
        "---\ntype: session\nlifecycle: start\nname: Welcome\nrequirement: MAY\napp: a\n---\nText\n",
    )])
    .unwrap();
    let cases = [
        (
            twice(),
            guidance().folder(again),
            "a second guidance hook with the id `a:session:start:welcome`",
        ),
        (
            registry([]),
            guidance().app(""),
            "the app of the guidance is empty",
        ),
    ];
    for (registry, set, words) in cases {
        let collected = Collected::<Shop>::of(registry).unwrap();
        let error = collected
            .clone()
            .guidance(set.clone())
            .wrap(Shop::default())
            .unwrap_err()
            .to_string();
        assert!(error.contains(words), "{error}");
    }
    let broken = shop([]).guidance(guidance().app(""));
    assert!(broken.check().is_err());
    let error = plain(LEGACY, broken).await.unwrap_err().to_string();
    assert!(
        error.contains("the app of the guidance is empty"),
        "{error}"
    );
}

#[test]
fn definitions_made_by_hand_are_checked_like_attributes() {
    let hooks = [
        hook(Session, Start, "Not Kebab"),
        hook(Session, Start, "tooled").tool("work"),
        hook(Action, Start, "globbed").tool("[a"),
        hook(Session, Start, "empty").text(" \n"),
        hook(Session, Start, "long").text("a".repeat(40_000)),
    ];
    let error = Collected::<Shop>::of(registry(hooks))
        .unwrap_err()
        .to_string();
    for words in [
        "tag: a tag is kebab-case",
        "tool: `tool` applies only to `action` hooks",
        "tool: the pattern has a `[` without its `]`",
        "`session:start:empty`: the text is empty",
        "`session:start:long`: the text is longer than 32768 bytes",
    ] {
        assert!(error.contains(words), "{words}: {error}");
    }
    assert!(Collected::<Shop>::of(Registry::default()).is_ok());
}

#[tokio::test]
async fn a_client_whose_own_hooks_bring_the_guidance_gets_prompts_only() {
    for version in [LEGACY, STATELESS] {
        for capabilities in [json!({}), reads(&ALL_EVENTS)] {
            let hooks = [
                hook(Session, Start, "welcome"),
                hook(Action, End, "after"),
                hook(Action, Cancel, "clean-up"),
            ];
            let set = guidance().by_own_hooks(|client| client.starts_with("hooks-sdk"));
            let host = TestHost::builder()
                .version(version)
                .capabilities(capabilities);
            let host = host.connect(guarded(hooks).guidance(set)).await.unwrap();
            assert_eq!(host.handshake().get("instructions"), None, "{version}");
            assert!(host.declarations().is_empty(), "{version}");
            let opened = host.call_tool("open", json!({})).await.unwrap();
            assert!(!opened.text().contains("WELCOME") && !opened.text().contains("AFTER"));
            let prompt = json!({"name": "hooks_session_start"});
            let prompt = host.request("prompts/get", prompt).await.unwrap();
            assert!(prompt.to_string().contains("WELCOME"), "{version}");
        }
    }
    let other = guidance().by_own_hooks(|client| client == "claude-code");
    let host = plain(
        LEGACY,
        shop([hook(Session, Start, "welcome")]).guidance(other),
    );
    let said = host.await.unwrap().handshake()["instructions"].to_string();
    assert!(said.contains("WELCOME"), "{said}");
}

/// What arrives of each route at a client that reads no declarations, and at last of declarations at one that does.
async fn arrives(off: Option<Route>) -> Vec<(Route, bool)> {
    let hooks = || {
        [
            hook(Session, Start, "welcome"),
            hook(Session, End, "goodbye"),
            hook(Action, End, "then"),
            hook(Action, Progress, "patience"),
            hook(Action, Cancel, "clean-up"),
        ]
    };
    let server = || {
        let set = off
            .into_iter()
            .fold(guidance(), hooks_sdk::server::Guidance::without);
        guarded(hooks()).guidance(set)
    };
    let host = plain(LEGACY, server()).await.unwrap();
    let said = host.handshake()["instructions"].to_string();
    let opened = host.call_tool("open", json!({})).await.unwrap().text();
    let in_result = opened.contains("WELCOME");
    let worked = host.call_tool("work", json!({})).await.unwrap().text();
    let report = json!({
        "name": "work", "arguments": {"then": "report"}, "_meta": {"progressToken": "t"},
    });
    let reported = host.request("tools/call", report).await.unwrap();
    super::results::cancel(&host, "wait", json!({})).await;
    let next = host.call_tool("look", json!({})).await.unwrap().text();
    let closed = host.call_tool("close", json!({})).await.unwrap().text();
    let prompts = host.request("prompts/list", json!({})).await.unwrap();
    let reader = TestHost::builder().capabilities(reads(&ALL_EVENTS));
    let reader = reader.connect(server()).await.unwrap();
    // What the handshake does not tell, the opening result does.
    assert_eq!(in_result, off == Some(Route::Instructions));
    vec![
        (Route::Instructions, said.contains("WELCOME")),
        (Route::Results, closed.contains("GOODBYE")),
        (Route::Actions, worked.contains("THEN")),
        (Route::Progress, reported.to_string().contains("PATIENCE")),
        (Route::Cancellation, next.contains("CLEAN-UP")),
        (
            Route::Prompts,
            prompts.to_string().contains("session_start"),
        ),
        (Route::Declarations, !reader.declarations().is_empty()),
    ]
}

#[tokio::test]
async fn each_route_alone_is_switched_off_and_the_others_are_as_they_were() {
    let all = arrives(None).await;
    assert!(all.iter().all(|(_, arrived)| *arrived), "{all:?}");
    for (off, _) in all {
        for (route, arrived) in arrives(Some(off)).await {
            assert_eq!(arrived, route != off, "{route:?} without {off:?}");
        }
    }
}
