//! All installations of a server: of each scope, in one shape of JSON, and of this server only.

use serde_json::json;

use crate::user::User;

#[test]
fn an_uninstallation_without_a_scope_finds_each_recorded_one() {
    let user = User::new();
    for scope in ["user", "project", "local"] {
        user.said(&[
            "hooks",
            "install",
            "--client",
            "claude-code",
            "--scope",
            scope,
        ]);
    }
    user.said(&[
        "hooks", "install", "--client", "codex", "--scope", "project",
    ]);
    let settings = user.project().join(".claude/settings.json");
    let removed = user.json(&[
        "hooks",
        "uninstall",
        "--client",
        "claude-code",
        "--scope",
        "local",
        "--json",
    ]);
    assert_eq!(removed[0]["scope"], "local");
    assert!(settings.exists());
    let removed = user.json(&["hooks", "uninstall", "--client", "all", "--json"]);
    let mut found: Vec<String> = removed
        .as_array()
        .unwrap()
        .iter()
        .map(|it| format!("{} {}", it["client"], it["scope"]).replace('"', ""))
        .collect();
    found.sort();
    assert_eq!(
        found,
        ["claude-code project", "claude-code user", "codex project"]
    );
    assert!(!settings.exists() && !user.project().join(".codex").exists());
    assert_eq!(
        user.json(&["hooks", "uninstall", "--client", "all", "--json"]),
        json!([])
    );
    let said = user.said(&["hooks", "uninstall", "--client", "all"]);
    assert_eq!(said, "No installation is recorded for any client.\n");
}

#[test]
fn json_has_one_shape_for_one_client_and_for_many() {
    let user = User::new();
    user.has_program("claude");
    for client in ["claude-code", "all"] {
        for dry in [&["--dry-run"][..], &[]] {
            let install = ["hooks", "install", "--client", client, "--json"];
            let done = user.json(&[&install[..], dry].concat());
            assert_eq!(done.as_array().map(Vec::len), Some(1), "{client}: {done}");
            assert_eq!(done[0]["client"], "claude-code");
        }
        let done = user.json(&["hooks", "uninstall", "--client", client, "--json"]);
        assert_eq!(done[0]["client"], "claude-code");
    }
}

#[test]
fn an_entry_of_another_server_is_not_answered() {
    let user = User::new();
    let start = br#"{"hook_event_name": "SessionStart", "source": "startup", "session_id": "s"}"#;
    for (id, is_answered) in [("memory-server", true), ("policy-server", false)] {
        let fire = [
            "hooks",
            "fire",
            "--client",
            "claude-code",
            "--event",
            "session_start",
            "--id",
            id,
        ];
        let output = user.run(&fire, start);
        assert_eq!(output.status.code(), Some(0));
        let said = String::from_utf8_lossy(&output.stdout);
        assert_eq!(said.trim() != "{}", is_answered, "{said}");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(
            errors.contains("of another server"),
            !is_answered,
            "{errors}"
        );
    }
    // The command of a gate refuses the call at this code.
    let gate = "agent_tool_pre_invoke";
    let fire = [
        "hooks",
        "fire",
        "--client",
        "claude-code",
        "--event",
        gate,
        "--id",
        "another",
    ];
    let output = user.run(&fire, b"{}");
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
}
