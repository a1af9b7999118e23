//! Rules whose paths no tool has: an error at start-up, or in the log at the first list of tools.

use hooks_sdk::{
    Collected, Policy,
    core::{Registry, condition::Condition},
    plugin::{PluginHook, point},
};
use hooks_tests::{policy_file::write, subscriber::Logged};
use tracing::Level;

use crate::server::{Files, hooked, hooked_with, host};

fn rule(tool: &str) -> PluginHook {
    PluginHook::deny("keep", point::tool_pre_invoke, "no")
        .items(&[tool])
        .when(Condition::parse(r#"args.pth = "/etc/**""#).unwrap())
}

#[test]
fn a_misspelt_path_of_a_named_tool_is_an_error_at_start_up() {
    let registry = Registry::builder()
        .add(rule("delete_file").into())
        .build()
        .unwrap();
    let wrapped = Collected::of(registry).unwrap().wrap(Files::default());
    let problems = wrapped.err().unwrap().to_string();
    assert!(
        problems.contains("args.pth") && problems.contains("delete_file"),
        "{problems}"
    );
}

#[tokio::test]
async fn one_with_a_wildcard_is_an_error_in_the_log_once() {
    let log = Logged::listen(Level::ERROR);
    let host = host(hooked(&Files::default(), [rule("delete_*")])).await;
    // A later page does not show every tool.
    let page = serde_json::json!({"cursor": "2"});
    host.request("tools/list", page).await.unwrap();
    assert_eq!(log.take(), "");
    for _ in 0..2 {
        host.list_tools().await.unwrap();
    }
    let logged = log.take();
    assert_eq!(logged.matches("args.pth").count(), 1, "{logged}");
}

#[tokio::test]
async fn one_in_a_file_that_was_read_again_is_an_error_in_the_log_at_the_next_list() {
    let log = Logged::listen(Level::ERROR);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("policy.yaml");
    let rule = |member: &str| {
        format!(
            "plugins:\n  - name: keep\n    kind: deny\n    hooks: [tool_pre_invoke]\n    reason: no\n    \
             tools: [\"delete_*\"]\n    when: 'args.{member} = \"/etc/**\"'\n"
        )
    };
    write(&file, &rule("path"));
    let policy = Policy::new().file(&file);
    let server = hooked_with(&Files::default(), [], [], policy, None);
    let host = host(server).await;
    host.list_tools().await.unwrap();
    assert_eq!(log.take(), "");
    for member in ["pth", "pfad"] {
        write(&file, &rule(member));
        for _ in 0..2 {
            host.list_tools().await.unwrap();
        }
        let logged = log.take();
        let path = format!("args.{member}");
        assert_eq!(logged.matches(&path).count(), 1, "{logged}");
    }
    write(&file, &rule("path"));
    host.list_tools().await.unwrap();
    assert_eq!(log.take(), "");
}
