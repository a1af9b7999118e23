//! List hooks: hidden and annotated entries.

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
async fn hidden_entries_are_refused_and_changed_ones_keep_their_names() {
    let files = Files::default();
    let change = ListHook::new("change", ListOf::Tools, |tool| {
        let tool = tool.clone().described("Asks the user first.");
        Listed::As(tool.annotated("destructiveHint", true))
    })
    .items(&["delete_file"]);
    let lists = [
        ListHook::hide("tools", ListOf::Tools, &["internal_*"]),
        ListHook::hide("prompts", ListOf::Prompts, &["internal"]),
        ListHook::hide("resources", ListOf::Resources, &["file:///internal"]),
        change,
    ];
    let host = host(hooked_with(&files, [], lists, Policy::new(), None)).await;
    // Without a list before: the names are known all the same.
    let called = host
        .call_tool("delete_file", json!({"path": "a"}))
        .await
        .unwrap();
    assert!(
        called.text().contains(r#""tool":"delete_file""#),
        "{called:?}"
    );
    let refused = host.call_tool("internal_sync", json!({"path": "a"})).await;
    assert!(refused.unwrap().is_error());
    assert_eq!(files.ran(), 1);
    let listed = host.list_tools().await.unwrap();
    let tools = names(&json!({"tools": listed}), "tools", "name");
    assert_eq!(tools, ["read_file", "delete_file", "fail"]);
    assert_eq!(listed[1]["annotations"]["destructiveHint"], true);
    assert_eq!(listed[1]["description"], "Asks the user first.");
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

#[tokio::test]
async fn an_item_that_a_list_hook_gives_another_name_is_hidden() {
    let files = Files::default();
    let other = ListHook::new("other", ListOf::Tools, |tool| {
        let mut tool = tool.clone();
        tool.members.insert("name".to_owned(), "remove".into());
        Listed::As(tool)
    });
    let lists = [other.items(&["delete_file"])];
    let host = host(hooked_with(&files, [], lists, Policy::new(), None)).await;
    let listed = host.list_tools().await.unwrap();
    let tools = names(&json!({"tools": listed}), "tools", "name");
    assert_eq!(tools, ["read_file", "internal_sync", "fail"]);
    let refused = host.call_tool("delete_file", json!({"path": "a"})).await;
    let refused = refused.unwrap();
    assert!(
        refused.is_error() && refused.text().contains("there is no tool `delete_file`"),
        "{refused:?}"
    );
    assert_eq!(files.ran(), 0);
}
