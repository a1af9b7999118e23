//! Refusals and questions: they have the names that the client knows, wherever they come from.

use hooks_sdk::{
    Policy,
    plugin::{
        Instance, ListHook, ListOf, Listed, Outcome, PluginHook, Question, ToolCall, ToolResult,
        point, ready::RateLimit,
    },
    testing::TestHost,
};
use serde_json::{Value, json};

use super::{
    GENERATIONS,
    shelf::{Shelf, hooked, host},
};

fn renamed() -> [ListHook; 3] {
    let tool = ListHook::new("tool", ListOf::Tools, |tool| {
        Listed::As(tool.clone().renamed("clean"))
    });
    let uri = |id: &'static str, of, key: &'static str, uri: &'static str| {
        ListHook::new(id, of, move |item| {
            let mut item = item.clone();
            item.members.insert(key.to_owned(), uri.into());
            Listed::As(item)
        })
    };
    let row = "doc://{table}/row/{id}";
    [
        tool.items(&["wipe"]),
        uri("resource", ListOf::Resources, "uri", "doc:///notes").items(&["file:///notes"]),
        uri("template", ListOf::ResourceTemplates, "uriTemplate", row).items(&["row://*"]),
    ]
}

/// The refusal of a request, as text.
async fn refusal(host: &TestHost, method: &str, params: Value) -> String {
    match host.request(method, params).await {
        Ok(result) => {
            assert_eq!(result["isError"], true, "{result}");
            result.to_string()
        }
        Err(error) => format!("{error:?}"),
    }
}

#[tokio::test]
async fn a_refusal_has_the_names_that_the_client_knows_before_and_after_the_server() {
    let tool = (
        "tools/call",
        json!({"name": "clean", "arguments": {"id": 1}}),
    );
    let notes = ("resources/read", json!({"uri": "doc:///notes"}));
    let row = ("resources/read", json!({"uri": "doc://a/row/7"}));
    let no = "no `wipe`, no `file:///notes`, no `row://a/7`, no `look`";
    let rules = || {
        [
            (PluginHook::deny("no", point::tool_pre_invoke, no), &tool),
            (PluginHook::deny("no", point::tool_post_invoke, no), &tool),
            (
                PluginHook::deny("no", point::resource_pre_fetch, no),
                &notes,
            ),
            (
                PluginHook::deny("no", point::resource_post_fetch, no),
                &notes,
            ),
            (PluginHook::deny("no", point::resource_post_fetch, no), &row),
        ]
    };
    for version in GENERATIONS {
        for (rule, (method, params)) in rules() {
            let server = hooked(&Shelf::default(), [rule], renamed(), Policy::new());
            let host = host(version, server).await;
            for list in ["tools/list", "resources/list", "resources/templates/list"] {
                host.request(list, json!({})).await.unwrap();
            }
            let whole = refusal(&host, method, params.clone()).await;
            let known = "no `clean`, no `doc:///notes`, no `doc://a/row/7`, no `look`";
            assert!(whole.contains(known), "{version} {method}: {whole}");
            for own in ["wipe", "file:///", "row://"] {
                assert!(!whole.contains(own), "{version} {method}: {whole}");
            }
        }
    }
}

#[tokio::test]
async fn an_answer_of_the_server_keeps_its_words() {
    let server = hooked(&Shelf::default(), [], renamed(), Policy::new());
    let host = host("2025-11-25", server).await;
    let called = host.call_tool("clean", json!({"id": 1})).await.unwrap();
    assert_eq!(called.text(), "wipe ran");
}

#[tokio::test]
async fn a_rate_limit_names_the_tool_that_the_client_called() {
    let policy = Policy::new().with(Instance::of(RateLimit::new().per_hour(1)));
    let server = hooked(&Shelf::default(), [], renamed(), policy);
    let host = host("2025-11-25", server).await;
    host.call_tool("clean", json!({"id": 1})).await.unwrap();
    let refused = host.call_tool("clean", json!({"id": 1})).await.unwrap();
    assert!(
        refused.is_error() && refused.text().starts_with("`clean` is called too often"),
        "{refused:?}"
    );
}

#[tokio::test]
async fn a_question_of_a_hook_has_the_names_that_the_client_knows() {
    for version in GENERATIONS {
        let before = PluginHook::answering_any::<_, Outcome<ToolCall>>(
            "before",
            point::tool_pre_invoke,
            |_, cx| {
                let asked = !cx.elicitation_responses.is_empty();
                Box::pin(async move {
                    match asked {
                        true => Outcome::allow(),
                        false => Outcome::ask(Question::confirm("Run `wipe`?")),
                    }
                })
            },
        );
        let after = PluginHook::answering_any::<_, Outcome<ToolResult>>(
            "after",
            point::tool_post_invoke,
            |_, cx| {
                let asked = !cx.elicitation_responses.is_empty();
                Box::pin(async move {
                    match asked {
                        true => Outcome::allow(),
                        false => Outcome::ask(Question::confirm("Show what `wipe` said?")),
                    }
                })
            },
        );
        for (hook, message) in [(before, "Run `clean`?"), (after, "Show what `clean` said?")] {
            let server = hooked(&Shelf::default(), [hook], renamed(), Policy::new());
            let builder = TestHost::builder().version(version);
            let host = builder
                .user(|_| json!({"action": "accept", "content": {"confirm": true}}))
                .connect(server)
                .await
                .unwrap();
            let called = host.call_tool("clean", json!({"id": 1})).await.unwrap();
            assert_eq!(called.text(), "wipe ran", "{version}");
            let frames = serde_json::to_string(
                &host
                    .frames()
                    .iter()
                    .map(|frame| &frame.message)
                    .collect::<Vec<_>>(),
            );
            assert!(frames.unwrap().contains(message), "{version} {message}");
        }
    }
}
