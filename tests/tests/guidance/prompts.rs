//! Guidance as MCP prompts, and what is completed.

use hooks_sdk::{Collected, Hooked, testing::TestHost};
use serde_json::{Value, json};

use super::shop::{
    Action, End, LEGACY, STATELESS, Session, Shop, Start, guarded, hook, plain, registry, shop,
};

fn with_prompts(prompts: &[&'static str]) -> Hooked<Shop> {
    let own = Shop {
        prompts: prompts.to_vec(),
        ..Shop::default()
    };
    let hooks = [
        hook(Session, Start, "welcome").tags(["greeting", "all"]),
        hook(Session, Start, "tips").tags(["all"]),
        hook(Action, End, "after").tool("pay"),
    ];
    Collected::of(registry(hooks)).unwrap().wrap(own).unwrap()
}

async fn host(version: &str, server: Hooked<Shop>) -> TestHost {
    plain(version, server).await.unwrap()
}

async fn listed(host: &TestHost) -> Vec<Vec<String>> {
    let mut pages = Vec::new();
    let mut cursor = Value::Null;
    loop {
        let params = if cursor.is_null() {
            json!({})
        } else {
            json!({"cursor": cursor})
        };
        let mut page = host.request("prompts/list", params).await.unwrap();
        let names = page["prompts"].as_array().unwrap().iter();
        pages.push(
            names
                .map(|prompt| prompt["name"].as_str().unwrap().to_owned())
                .collect(),
        );
        cursor = page["nextCursor"].take();
        if cursor.is_null() {
            return pages;
        }
    }
}

async fn get(
    host: &TestHost,
    name: &str,
    arguments: Value,
) -> Result<Value, hooks_sdk::testing::RequestError> {
    host.request("prompts/get", json!({"name": name, "arguments": arguments}))
        .await
}

#[tokio::test]
async fn there_is_one_prompt_for_each_moment_behind_the_authors_last_page() {
    for version in [LEGACY, STATELESS] {
        let host = host(version, with_prompts(&["one", "two"])).await;
        assert!(host.handshake()["capabilities"]["prompts"].is_object());
        assert_eq!(
            listed(&host).await,
            [
                vec!["one"],
                vec!["two", "hooks_session_start", "hooks_action_end"]
            ]
        );
        let host = self::host(version, with_prompts(&[])).await;
        assert_eq!(
            listed(&host).await,
            [vec!["hooks_session_start", "hooks_action_end"]]
        );
        let page = host.request("prompts/list", json!({})).await.unwrap();
        let argument = &page["prompts"][0]["arguments"][0];
        assert_eq!(
            (&argument["name"], &argument["required"]),
            (&json!("tag"), &json!(false))
        );
    }
}

#[tokio::test]
async fn a_prompt_is_the_composed_page_of_an_assistant() {
    let host = host(LEGACY, with_prompts(&[])).await;
    let prompt = get(&host, "hooks_session_start", json!({})).await.unwrap();
    assert_eq!(prompt["messages"].as_array().unwrap().len(), 1);
    assert_eq!(prompt["messages"][0]["role"], "assistant");
    let text = prompt["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(text.contains("WELCOME") && text.contains("TIPS") && !text.contains("AFTER"));
}

#[tokio::test]
async fn the_tag_narrows_a_prompt() {
    let host = host(LEGACY, with_prompts(&[])).await;
    for (tag, welcome, tips) in [
        ("welcome", true, false),
        ("greeting", true, false),
        ("all", true, true),
        ("", true, true),
    ] {
        let prompt = get(&host, "hooks_session_start", json!({"tag": tag}))
            .await
            .unwrap()
            .to_string();
        assert_eq!(
            (prompt.contains("WELCOME"), prompt.contains("TIPS")),
            (welcome, tips),
            "{tag}"
        );
    }
    let error = get(&host, "hooks_session_start", json!({"tag": "none"}))
        .await
        .unwrap_err()
        .to_string();
    assert!(error.contains("no hook at `session_start` has the tag `none`; the tags are `all`, `greeting`, `tips`, `welcome`"), "{error}");
    get(&host, "hooks_session_start", json!({"tag": 7}))
        .await
        .unwrap_err();
    get(&host, "hooks_config_start", json!({}))
        .await
        .unwrap_err();
}

#[tokio::test]
async fn conditions_that_do_not_hold_leave_a_prompt_without_messages() {
    let host = host(
        LEGACY,
        shop([hook(Session, Start, "welcome").requires_storage(["sqlite"])]),
    )
    .await;
    let prompt = get(&host, "hooks_session_start", json!({})).await.unwrap();
    assert_eq!(prompt["messages"], json!([]));
}

#[tokio::test]
async fn an_authors_prompt_with_a_name_of_ours_is_in_no_list_and_out_of_reach() {
    let own = ["hooks_session_start", "session_start", "hooks_config_end"];
    for version in [LEGACY, STATELESS] {
        let host = host(version, with_prompts(&own)).await;
        // No hook is at the end of the configuration, so that name is the author's.
        let names = [
            vec![],
            vec!["session_start"],
            vec![
                "hooks_config_end",
                "hooks_session_start",
                "hooks_action_end",
            ],
        ];
        assert_eq!(listed(&host).await, names);
        for (name, text) in [
            ("hooks_session_start", "WELCOME"),
            ("hooks_action_end", "AFTER"),
            ("session_start", "The author's own."),
            ("hooks_config_end", "The author's own."),
        ] {
            let prompt = get(&host, name, json!({})).await.unwrap().to_string();
            assert!(prompt.contains(text), "{name}: {prompt}");
        }
        let tags = complete(&host, "hooks_session_start", "tag", "w").await;
        assert_eq!(tags, json!(["welcome"]));
    }
}

async fn complete(host: &TestHost, prompt: &str, argument: &str, value: &str) -> Value {
    let params = json!({
        "ref": {"type": "ref/prompt", "name": prompt},
        "argument": {"name": argument, "value": value},
    });
    host.request("completion/complete", params).await.unwrap()["completion"]["values"].take()
}

#[tokio::test]
async fn tags_are_completed() {
    for version in [LEGACY, STATELESS] {
        let host = host(version, with_prompts(&[])).await;
        assert!(host.handshake()["capabilities"]["completions"].is_object());
        assert_eq!(
            complete(&host, "hooks_session_start", "tag", "").await,
            json!(["all", "greeting", "tips", "welcome"])
        );
        assert_eq!(
            complete(&host, "hooks_session_start", "tag", "t").await,
            json!(["tips"])
        );
        assert_eq!(
            complete(&host, "hooks_action_end", "tag", "").await,
            json!(["after"])
        );
        assert_eq!(
            complete(&host, "hooks_session_start", "colour", "").await,
            json!(["red"])
        );
    }
}

#[tokio::test]
async fn tools_that_lead_on_from_the_sessions_state_are_completed() {
    let host = host(LEGACY, guarded([])).await;
    assert_eq!(complete(&host, "any", "tool", "").await, json!(["open"]));
    host.call_tool("open", json!({})).await.unwrap();
    assert_eq!(complete(&host, "any", "tool", "").await, json!(["pay"]));
    assert_eq!(complete(&host, "any", "tool", "x").await, json!([]));
    host.call_tool("pay", json!({})).await.unwrap();
    assert_eq!(complete(&host, "any", "tool", "").await, json!([]));
    assert_eq!(complete(&host, "own", "tool", "").await, json!(["hammer"]));
}

#[tokio::test]
async fn a_handle_says_whose_state_completes() {
    let builder = TestHost::builder()
        .version(STATELESS)
        .capabilities(json!({}))
        .without_session_handle();
    let host = builder.connect(guarded([])).await.unwrap();
    let opened = host.call_tool("open", json!({})).await.unwrap();
    let handle = &opened.as_value()["_meta"]["hooks-sdk/session"];
    assert_eq!(complete(&host, "any", "tool", "").await, json!(["open"]));
    let params = json!({
        "ref": {"type": "ref/prompt", "name": "any"}, "argument": {"name": "tool", "value": ""},
        "_meta": {"hooks-sdk/session": handle},
    });
    let answer = host.request("completion/complete", params).await.unwrap();
    assert_eq!(answer["completion"]["values"], json!(["pay"]));
}

#[tokio::test]
async fn a_name_that_nobody_serves_is_an_error() {
    let host = host(LEGACY, with_prompts(&["one"])).await;
    for name in [
        "two",
        "session_start",
        "hooks_session_end",
        "Hooks_session_start",
    ] {
        let error = get(&host, name, json!({})).await.unwrap_err().to_string();
        assert!(error.contains("no such prompt"), "{error}");
    }
}
