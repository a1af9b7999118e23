//! The line of each decision in the chain of the user.

use std::{
    convert::Infallible,
    fs,
    path::Path,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::{
    answer::answer,
    tests::{Quiet, asked, asked_late, bash, is_refused, memory, program},
};
use crate::{
    cli::Program,
    clients::by_name,
    core::Verdict,
    log::{DecisionLog, LogLine, LogSummary, Posture},
    plugin::{PluginAt, PluginHook, point, posture},
    server::Policy,
};

fn log(folder: &Path, posture: Posture) -> DecisionLog {
    DecisionLog::to(folder.join("decisions.jsonl"), posture)
}

/// Returns the last line of the chain.
fn last(folder: &Path) -> Value {
    let lines = fs::read_to_string(folder.join("decisions.user.jsonl")).unwrap();
    serde_json::from_str(lines.lines().next_back().unwrap()).unwrap()
}

/// Returns how often the chain has a decision with this code.
fn count(folder: &Path, decision: &str, code: &str) -> u64 {
    let mut summary = LogSummary::default();
    let lines = fs::read_to_string(folder.join("decisions.user.jsonl")).unwrap();
    for line in lines.lines().filter_map(LogLine::read) {
        summary.add(&line);
    }
    let rows = summary.rows().into_iter();
    let found = rows.filter(|row| row.decision == decision && row.code == code);
    found.map(|row| row.count).sum()
}

/// Asks twice, and checks the answer, the line and the count.
#[track_caller]
fn follows_posture(
    asked: fn(&Program<Quiet>, &str, &Value) -> Value,
    hook: impl Fn(Posture) -> PluginHook + Copy + Send + Sync + 'static,
    input: &Value,
    codes: [&str; 2],
) {
    let postures = [(posture::deny, "failed"), (posture::proceed, "bypassed")];
    for ((posture, decision), code) in postures.into_iter().zip(codes) {
        let folder = tempfile::tempdir().unwrap();
        let gated = program(move || vec![hook(posture)]).log(log(folder.path(), Posture::Proceed));
        for _ in 0..2 {
            let refused = is_refused(&asked(&gated, "claude-code", input));
            assert_eq!(refused, posture == posture::deny, "{code}");
        }
        let line = last(folder.path());
        assert_eq!(line["decision"], decision, "{line}");
        assert_eq!(line["method"], "agent_tool_pre_invoke");
        assert_eq!(line["client"], "claude-code");
        let check = match line["bypassed"].get(0) {
            Some(bypassed) => bypassed.clone(),
            None => line.clone(),
        };
        assert_eq!(
            (&check["middleware"], &check["code"]),
            (&json!("gate"), &json!(code))
        );
        let of_line = line["code"].as_str().unwrap_or_default();
        assert_eq!(count(folder.path(), decision, of_line), 2);
    }
}

#[test]
fn a_decision_has_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let gated = program(|| vec![memory()]).log(log(folder.path(), Posture::Deny));
    let mut call = bash("ls");
    call["session_id"] = json!("one");
    assert_eq!(asked(&gated, "claude-code", &call), json!({}));
    let line = last(folder.path());
    assert_eq!(
        (&line["decision"], &line["item"]),
        (&json!("allowed"), &json!("Bash"))
    );
    // The session itself opens the session with the server.
    assert!(line["session"].is_string() && !line.to_string().contains("\"one\""));
    assert_eq!(line.get("arguments"), None);
    assert!(is_refused(&asked(&gated, "codex", &bash("rm memory.db"))));
    let line = last(folder.path());
    assert_eq!(
        (&line["decision"], &line["ended"]),
        (&json!("denied"), &json!("refused"))
    );
    assert_eq!((&line["rule"], &line["seq"]), (&json!("memory"), &json!(2)));
    assert!(line["took_us"].as_u64().unwrap() > 0);
}

#[test]
fn late_rules_follow_the_posture() {
    let slow = |posture| {
        let slow = PluginHook::answering_any::<point::agent_tool_pre_invoke, _>(
            "slow",
            point::agent_tool_pre_invoke,
            |_, _| {
                Box::pin(async {
                    std::thread::sleep(Duration::from_secs(600));
                    Verdict::<Infallible>::Allow
                })
            },
        );
        slow.posture(posture)
    };
    follows_posture(asked_late, slow, &bash("ls"), ["deadline"; 2]);
}

#[test]
fn panics_follow_the_posture() {
    let broken = |posture| {
        let broken = PluginHook::answering_any::<point::agent_tool_pre_invoke, ()>(
            "broken",
            point::agent_tool_pre_invoke,
            |_, _| Box::pin(async { panic!("broken") }),
        );
        broken.posture(posture)
    };
    let codes = ["plugin_panic", "hook_failed"];
    follows_posture(asked, broken, &bash("ls"), codes);
}

#[test]
fn unreadable_input_follows_the_posture() {
    follows_posture(
        asked,
        |posture| memory().posture(posture),
        &json!([]),
        ["call_unreadable"; 2],
    );
}

#[test]
fn unreadable_commands_are_refused_under_deny() {
    let folder = tempfile::tempdir().unwrap();
    let gated = program(|| vec![memory()]).log(log(folder.path(), Posture::Proceed));
    assert!(is_refused(&asked(
        &gated,
        "claude-code",
        &bash("echo 'open")
    )));
    assert_eq!(last(folder.path())["rule"], "memory");
}

#[test]
fn an_unreadable_policy_refuses_and_has_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("policy.yaml");
    let gated = program(|| vec![memory().posture(posture::proceed)])
        .policy(Policy::new().file(&file))
        .log(log(folder.path(), Posture::Proceed));
    assert!(is_refused(&asked(&gated, "claude-code", &bash("ls"))));
    let line = last(folder.path());
    assert_eq!(
        (&line["decision"], &line["code"]),
        (&json!("failed"), &json!("policy_unreadable"))
    );
}

#[test]
fn a_log_that_cannot_be_written_follows_its_own_posture() {
    for posture in [Posture::Deny, Posture::Proceed] {
        let missing = Path::new("/no-such-folder");
        let gated = program(|| vec![memory()]).log(log(missing, posture));
        let answer = asked(&gated, "claude-code", &bash("ls"));
        assert_eq!(is_refused(&answer), posture == Posture::Deny, "{answer}");
    }
}

#[cfg(feature = "policy")]
#[test]
fn a_locked_store_follows_the_posture() {
    use crate::{
        plugin::{Instance, ready::ServerFirst},
        server::Sessions,
        session::Machine,
    };

    for (posture, decision) in [(posture::deny, "failed"), (posture::proceed, "bypassed")] {
        let folder = tempfile::tempdir().unwrap();
        let machine = Machine::standard().build().unwrap();
        let first = Instance::of(ServerFirst::new().tool("session_init")).posture(posture);
        let gated = program(Vec::new)
            .policy(Policy::new().with(first))
            .data(folder.path())
            .sessions(Sessions::on(machine))
            .log(log(folder.path(), Posture::Proceed));
        let edit =
            json!({"tool_name": "Edit", "tool_input": {"file_path": "a"}, "session_id": "one"});
        // Makes the store.
        asked(&gated, "claude-code", &edit);
        let other = rusqlite::Connection::open(folder.path().join("hooks.db")).unwrap();
        other
            .execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;")
            .unwrap();
        let answer = asked(&gated, "claude-code", &edit);
        assert_eq!(is_refused(&answer), posture == posture::deny, "{answer}");
        let line = last(folder.path());
        assert_eq!(line["decision"], decision, "{line}");
    }
}

#[test]
fn a_record_has_no_line() {
    let folder = tempfile::tempdir().unwrap();
    let gated = program(|| vec![memory()]).log(log(folder.path(), Posture::Proceed));
    let client = by_name("claude-code").unwrap();
    let at = PluginAt::AgentToolPostInvoke;
    let input = bash("rm memory.db").to_string();
    assert_eq!(
        answer(
            &gated,
            at,
            client,
            "quiet",
            Ok(input.as_bytes()),
            None,
            Instant::now()
        ),
        json!({})
    );
    assert!(!folder.path().join("decisions.user.jsonl").exists());
}

#[cfg(feature = "metrics")]
#[test]
fn each_decision_is_counted_as_in_the_log() {
    use metrics_util::debugging::{DebugValue, DebuggingRecorder};

    let folder = tempfile::tempdir().unwrap();
    let recorder = DebuggingRecorder::new();
    let counted = recorder.snapshotter();
    metrics::with_local_recorder(&recorder, || {
        let gated = program(|| vec![memory()]).log(log(folder.path(), Posture::Deny));
        for command in ["ls", "rm memory.db", "cat memory.db"] {
            asked(&gated, "claude-code", &bash(command));
        }
    });
    let mut of_decisions: Vec<(String, u64)> = counted
        .snapshot()
        .into_vec()
        .into_iter()
        .filter_map(|(key, _, _, value)| {
            let (_, key) = key.into_parts();
            let label = |name| key.labels().find(|label| label.key() == name);
            let DebugValue::Counter(count) = value else {
                return None;
            };
            (key.name() == "mcp.server.decisions").then_some(())?;
            let words = ["hooks.decision", "hooks.middleware", "hooks.rule"];
            let words = words.map(|word| label(word).map_or("", |label| label.value()));
            Some((words.join(" "), count))
        })
        .collect();
    of_decisions.sort();
    let expected = [("allowed  ", 1), ("denied gate memory", 2)];
    assert_eq!(
        of_decisions,
        expected.map(|(words, count)| (words.to_owned(), count))
    );
    assert_eq!(count(folder.path(), "denied", "plugin_deny"), 2);
}
