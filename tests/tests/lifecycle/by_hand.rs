//! Lifecycle hooks made by hand: what they declare, how they answer, and what is wrong with bad ones.

use std::{sync::Arc, time::Duration};

use hooks_sdk::{
    core::{self, HookError, Posture, Registry},
    lifecycle::{LifecycleHook, Matcher, Variables, event, point, posture, problems, strength},
};
use serde_json::{Map, Value, json, to_value};

struct Memory {
    facts: Vec<String>,
}

/// A generic server, which the attribute cannot serve.
struct Store<S>(S);

fn memory() -> Memory {
    Memory {
        facts: vec!["tests pass".to_owned()],
    }
}

fn recall() -> LifecycleHook {
    LifecycleHook::answering(
        "recall",
        point::session_start,
        strength::important,
        |memory: &Memory, start: event::SessionStart| {
            Box::pin(async move {
                let project = start
                    .project_name
                    .ok_or_else(|| HookError::new("no project"))?;
                Ok::<_, HookError>(format!("{project}: {}", memory.facts.join(", ")))
            })
        },
    )
}

fn object(value: Value) -> Map<String, Value> {
    value.as_object().expect("an object").clone()
}

async fn answer(hook: &LifecycleHook, arguments: Value) -> Result<String, String> {
    let served = hook.served().expect("an answering hook");
    served
        .answer(&memory(), object(arguments))
        .await
        .map_err(|failure| failure.to_string())
}

#[tokio::test]
async fn an_answering_hook_receives_its_event() {
    let hook = recall();
    assert_eq!(
        answer(&hook, json!({"project_name": "annal"}))
            .await
            .unwrap(),
        "annal: tests pass"
    );
    for unknown in [
        json!({}),
        json!({"project_name": "{project_name}"}),
        json!({"project_name": null}),
    ] {
        assert_eq!(answer(&hook, unknown).await.unwrap_err(), "no project");
    }
}

#[tokio::test]
async fn a_server_is_found_however_it_is_held() {
    let hook = recall();
    let served = hook.served().unwrap();
    let arguments = object(json!({"project_name": "annal"}));
    let shared: Arc<Memory> = Arc::new(memory());
    assert!(served.answer(&shared, arguments.clone()).await.is_ok());
    let boxed: Box<Memory> = Box::new(memory());
    assert!(served.answer(&boxed, arguments.clone()).await.is_ok());
    let stranger = served
        .answer(&"another", arguments)
        .await
        .unwrap_err()
        .to_string();
    assert!(stranger.contains("Memory"), "{stranger}");
}

#[tokio::test]
async fn generic_servers_and_every_kind_of_answer() {
    let hook = LifecycleHook::answering(
        "size",
        point::post_request,
        strength::suggestion,
        |store: &Store<Vec<u8>>, (): ()| Box::pin(async move { Some(store.0.len().to_string()) }),
    );
    let store = Store(vec![1_u8, 2]);
    let size = hook
        .served()
        .unwrap()
        .answer(&store, Map::new())
        .await
        .unwrap();
    assert_eq!(size, "2");
    let silent =
        LifecycleHook::answering_any("a", point::session_end, strength::required, |(): ()| {
            Box::pin(async { None::<&'static str> })
        });
    assert_eq!(answer(&silent, json!({})).await.unwrap(), "");
    let whole = LifecycleHook::answering_any(
        "b",
        point::post_tool_use,
        strength::required,
        |known: Variables| Box::pin(async move { known.tool_output.unwrap_or_default() }),
    );
    assert_eq!(
        answer(&whole, json!({"tool_output": {"ok": true}}))
            .await
            .unwrap(),
        r#"{"ok":true}"#
    );
}

#[tokio::test]
async fn a_failing_hook_does_what_its_policy_says() {
    let broken = |policy: Posture| {
        LifecycleHook::answering_any("a", point::session_end, strength::required, |(): ()| {
            if true {
                panic!("before the future");
            }
            Box::pin(async { "never" })
        })
        .posture(policy)
    };
    let failure = answer(&broken(posture::deny), json!({})).await.unwrap_err();
    assert_eq!(failure, "it panicked: before the future");
    assert_eq!(
        answer(&broken(posture::proceed), json!({})).await.unwrap(),
        ""
    );
    let hung =
        LifecycleHook::answering_any("b", point::session_end, strength::required, |(): ()| {
            Box::pin(std::future::pending::<String>())
        })
        .deadline(Duration::from_millis(1));
    assert_eq!(
        answer(&hung, json!({})).await.unwrap_err(),
        "it took longer than 1 ms"
    );
}

#[test]
fn an_answering_hook_is_declared_with_its_event_as_arguments() {
    let hook = recall().description("What we know");
    let expected = json!({
        "event": "session_start",
        "context_tool": "recall",
        "context_tool_args": {"project_name": "{project_name}", "session_id": "{session_id}"},
        "priority": "important",
    });
    assert_eq!(to_value(hook.declaration()).unwrap(), expected);
    let served = hook.served().unwrap();
    assert_eq!(
        (served.name(), served.description()),
        ("recall", "What we know")
    );
    let schema = served.input_schema();
    assert_eq!(schema["properties"].as_object().unwrap().len(), 2);
    assert_eq!(schema["properties"]["session_id"]["type"], "string");
    assert!(!schema.contains_key("required"));
}

#[test]
fn a_hook_knows_its_owner_and_where_it_was_written() {
    let line = line!() + 1;
    let text = LifecycleHook::text("a", point::session_end, strength::required, "x");
    let hook = core::Hook::from(text.server::<Memory>());
    assert_eq!((hook.origin().line, hook.origin().file), (line, file!()));
    assert!(hook.owner().includes::<Arc<Memory>>() && !hook.owner().includes::<Store<u8>>());
    assert!(core::Hook::from(recall()).owner().includes::<Memory>());
    assert_eq!(
        (hook.protocol(), hook.point()),
        ("lifecycle", "session_end")
    );
}

fn complaints(hook: LifecycleHook) -> Vec<String> {
    let registry = Registry::builder().add(hook.into()).build().unwrap();
    let found = problems(&registry);
    assert!(
        found
            .iter()
            .all(|problem| problem.origin.is_some() && !problem.help.is_empty())
    );
    found
        .into_iter()
        .map(|problem| problem.message.into_owned())
        .collect()
}

#[test]
fn what_the_attribute_checks_is_checked_of_hooks_made_by_hand() {
    let text =
        |text: &'static str| LifecycleHook::text("h", point::session_end, strength::required, text);
    let tool = || LifecycleHook::tool("h", point::pre_tool_use, strength::required, "t");
    let answering = || {
        LifecycleHook::answering_any("h", point::session_end, strength::required, |(): ()| {
            Box::pin(async { "x" })
        })
    };
    let deep = object(json!({"a": [{"b": "{tool_output}"}], "{tool_output}": "{unknown}"}));
    for (hook, expected) in [
        (text(" "), "`context` of the hook `h`: the text is empty"),
        (
            text("{tool_name}"),
            "`context` of the hook `h`: `{tool_name}` is only known in `pre_tool_use` and `post_tool_use` hooks",
        ),
        (
            text("x").matcher(Matcher::new().tool_name("a")),
            "`matcher` of the hook `h`: `matcher` applies only to `pre_tool_use` and `post_tool_use` hooks",
        ),
        (
            text("x").context_tool_args(Map::new()),
            "`context_tool_args` of the hook `h`: `context_tool_args` needs a `context_tool`",
        ),
        (
            tool().matcher(Matcher::new()),
            "`matcher` of the hook `h`: `matcher` has no condition",
        ),
        (
            tool().matcher(Matcher::new().tool_name("[")),
            "`tool_name` of the hook `h`: the pattern has a `[` without its `]`",
        ),
        (
            tool().matcher(Matcher::new().input_contains("")),
            "`input_contains` of the hook `h`: the value is empty",
        ),
        (
            tool().matcher(Matcher::new().tool_server("")),
            "`tool_server` of the hook `h`: the value is empty",
        ),
        (
            tool().context_tool_args(deep),
            "`context_tool_args` of the hook `h`: `{tool_output}` is only known in `post_tool_use` hooks",
        ),
        (
            LifecycleHook::tool("h", point::session_end, strength::required, ""),
            "`context_tool` of the hook `h`: the value is empty",
        ),
        (
            answering().deadline(Duration::ZERO),
            "`deadline` of the hook `h`: the deadline is not between 1 ms and 10 minutes",
        ),
        (
            answering().deadline(Duration::from_secs(601)),
            "`deadline` of the hook `h`: the deadline is not between 1 ms and 10 minutes",
        ),
        (
            answering().context_tool_args(Map::new()),
            "`context_tool_args` of the hook `h`: an answering hook is called with its event, not with `context_tool_args`",
        ),
    ] {
        assert_eq!(complaints(hook), [expected]);
    }
    assert_eq!(
        complaints(answering().deadline(Duration::from_secs(600))),
        [""; 0]
    );
    assert_eq!(complaints(text("{unknown} {session_id}")), [""; 0]);
}
