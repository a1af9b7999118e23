//! `allow_list` and `deny_list`.

use serde_json::{from_value, json};

use super::*;
use crate::{
    PluginHook,
    ready::{AllowList, DenyList},
};
use hooks_core::{Verdict, condition::Condition};

#[tokio::test]
async fn an_allow_list_allows_its_tools_and_the_calls_that_meet_its_conditions() {
    let list: AllowList = from_value(json!({
        "tools": ["read_*", "search"],
        "rules": [{"tool": "write", "when": r#"args.paths[*] = inside("/srv")"#}],
    }))
    .unwrap();
    let chain = chain([list.into()]);
    for (tool, args, code) in [
        ("read_file", json!({}), None),
        ("search", json!({}), None),
        ("write", json!({"paths": ["/srv/a", "/srv/b"]}), None),
        (
            "write",
            json!({"paths": ["/srv/a", "/srv/../etc/b"]}),
            Some("not_allowed"),
        ),
        ("write", json!({}), Some("not_allowed")),
        ("write", json!({"paths": 5}), Some("not_allowed")),
        ("drop", json!({}), Some("not_allowed")),
    ] {
        let violation = stopped(&chain, tool, args.clone(), &mut contexts()).await;
        assert_eq!(
            violation.as_ref().map(|violation| &*violation.code),
            code,
            "{tool} {args}"
        );
    }
    let violation = stopped(&chain, "drop", json!({}), &mut contexts())
        .await
        .unwrap();
    assert_eq!(
        violation.reason,
        "`drop` is not on the list of allowed tools"
    );
    assert_eq!(violation.description, "it has read_*, search, write");
}

#[tokio::test]
async fn an_empty_allow_list_allows_nothing() {
    let chain = chain([AllowList::new().into()]);
    let violation = stopped(&chain, "read", json!({}), &mut contexts())
        .await
        .unwrap();
    assert_eq!(violation.description, "the list is empty");
}

#[tokio::test]
async fn a_deny_list_denies_what_an_entry_names() {
    let etc = Condition::parse(r#"args.paths[*] = inside("/etc")"#).unwrap();
    let list = DenyList::new().tool("shell_*").tool_when("*", etc);
    let chain = chain([list.clone().into()]);
    for (tool, args, denied) in [
        ("shell_run", json!({}), true),
        ("read", json!({"paths": ["/srv/a", "/etc/passwd"]}), true),
        ("read", json!({"paths": ["/srv/a"]}), false),
        ("read", json!({}), false),
        ("read", json!({"paths": {"a": "/etc"}}), true),
    ] {
        let violation = stopped(&chain, tool, args.clone(), &mut contexts()).await;
        assert_eq!(violation.is_some(), denied, "{tool} {args}");
        assert!(violation.is_none_or(|violation| violation.code == "denied"));
    }
    let chain = super::chain([list.reason("not here").into()]);
    let violation = stopped(&chain, "shell_run", json!({}), &mut contexts()).await;
    assert_eq!(violation.unwrap().reason, "not here");
}

#[tokio::test]
async fn lists_are_checked_again_after_a_later_hook_changed_the_call() {
    let etc = Condition::parse(r#"args.path = inside("/etc")"#).unwrap();
    let list = Instance::of(DenyList::new().tool_when("*", etc)).priority(1);
    let changes =
        PluginHook::answering_any("changes", point::tool_pre_invoke, |call: &ToolCall, _| {
            Box::pin(async { Verdict::<ToolCall>::Modify(call.with("path", "/etc/passwd")) })
        });
    let chain = Chain::new(list.hooks().iter().cloned().chain([changes]));
    let violation = stopped(&chain, "read", json!({"path": "/srv/a"}), &mut contexts()).await;
    assert_eq!(violation.unwrap().code, "denied");
}

#[test]
fn a_configuration_with_a_mistake_says_which() {
    for (config, says) in [
        (json!({"tool": ["a"]}), "unknown field `tool`"),
        (
            json!({"tools": ["a["]}),
            "`a[`: the pattern has a `[` without its `]`",
        ),
        (
            json!({"rules": [{"tool": "a", "when": "args.path ="}]}),
            "args.path =",
        ),
        (json!({"tools": 5}), "a glob or a list of globs"),
    ] {
        let wrong = from_value::<DenyList>(config).unwrap_err().to_string();
        assert!(wrong.contains(says), "{wrong}");
    }
}

#[test]
#[should_panic(expected = "the pattern has a `[` without its `]`")]
fn a_malformed_glob_of_the_author_is_told_at_once() {
    let _ = AllowList::new().tool("a[");
}
