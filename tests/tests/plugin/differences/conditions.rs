//! `conditions` of a configuration file: whom they restrict, and how they match.

use hooks_sdk::plugin::{
    Chain, Contexts, End, GlobalContext, HttpHeaders, PluginCondition, PluginHook, PromptFetch,
    ResourceFetch, ToolCall, point,
};
use serde_json::{Map, Value, from_value, json};

fn conditions(conditions: Value) -> Vec<PluginCondition> {
    from_value(conditions).expect("conditions")
}

/// Whether a hook with these conditions runs for a call.
async fn runs(list: Value, mut call: ToolCall, global: GlobalContext) -> bool {
    let rule = PluginHook::deny("rule", point::tool_pre_invoke, "no").conditions(conditions(list));
    let mut contexts = Contexts::new(global);
    let ran = Chain::new([rule])
        .run(point::tool_pre_invoke, &mut call, &mut contexts)
        .await;
    matches!(ran.end, End::Blocked(_))
}

fn call() -> ToolCall {
    ToolCall::new("calc", Map::new())
}

fn user(name: &str) -> GlobalContext {
    let mut global = GlobalContext::new("1");
    global.user = Some(name.to_owned());
    global
}

#[tokio::test]
async fn tools_restrict_hooks_of_tools_only() {
    let list = || conditions(json!([{"tools": ["other"]}]));
    let chain = Chain::new([
        PluginHook::deny("a", point::prompt_pre_fetch, "no").conditions(list()),
        PluginHook::deny("b", point::tool_pre_invoke, "no").conditions(list()),
    ]);
    let mut contexts = Contexts::default();
    let mut prompt = PromptFetch::default();
    let ran = chain
        .run(point::prompt_pre_fetch, &mut prompt, &mut contexts)
        .await;
    assert!(matches!(ran.end, End::Blocked(_)));
    let ran = chain
        .run(point::tool_pre_invoke, &mut call(), &mut contexts)
        .await;
    assert!(matches!(ran.end, End::Allowed));
}

#[tokio::test]
async fn users_are_globs_and_nobody_matches_none() {
    let list = || json!([{"user_patterns": ["*@example.com"]}]);
    assert!(runs(list(), call(), user("ann@example.com")).await);
    // No part of a name, and no regular expression.
    assert!(!runs(list(), call(), user("ann@example.com.evil")).await);
    assert!(!runs(json!([{"user_patterns": ["ann"]}]), call(), user("joann")).await);
    assert!(!runs(list(), call(), GlobalContext::new("1")).await);
    assert!(
        !runs(
            json!([{"user_patterns": ["*"]}]),
            call(),
            GlobalContext::new("1")
        )
        .await
    );
}

#[tokio::test]
async fn resources_are_exact() {
    let list = conditions(json!([{"resources": ["https://api.example.com/*"]}]));
    let rule = PluginHook::deny("rule", point::resource_pre_fetch, "no").conditions(list);
    let chain = Chain::new([rule]);
    for (uri, runs) in [
        ("https://api.example.com/a", false),
        ("https://api.example.com/*", true),
    ] {
        let mut fetch = ResourceFetch::default();
        fetch.uri = uri.to_owned();
        let mut contexts = Contexts::default();
        let ran = chain
            .run(point::resource_pre_fetch, &mut fetch, &mut contexts)
            .await;
        assert_eq!(matches!(ran.end, End::Blocked(_)), runs, "{uri}");
    }
}

#[tokio::test]
async fn content_types_match_without_parameters_and_in_any_case() {
    let list = || json!([{"content_types": ["application/json"]}]);
    let of = |value: &str| {
        let mut call = call();
        call.headers = Some(HttpHeaders::from_iter([("Content-Type", value)]));
        call
    };
    let nobody = || GlobalContext::new("1");
    assert!(runs(list(), of("Application/JSON; charset=utf-8"), nobody()).await);
    assert!(!runs(list(), of("text/plain"), nobody()).await);
    assert!(!runs(list(), call(), nobody()).await);
}

#[tokio::test]
async fn an_empty_name_matches_no_list() {
    let nameless = ToolCall::default();
    assert!(
        !runs(
            json!([{"tools": ["calc"]}]),
            nameless,
            GlobalContext::new("1")
        )
        .await
    );
}

#[tokio::test]
async fn entries_are_alternatives_and_members_of_one_are_not() {
    let of = |tenant: &str| {
        let mut global = GlobalContext::new("1");
        global.tenant_id = Some(tenant.to_owned());
        global
    };
    let both = || json!([{"tools": ["calc"], "tenant_ids": ["t1"]}]);
    assert!(runs(both(), call(), of("t1")).await);
    assert!(!runs(both(), call(), of("t2")).await);
    let either = || json!([{"tools": ["other"]}, {"tenant_ids": ["t2"]}]);
    assert!(runs(either(), call(), of("t2")).await);
    assert!(!runs(either(), call(), of("t1")).await);
    // A server knows no agents.
    assert!(!runs(json!([{"agents": ["a"]}]), call(), of("t1")).await);
}

#[tokio::test]
async fn conditions_read_the_payload_as_it_arrived() {
    let renaming = super::hook("renaming", |call, _| {
        let mut call = call.clone();
        call.name = "renamed".into();
        Ok(hooks_sdk::plugin::Outcome::modify(call))
    });
    let on = |id, tool| super::tracing(id).conditions(conditions(json!([{"tools": [tool]}])));
    let went = super::go([renaming, on("new", "renamed"), on("old", "echo")]).await;
    went.allowed();
    assert_eq!((went.trace(), &*went.call.name), ("old", "renamed"));
}
