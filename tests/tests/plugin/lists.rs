//! List hooks: hidden, renamed and annotated entries.

use hooks_sdk::{
    Policy,
    plugin::{ListHook, ListOf, Listed},
};
use serde_json::{Value, json};

use crate::server::{Files, hooked_with, host};

fn names(list: &Value, of: &str, key: &str) -> Vec<String> {
    let entries = list[of].as_array().cloned().unwrap_or_default();
    let name = |entry: &Value| entry[key].as_str().unwrap_or_default().to_owned();
    entries.iter().map(name).collect()
}

#[tokio::test]
async fn hidden_entries_are_refused_and_renamed_ones_answer_to_their_new_names_only() {
    let files = Files::default();
    let rename = ListHook::new("rename", ListOf::Tools, |tool| {
        Listed::As(
            tool.clone()
                .renamed("remove")
                .annotated("destructiveHint", true),
        )
    })
    .items(&["delete_file"]);
    let lists = [
        ListHook::hide("tools", ListOf::Tools, &["internal_*"]),
        ListHook::hide("prompts", ListOf::Prompts, &["internal"]),
        ListHook::hide("resources", ListOf::Resources, &["file:///internal"]),
        rename,
    ];
    let host = host(hooked_with(&files, [], lists, Policy::new(), None)).await;
    // Without a list before: the names are known all the same.
    let called = host
        .call_tool("remove", json!({"path": "a"}))
        .await
        .unwrap();
    assert!(
        called.text().contains(r#""tool":"delete_file""#),
        "{called:?}"
    );
    for hidden in ["internal_sync", "delete_file"] {
        let refused = host.call_tool(hidden, json!({"path": "a"})).await.unwrap();
        assert!(refused.is_error(), "{hidden}: {refused:?}");
    }
    assert_eq!(files.ran(), 1);
    let listed = host.list_tools().await.unwrap();
    let tools = names(&json!({"tools": listed}), "tools", "name");
    assert_eq!(tools, ["read_file", "remove", "fail"]);
    assert_eq!(listed[1]["annotations"]["destructiveHint"], true);
    let prompts = host.request("prompts/list", json!({})).await.unwrap();
    assert_eq!(names(&prompts, "prompts", "name"), ["greet"]);
    let resources = host.request("resources/list", json!({})).await.unwrap();
    assert_eq!(names(&resources, "resources", "uri"), ["file:///notes"]);
    assert!(
        host.request("prompts/get", json!({"name": "internal"}))
            .await
            .is_err()
    );
    assert!(
        host.request("prompts/get", json!({"name": "greet"}))
            .await
            .is_ok()
    );
    assert!(
        host.request("resources/read", json!({"uri": "file:///internal"}))
            .await
            .is_err()
    );
    assert!(
        host.request("resources/read", json!({"uri": "file:///notes"}))
            .await
            .is_ok()
    );
    let complete = |name: &str| json!({"ref": {"type": "ref/prompt", "name": name}, "argument": {"name": "a", "value": ""}});
    assert!(
        host.request("completion/complete", complete("internal"))
            .await
            .is_err()
    );
}
