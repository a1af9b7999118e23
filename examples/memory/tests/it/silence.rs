//! Why `hooks fire` sends no text, on standard error.

use hooks_sdk::clients::history::{FiringReceipt, HookStore};
use serde_json::{Value, json};

use crate::user::{User, recorded};

#[test]
fn an_empty_answer_has_a_reason() {
    let user = User::new();
    let fire = |input: &str| {
        let fire = ["hooks", "fire", "--client", "claude-code"];
        let output = user.run(&fire, input.as_bytes());
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        (
            answer != json!({}),
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    let text = |event| String::from_utf8(recorded("claude-code", event)).unwrap();
    let (commit, start) = (text("PostToolUse.shell"), text("SessionStart"));
    assert!(fire(&commit).0 && fire(&start).0);
    let other = |input: &str| input.replace("-000000000001", "-000000000009");
    let session = other("00000000-0000-4000-8000-000000000001");
    let firing = || FiringReceipt::new("a", &session, "codex", "stop");
    let store = HookStore::open(user.database().with_file_name("hooks.db"));
    let sixty: Vec<_> = (0..60).map(|_| firing()).collect();
    store.record_firings(&sixty).unwrap();
    for (input, reason) in [
        (other(&commit), "too many hooks fired in a short time"),
        (start, "another process of this server answers this firing"),
        (text("SessionEnd"), "no text reaches the agent there"),
        (
            text("SessionStart").replace("SessionStart", "PreCompact"),
            "hooks do not fire",
        ),
        (commit.replace("git commit", "git status"), ""),
    ] {
        let (is_sent, error) = fire(&input);
        assert!(!is_sent, "{reason}");
        assert!(error.contains(reason), "{reason}: {error}");
        assert_eq!(error.is_empty(), reason.is_empty(), "{error}");
    }
}
