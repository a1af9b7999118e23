//! Ready-made plugins around a real server: who is counted, what is redacted, and where a mistake in a file is.

use hooks_sdk::{
    Collected, Policy,
    core::Registry,
    plugin::{
        Instance, PluginHook, point,
        ready::{RateLimit, Redact},
    },
};
use hooks_tests::client::Client;
use serde_json::{Value, json};

use crate::{
    http::serve,
    server::{Files, hooked_with, host},
};

fn limited() -> Policy {
    Policy::new().with(RateLimit::new().per_hour(3))
}

/// A hook that never decides, for a helper that wants one.
fn idle() -> PluginHook {
    PluginHook::deny("idle", point::tool_pre_invoke, "no").items(&["nothing"])
}

fn is_refused(answer: &Value) -> bool {
    answer["isError"] == true
}

#[tokio::test]
async fn a_client_does_not_reset_its_limit_by_what_it_chooses() {
    let host = host(hooked_with(&Files::default(), [], [], limited(), None)).await;
    let mut passed = 0;
    for at in 0..20 {
        let params = json!({
            "name": "read_file", "arguments": {"path": "a"}, "_meta": {"sessionId": format!("session-{at}")},
        });
        passed += usize::from(!is_refused(
            &host.request("tools/call", params).await.unwrap(),
        ));
    }
    assert_eq!(passed, 3);
    // Names of tools that do not exist share one count, and leave the others alone.
    for at in 0..200 {
        _ = host.call_tool(&format!("none_{at}"), json!({})).await;
    }
    let other = host
        .call_tool("delete_file", json!({"path": "a"}))
        .await
        .unwrap();
    assert!(!other.is_error());
}

#[tokio::test]
async fn over_http_a_session_counts_only_where_the_server_gave_it() {
    let address = serve(&Files::default(), idle(), limited()).await;
    let mut passed = 0;
    for at in 0..20 {
        let client = Client::stateless(address).with("mcp-session-id", format!("mine-{at}"));
        let meta = json!({"sessionId": format!("session-{at}")});
        let answer = client
            .call_with(
                "read_file",
                json!({"arguments": {"path": "a"}, "_meta": meta}),
            )
            .await;
        passed += usize::from(!is_refused(&answer));
    }
    assert_eq!(passed, 3);
    let (flooder, honest) = (Client::legacy(address).await, Client::legacy(address).await);
    for _ in 0..50 {
        flooder.call("read_file", json!({"path": "a"})).await;
    }
    assert!(is_refused(
        &flooder.call("read_file", json!({"path": "a"})).await
    ));
    assert!(!is_refused(
        &honest.call("read_file", json!({"path": "a"})).await
    ));
}

#[test]
fn a_problem_of_a_rule_in_a_file_names_the_files_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("policy.yaml");
    let rule = "plugins:\n  - name: fine\n    kind: redact\n  - name: titles\n    kind: deny\n    hooks: [tool_pre_invoke]\n    \
        tools: [delete_file]\n    when: args.titel\n    reason: no\n";
    for (text, line, message) in [
        (rule.to_owned(), 4, "args.titel"),
        (format!("{rule}limits: 5\n"), 10, "limits"),
    ] {
        std::fs::write(&file, text).unwrap();
        let collected = Collected::of(Registry::builder().build().unwrap()).unwrap();
        let collected = collected.policy(Policy::new().file(&file));
        let problems = collected.wrap(Files::default()).err().unwrap().to_string();
        let place = format!("{}:{line}: ", file.display());
        assert!(
            problems.contains(&place) && problems.contains(message),
            "{problems}"
        );
        assert!(!problems.contains(".rs:"), "{problems}");
    }
}

#[test]
fn a_ready_made_instance_points_to_its_authors_line() {
    let line = line!() + 1;
    let instance = Instance::of(Redact::new()).priority(5);
    for hook in instance.hooks() {
        assert_eq!((hook.origin().file, hook.origin().line), (file!(), line));
    }
}
