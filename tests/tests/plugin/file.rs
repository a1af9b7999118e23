//! A configuration file around a real server, and what a change of it does.

use hooks_sdk::{
    Policy,
    plugin::{PluginHook, point},
    testing::Frame,
};
use hooks_tests::{idle, policy_file::write, subscriber::Logged};
use serde_json::json;
use tracing::Level;

use crate::server::{Files, hooked_with, host};

#[tokio::test]
async fn a_changed_file_changes_rules_and_lists_and_a_broken_one_changes_nothing() {
    let log = Logged::listen(Level::ERROR);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("policy.yaml");
    write(&file, "hooks:\n  - id: keep\n    mode: audit\n");
    let files = Files::default();
    let rule =
        PluginHook::deny("keep", point::tool_pre_invoke, "nothing is deleted").items(&["delete_*"]);
    let policy = Policy::new().file(&file);
    let host = host(hooked_with(&files, [rule], [], policy, None)).await;
    assert_eq!(
        host.handshake()["capabilities"]["tools"]["listChanged"],
        true
    );
    let call = || host.call_tool("delete_file", json!({"path": "a"}));
    assert!(!call().await.unwrap().is_error());

    write(
        &file,
        "hooks:\n  - id: keep\n    mode: enforce\nlists:\n  tools:\n    hide: [\"internal_*\"]\n",
    );
    assert!(call().await.unwrap().is_error());
    let tools = host.list_tools().await.unwrap();
    assert!(
        tools.iter().all(|tool| tool["name"] != "internal_sync"),
        "{tools:?}"
    );
    idle().await;
    let told = |frame: &Frame| frame.message["method"] == "notifications/tools/list_changed";
    assert!(host.frames().iter().any(told));

    write(&file, "hooks:\n  - id: kept\n");
    assert!(call().await.unwrap().is_error());
    let logged = log.take();
    assert!(logged.contains("the policy stays as it was"), "{logged}");
}
