//! A configuration file around a real server, and what a change of it does.

use std::{fs, path::Path, time::Duration};

use hooks_sdk::{
    Policy,
    plugin::{PluginHook, point},
};
use serde_json::json;

use crate::server::{Files, hooked_with, host};

/// Writes a file that has rested long enough to be read.
fn write(file: &Path, text: &str, at: u64) {
    fs::write(file, text).unwrap();
    let open = fs::File::options().append(true).open(file).unwrap();
    let time = std::time::SystemTime::now() - Duration::from_secs(100 - at);
    open.set_modified(time).unwrap();
}

#[tokio::test]
async fn a_changed_file_changes_rules_and_lists_and_a_broken_one_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("policy.yaml");
    write(&file, "hooks:\n  - id: keep\n    mode: audit\n", 1);
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
        2,
    );
    let mut refused = false;
    for _ in 0..60 {
        tokio::time::sleep(Duration::from_millis(100)).await;
        refused = call().await.unwrap().is_error();
        if refused {
            break;
        }
    }
    assert!(refused);
    let tools = host.list_tools().await.unwrap();
    assert!(
        tools.iter().all(|tool| tool["name"] != "internal_sync"),
        "{tools:?}"
    );
    let mut told = false;
    for _ in 0..60 {
        told = host
            .frames()
            .iter()
            .any(|frame| frame.message["method"] == "notifications/tools/list_changed");
        if told {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(told);

    write(&file, "hooks:\n  - id: kept\n", 3);
    tokio::time::sleep(Duration::from_millis(2500)).await;
    assert!(call().await.unwrap().is_error());
}
