//! What people read from `notebook hooks`: of clients, installations, help and the list.

use std::fs;

use serde_json::{Value, json};

use crate::user::User;

#[test]
fn who_names_no_client_reads_which_there_are() {
    let user = User::new();
    user.has_program("codex");
    for command in ["install", "uninstall"] {
        let output = user.run(&["hooks", command], b"");
        assert_eq!(output.status.code(), Some(2));
        let error = String::from_utf8_lossy(&output.stderr);
        let codex = user.programs().join("codex");
        for line in [
            "error: no client is named\n",
            "  claude-code  Claude Code: not found on the PATH\n",
            &format!("  codex        Codex CLI: found at {}\n", codex.display()),
            "  all          every client that is found\n",
            "help: name one, such as `codex`\n",
        ] {
            assert!(error.contains(line), "{error}");
        }
    }
    // With a leave, those that are found are meant.
    let done = user.json(&["hooks", "install", "--yes", "--json"]);
    assert_eq!(done[0]["client"], "codex", "{done}");
    let done = user.json(&[
        "hooks",
        "install",
        "codex",
        "claude-code",
        "--dry-run",
        "--json",
    ]);
    let clients = done.as_array().unwrap().iter();
    let clients: Vec<&Value> = clients.map(|each| &each["client"]).collect();
    assert_eq!(clients, ["claude-code", "codex"]);
    let output = user.run(&["hooks", "install", "claud"], b"");
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("exists: 'claude-code'"), "{error}");
}

#[test]
fn all_is_every_client_that_is_found_and_one_that_fails_stops_no_other() {
    let user = User::new();
    let none = user.run(&["hooks", "install", "--client", "all"], b"");
    assert_eq!(none.status.code(), Some(1));
    let error = String::from_utf8_lossy(&none.stderr);
    assert!(error.contains("no client was found on the PATH"), "{error}");

    user.has_program("claude");
    user.has_program("gemini");
    let claude = user.home().join(".claude/settings.json");
    fs::create_dir_all(claude.parent().unwrap()).unwrap();
    fs::write(&claude, "{ \"hooks\": ").unwrap();
    let output = user.run(&["hooks", "install", "--client", "all"], b"");
    assert_eq!(output.status.code(), Some(1));
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.starts_with("error: Claude Code: "), "{error}");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.starts_with("Installed in Gemini CLI.\n"), "{said}");
    assert!(!user.home().join(".codex").exists());

    fs::write(&claude, "{}").unwrap();
    let done = user.json(&["hooks", "install", "--client", "all", "--json"]);
    let clients: Vec<&Value> = done
        .as_array()
        .unwrap()
        .iter()
        .map(|each| &each["client"])
        .collect();
    assert_eq!(clients, ["claude-code", "gemini"]);
    let said = user.said(&["hooks", "uninstall", "--client", "all"]);
    assert!(said.contains("Removed from Claude Code.\n"), "{said}");
    assert!(said.contains("Removed from Gemini CLI.\n"), "{said}");
    let kept = format!(
        "  removed this server's entries from {}\n",
        claude.display()
    );
    assert!(said.contains(&kept), "{said}");
    assert_eq!(fs::read_to_string(&claude).unwrap(), "{}");
    let gone = user.home().join(".gemini/settings.json");
    assert!(
        said.contains(&format!("  removed {}\n", gone.display())),
        "{said}"
    );
    assert!(!gone.exists());
    let said = user.said(&["hooks", "uninstall", "--client", "all"]);
    assert_eq!(said, "No installation is recorded for any client.\n");
}

#[test]
fn an_installation_says_what_was_done_then_what_is_to_do() {
    let user = User::new();
    let install = ["hooks", "install", "--client", "codex"];
    let said = user.said(&install);
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[0], "Installed in Codex CLI.");
    assert!(
        lines[1].starts_with("  wrote /") && lines[2].starts_with("  wrote /"),
        "{said}"
    );
    assert!(lines[3].starts_with("  copied the program to /"), "{said}");
    assert!(lines[4].starts_with("next: restart Codex CLI"), "{said}");
    assert!(
        lines[5].starts_with("next: Codex CLI silently skips hooks"),
        "{said}"
    );
    assert!(said.matches("\nnote: ").count() <= 3, "{said}");
    let again = user.said(&install);
    assert!(
        again.starts_with("Already installed in Codex CLI.\n"),
        "{again}"
    );
    assert!(!again.contains("next: restart"), "{again}");
    let all = user.said(&[&install[..], &["--verbose"]].concat());
    assert!(!all.contains("with `--verbose`"), "{all}");
}

#[test]
fn help_has_examples_as_this_programs_user_types_them() {
    let user = User::new();
    let help = user.said(&["hooks", "install", "--help"]);
    assert!(
        help.contains("\n  notebook hooks install claude-code codex\n"),
        "{help}"
    );
    assert!(help.contains("claude-code: Claude Code"), "{help}");
    let help = user.said(&["--help"]);
    assert!(help.starts_with("Keeps notes for tests"), "{help}");
    let version = user.said(&["--version"]);
    assert_eq!(version, "notebook 1.2.3\n");
}

#[test]
fn the_list_is_by_event_with_each_hooks_first_sentence() {
    let user = User::new();
    let list = user.said(&["hooks", "list"]);
    assert!(
        list.starts_with(
            "session_start\n  recent_notes (important)\n    asks the tool `find_notes`\n"
        ),
        "{list}"
    );
    assert!(
        list.contains("Open the session: Call `session_init` before any other tool"),
        "{list}"
    );
    assert!(!list.contains("RFC 2119"), "{list}");
}

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
fn an_entry_of_another_server_is_not_answered() {
    let user = User::new();
    let start = br#"{"hook_event_name": "SessionStart", "source": "startup", "session_id": "s"}"#;
    for (id, is_answered) in [("notebook", true), ("another", false)] {
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
