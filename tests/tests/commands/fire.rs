//! `hooks fire`: input that arrives in pieces, late, or through a pipe that stays open, and the reason of an empty answer.

use std::{
    io::Write,
    path::Path,
    process::{ChildStdin, Output},
    time::{Duration, Instant},
};

use hooks_sdk::clients::history::{FiringReceipt, HookStore};
use serde_json::{Value, json};

use crate::user::{PROGRAM, User, recorded};

/// Fires while `write` writes. What it returns stays open until the process has ended.
fn fired(write: impl FnOnce(ChildStdin) -> Option<ChildStdin>) -> (Output, Duration) {
    let user = User::new();
    let fire = "hooks fire --client claude-code --event post_tool_use";
    let fire: Vec<_> = fire.split(' ').collect();
    let mut child = user.process(Path::new(PROGRAM), &fire).spawn().unwrap();
    let began = Instant::now();
    let open = write(child.stdin.take().unwrap());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    drop(open);
    (output, began.elapsed())
}

fn answer(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap()
}

#[track_caller]
fn is_the_text(output: &Output) {
    assert!(
        answer(output)
            .to_string()
            .contains("You just committed work"),
        "{output:?}"
    );
}

/// Checks that there is no text, and that standard error says why.
#[track_caller]
fn says(output: &Output, why: &str) {
    assert_eq!(answer(output), json!({}));
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains(why), "{error}");
}

#[test]
fn a_whole_value_is_answered_while_the_pipe_is_open() {
    let whole = recorded("claude-code", "PostToolUse.shell");
    for behind in ["", "\n", " \r\n\t", "\n{\"a\":1}"] {
        let (output, _) = fired(|mut input| {
            input
                .write_all(&[&whole, behind.as_bytes()].concat())
                .unwrap();
            Some(input)
        });
        is_the_text(&output);
    }
}

#[test]
fn half_a_value_is_waited_for_as_long_as_the_client_waits() {
    let whole = recorded("claude-code", "PostToolUse.shell");
    let half = &whole[..whole.len() / 2];
    let (output, taken) = fired(|mut input| {
        input.write_all(half).unwrap();
        Some(input)
    });
    says(&output, "standard input did not arrive in time");
    // The pipe is open, so that only the time has ended it.
    assert!(taken >= Duration::from_secs(3), "{taken:?}");
    let (output, _) = fired(|mut input| {
        input.write_all(half).unwrap();
        None
    });
    says(&output, "standard input is not JSON");
}

#[test]
fn no_input_is_no_event() {
    let (output, _) = fired(|_| None);
    says(&output, "standard input is not JSON");
    let user = User::new();
    let closed = "exec \"$0\" hooks fire --client claude-code --event post_tool_use <&-";
    let mut shell = user.process(Path::new("/bin/sh"), &["-c", closed, PROGRAM]);
    says(&shell.output().unwrap(), "standard input is not JSON");
}

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
    let store = HookStore::open(user.data().join("hooks.db"));
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

#[test]
fn a_client_that_reads_any_output_as_a_text_gets_an_empty_line() {
    let user = User::new();
    for (client, nothing) in [("codex", "{}\n"), ("kimi", "\n")] {
        let fire = [
            "hooks",
            "fire",
            "--client",
            client,
            "--event",
            "pre_request",
        ];
        for more in [&[][..], &["--id", "another"]] {
            let output = user.run(&[&fire, more].concat(), b"");
            let said = String::from_utf8_lossy(&output.stdout).into_owned();
            assert_eq!((&*said, output.status.code()), (nothing, Some(0)));
        }
    }
}
