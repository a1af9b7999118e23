//! `memory-server hooks`, run as clients and people run it.

use std::{
    fs,
    io::Write,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use hooks_sdk::clients::history::HookStore;
use serde_json::{Value, json};

use super::user::{User, recorded};

const CLIENTS: [&str; 3] = ["claude-code", "codex", "gemini"];

#[test]
fn a_commit_and_a_sessions_start_reach_the_agent_in_every_client() {
    let user = User::new();
    for (client, commit) in [
        ("claude-code", "PostToolUse.shell"),
        ("codex", "PostToolUse.shell"),
        ("gemini", "AfterTool.shell"),
    ] {
        let answer = user
            .fire(client, &[], &recorded(client, commit))
            .to_string();
        assert!(
            answer.contains("You just committed work"),
            "{client}: {answer}"
        );
        let answer = user
            .fire(client, &[], &recorded(client, "SessionStart"))
            .to_string();
        for text in [
            "[project] no memory matches",
            "Call `session_init` before",
            "SHOULD:",
        ] {
            assert!(answer.contains(text), "{client}: {answer}");
        }
        assert_eq!(
            user.fire(client, &[], &recorded(client, "SessionEnd")),
            json!({}),
            "{client}"
        );
    }
    let other = br#"{"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}"#;
    assert_eq!(user.fire("claude-code", &[], other), json!({}));
}

#[test]
fn whatever_stands_on_standard_input_is_answered_with_an_object() {
    let user = User::new();
    let huge = format!(
        r#"{{"hook_event_name": "SessionStart", "x": "{}"}}"#,
        "a".repeat(50 << 20)
    );
    let whole = recorded("claude-code", "PostToolUse.shell");
    let inputs: [&[u8]; 9] = [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        br#"{"hook_event_name": 7}"#,
        br#"{"hook_event_name": "PreCompact"}"#,
        &whole[..whole.len() / 2],
        huge.as_bytes(),
    ];
    for client in CLIENTS {
        for input in inputs {
            assert_eq!(user.fire(client, &[], input), json!({}));
        }
    }
    let with_event = user.fire(
        "codex",
        &["--event", "session_start"],
        br#"{"unknown": [1]}"#,
    );
    assert!(
        with_event.to_string().contains("session_init"),
        "{with_event}"
    );
}

#[test]
fn a_locked_or_broken_store_costs_the_receipt_and_not_the_text() {
    let user = User::new();
    let commit = recorded("claude-code", "PostToolUse.shell");
    let store = user.database().with_file_name("hooks.db");
    fs::create_dir_all(store.parent().unwrap()).unwrap();
    fs::write(
        &store,
        "no database at all, and longer than its header is. ".repeat(40),
    )
    .unwrap();
    let answer = user.fire("claude-code", &[], &commit).to_string();
    assert!(answer.contains("You just committed work"), "{answer}");
    assert!(
        fs::read_to_string(&store)
            .unwrap()
            .starts_with("no database")
    );
    fs::remove_file(&store).unwrap();

    user.fire("claude-code", &[], &commit);
    let commit = String::from_utf8_lossy(&commit).replace("toolu_", "toolu_held_");
    let commit = commit.into_bytes();
    let held = rusqlite::Connection::open(&store).unwrap();
    held.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let begun = Instant::now();
    let answer = user.fire("claude-code", &[], &commit).to_string();
    assert!(answer.contains("You just committed work"), "{answer}");
    // The client's own limit; the store is locked for longer.
    assert!(begun.elapsed() < Duration::from_secs(10));
}

#[test]
fn an_installation_is_undone_to_the_byte() {
    for client in CLIENTS {
        for scope in ["user", "project"] {
            let user = User::new();
            let root = if scope == "user" {
                user.home()
            } else {
                user.project()
            };
            let (comment, member) = match client {
                "gemini" => ("  // mine\r\n", "\"other\": [1, 2]"),
                "codex" => ("", "\"description\": \"mine\""),
                _ => ("", "\"other\": [1,   2]"),
            };
            let own = format!(
                "{{\r\n{comment}  \"hooks\": {{ \"PostToolUse\": [] }},\r\n  {member}\r\n}}"
            );
            let file = match client {
                "claude-code" => root.join(".claude/settings.json"),
                "codex" => root.join(".codex/hooks.json"),
                _ => root.join(".gemini/settings.json"),
            };
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, &own).unwrap();
            let target = ["--client", client, "--scope", scope];
            let dry = user.said(&[&["hooks", "install", "--dry-run"], &target[..]].concat());
            assert!(
                dry.contains("+") && dry.contains("hooks fire"),
                "{client}: {dry}"
            );
            assert_eq!(fs::read_to_string(&file).unwrap(), own);

            user.said(&[&["hooks", "install"], &target[..]].concat());
            let written = fs::read_to_string(&file).unwrap();
            assert!(
                written.contains(member) && written.contains("hooks fire"),
                "{written}"
            );
            user.said(&[&["hooks", "install"], &target[..]].concat());
            assert_eq!(
                fs::read_to_string(&file).unwrap(),
                written,
                "{client} twice"
            );

            let doctor = user.said(&["hooks", "doctor", "--client", client]);
            assert!(
                doctor.contains(&format!("{scope} scope: entries are present and current")),
                "{doctor}"
            );
            assert!(doctor.contains("the command answers"), "{doctor}");
            user.said(&[&["hooks", "uninstall"], &target[..]].concat());
            assert_eq!(fs::read_to_string(&file).unwrap(), own, "{client} {scope}");
        }
    }
}

#[test]
fn a_file_that_does_not_parse_is_never_touched() {
    let user = User::new();
    let file = user.home().join(".claude/settings.json");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, "{ \"hooks\": ").unwrap();
    let output = user.run(&["hooks", "install", "--client", "claude-code"], b"");
    assert_eq!(output.status.code(), Some(1));
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("settings.json"), "{error}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "{ \"hooks\": ");
    assert!(!user.home().join(".claude.json").exists());
}

#[test]
fn the_installed_command_is_what_a_shell_runs() {
    let user = User::new();
    user.said(&["hooks", "install", "--client", "claude-code", "--no-server"]);
    assert!(!user.home().join(".claude.json").exists());
    let settings = fs::read_to_string(user.home().join(".claude/settings.json")).unwrap();
    let settings: Value = serde_json::from_str(&settings).unwrap();
    let command = settings["hooks"]["PostToolUse"][0]["hooks"][0]["command"]
        .as_str()
        .unwrap();
    let mut shell = Command::new("sh")
        .args(["-c", command])
        .env("HOME", user.home())
        .env("MEMORY_DATABASE", user.database())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let input = recorded("claude-code", "PostToolUse.shell");
    shell.stdin.take().unwrap().write_all(&input).unwrap();
    let answer = shell.wait_with_output().unwrap();
    assert!(String::from_utf8_lossy(&answer.stdout).contains("You just committed work"));
}

#[test]
fn what_fired_is_counted_and_can_be_switched_off() {
    let user = User::new();
    let commit = recorded("claude-code", "PostToolUse.shell");
    let again = String::from_utf8_lossy(&commit).replace("toolu_", "toolu_again_");
    let thrice = again.replace("again", "thrice").into_bytes();
    user.fire("claude-code", &[], &commit);
    user.fire("claude-code", &[], again.as_bytes());
    // The hooks of a second installation, in the user's files or in the project's, get the same input.
    assert_eq!(user.fire("claude-code", &[], &commit), json!({}));
    let stats = || {
        let store = HookStore::open(user.database().with_file_name("hooks.db"));
        store.stats(0).unwrap().remove(0)
    };
    let counted = stats();
    assert_eq!(counted.hook, "after_commit");
    assert_eq!((counted.fired, counted.sessions), (2, 1));
    let fire = ["hooks", "fire", "--client", "claude-code"];
    let off = again.replace("again", "off").into_bytes();
    let answer = user.run_with(&fire, &off, "off").stdout;
    assert!(String::from_utf8_lossy(&answer).contains("You just committed"));
    assert_eq!(stats().fired, 2);
    let has_text = || {
        let store = user.database().with_file_name("hooks.db");
        let store = rusqlite::Connection::open(store).unwrap();
        let count = "SELECT count(*) FROM firing WHERE content LIKE 'You just committed%'";
        store
            .query_row(count, [], |row| row.get::<_, u64>(0))
            .unwrap()
            == 1
    };
    assert!(!has_text());
    user.run_with(&fire, &thrice, "texts");
    assert!(has_text());
}

#[test]
fn what_there_is_can_be_read_by_programs() {
    let user = User::new();
    let list = user.json(&["hooks", "list", "--json"]);
    assert!(list.as_array().unwrap().len() >= 5, "{list}");
    let explained = user.json(&[
        "hooks",
        "explain",
        "--event",
        "post_tool_use",
        "--tool",
        "Bash",
        "--input",
        "git commit -m x",
        "--json",
    ]);
    let clients = hooks_sdk::clients::ALL.len();
    assert_eq!(explained.as_array().unwrap().len(), clients);
    for client in explained.as_array().unwrap() {
        assert_eq!(client["fires"][0]["hooks"], json!(["after_commit"]));
        assert!(client["fires"][0]["tokens"].as_u64().unwrap() > 20);
    }
    let not = user.json(&[
        "hooks",
        "explain",
        "--event",
        "post_tool_use",
        "--tool",
        "Bash",
        "--input",
        "ls",
        "--client",
        "codex",
        "--json",
    ]);
    assert_eq!(not[0]["left_out"][0]["why"], "its matcher does not match");
    let end = user.said(&[
        "hooks",
        "explain",
        "--event",
        "session_end",
        "--client",
        "claude-code",
    ]);
    assert!(end.contains("no text reaches the agent here"), "{end}");
    let doctor = user.json(&["hooks", "doctor", "--json"]);
    assert_eq!(doctor.as_array().unwrap().len(), clients);
}

#[test]
fn a_resumed_session_is_not_told_again_what_it_was_told() {
    let user = User::new();
    let start = |client: &str, source: &str| {
        let mut input = json!({"session_id": client, "cwd": "/p", "hook_event_name": "SessionStart", "source": source});
        let mut client = client;
        if client == "copilot" {
            // Copilot CLI reads Claude Code's file, and writes the time of each event.
            input["timestamp"] = json!(source);
            client = "claude-code";
        }
        user.fire(client, &[], input.to_string().as_bytes())
            .to_string()
    };
    for client in ["claude-code", "codex", "gemini", "copilot"] {
        assert!(start(client, "startup").contains("Call `session_init`"));
        let resumed = start(client, "resume");
        let keeps = matches!(client, "claude-code" | "codex");
        assert_eq!(
            !resumed.contains("Call `session_init`"),
            keeps,
            "{client}: {resumed}"
        );
        assert!(resumed.contains("no memory matches"), "{client}: {resumed}");
        assert!(start(client, "compact").contains("Call `session_init`"));
    }
    let store = HookStore::open(user.database().with_file_name("hooks.db"));
    let stats = store.stats(0).unwrap();
    assert!(stats.iter().any(|stats| stats.client == "copilot"));
}

#[test]
fn entries_pass_on_where_the_database_is() {
    let user = User::new();
    let named = user.home().join("named here.db");
    let named = named.to_str().unwrap();
    let written = user.said(&[
        "--database",
        named,
        "hooks",
        "install",
        "--client",
        "claude-code",
        "--dry-run",
    ]);
    assert!(
        written.contains("--database") && written.contains("named here.db"),
        "{written}"
    );
}
