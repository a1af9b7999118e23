//! `notebook hooks`, run as clients and people run it.

use std::{
    fs,
    time::{Duration, Instant},
};

use hooks_sdk::{clients::history::HookStore, lifecycle::Event};
use serde_json::json;

use crate::user::{User, recorded};

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
        for text in ["There is one note", "Call `session_init` before", "MUST:"] {
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
fn a_locked_or_broken_store_costs_the_receipt_and_not_the_text() {
    let user = User::new();
    let commit = recorded("claude-code", "PostToolUse.shell");
    let store = user.data().join("hooks.db");
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
fn what_fired_is_counted_and_can_be_switched_off() {
    let user = User::new();
    let commit = recorded("claude-code", "PostToolUse.shell");
    let again = String::from_utf8_lossy(&commit).replace("toolu_", "toolu_again_");
    let thrice = again.replace("again", "thrice").into_bytes();
    user.fire("claude-code", &[], &commit);
    user.fire("claude-code", &[], again.as_bytes());
    // The hooks of a second installation, in the user's files or in the project's, get the same input.
    assert_eq!(user.fire("claude-code", &[], &commit), json!({}));
    let fired = || {
        let store = rusqlite::Connection::open(user.data().join("hooks.db")).unwrap();
        let count =
            "SELECT count(*), count(DISTINCT session) FROM firing WHERE hook = 'after_commit'";
        let row = |row: &rusqlite::Row<'_>| Ok((row.get::<_, u64>(0)?, row.get::<_, u64>(1)?));
        store.query_row(count, [], row).unwrap()
    };
    assert_eq!(fired(), (2, 1));
    let fire = ["hooks", "fire", "--client", "claude-code"];
    let off = again.replace("again", "off").into_bytes();
    let answer = user.run_with(&fire, &off, "off").stdout;
    assert!(String::from_utf8_lossy(&answer).contains("You just committed"));
    assert_eq!(fired(), (2, 1));
    user.run_with(&fire, &thrice, "on");
    assert_eq!(fired(), (3, 1));
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
    let clients = hooks_sdk::clients::ALL;
    assert_eq!(explained.as_array().unwrap().len(), clients.len());
    for (client, row) in explained.as_array().unwrap().iter().zip(clients) {
        if !row.mapping(Event::PostToolUse).delivery.reaches_agent() {
            assert_eq!(client["fires"], json!([]), "{}", row.name);
            continue;
        }
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
    assert_eq!(doctor.as_array().unwrap().len(), clients.len());
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
        assert!(resumed.contains("There is one note"), "{client}: {resumed}");
        assert!(start(client, "compact").contains("Call `session_init`"));
    }
    let store = HookStore::open(user.data().join("hooks.db"));
    assert!(!store.last_at_events("copilot").unwrap().is_empty());
}
