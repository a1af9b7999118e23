//! `memory-server hooks stats`: what fired, and why the rest did not.

use serde_json::Value;

use super::user::{User, recorded};

#[test]
fn each_hook_has_a_row_for_each_client_with_the_reason() {
    let user = User::new();
    let stats = || user.json(&["hooks", "stats", "--json"]);
    let row = |rows: &Value, hook: &str, client: &str| {
        let mut rows = rows.as_array().unwrap().iter();
        let row = rows.find(|row| row["hook"] == hook && row["client"] == client);
        row.unwrap_or_else(|| panic!("{hook} in {client}")).clone()
    };
    let rows = stats();
    let why = |rows: &Value, hook: &str, client: &str| {
        let row = row(rows, hook, client);
        row["why"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(
        why(&rows, "after_commit", "claude-code"),
        "not installed: run `hooks install --client claude-code`"
    );
    assert_eq!(
        why(&rows, "session_ending", "codex"),
        "no text reaches the agent at `session_end` in Codex CLI"
    );

    user.said(&["hooks", "install", "--client", "claude-code"]);
    let rows = stats();
    let never = row(&rows, "after_commit", "claude-code");
    let since = never["since"].as_str().unwrap();
    assert!(since.len() == 10 && since.starts_with("20"), "{since}");
    assert_eq!(
        never["why"],
        format!(
            "never since {since}: no call was seen with tool_name = \"Bash\" and input_contains = \"git commit\""
        )
    );
    let start = "memory:session:start:welcome";
    assert_eq!(
        why(&rows, start, "claude-code"),
        format!("never since {since}: the event was not seen")
    );

    user.fire(
        "claude-code",
        &[],
        &recorded("claude-code", "PostToolUse.shell"),
    );
    let rows = stats();
    let fired = row(&rows, "after_commit", "claude-code");
    assert_eq!(
        (&fired["fired"], &fired["delivered"]),
        (&1.into(), &1.into())
    );
    assert_eq!(
        (&fired["followed"]["firings"], &fired["why"]),
        (&0.into(), &Value::Null)
    );
    let page = user.said(&["hooks", "stats"]);
    for part in [
        "after_commit in claude-code: fired 1 time in 1 session, 231 characters; followed by a call of `store_memory` 0 of 1 times",
        "not fired\n",
        "memory:session:start:welcome in claude-code: never since ",
        "\nnot installed in antigravity, cline, codex, ",
    ] {
        assert!(page.contains(part), "{part}\n{page}");
    }
}

#[test]
fn hooks_that_no_client_fires_are_named() {
    let user = User::new();
    for command in ["list", "stats"] {
        let page = user.said(&["hooks", command]);
        // A function makes its text; MCPL hosts ask it; agents read it as a resource.
        for hook in ["recall", "write-hooks"] {
            assert!(page.contains(hook), "{command}: {hook}\n{page}");
        }
    }
}

#[test]
fn the_day_of_the_first_installation_stays() {
    let user = User::new();
    user.said(&["hooks", "install", "--client", "codex"]);
    let since = |rows: &Value| {
        let mut rows = rows.as_array().unwrap().iter();
        let row = rows.find(|row| row["client"] == "codex").unwrap();
        row["since"].clone()
    };
    let rows = || user.json(&["hooks", "stats", "--json"]);
    let first = since(&rows());
    user.said(&["hooks", "install", "--client", "codex", "--no-server"]);
    assert_eq!(since(&rows()), first);
    user.said(&["hooks", "uninstall", "--client", "codex"]);
    assert_eq!(since(&rows()), Value::Null);
}
