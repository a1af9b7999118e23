//! The command line, with server programs that are shell scripts.

#![cfg(unix)]

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// Puts a program there that prints this text, whatever it is asked.
fn saying(folder: &Path, text: &str) -> PathBuf {
    let (program, said) = (folder.join("notes"), folder.join("said"));
    fs::write(&said, text).unwrap();
    let script = format!("#!/bin/sh\ncat '{}'\n", said.display());
    // A child writes it: no system starts a program that somebody writes.
    let mut shell = Command::new("sh");
    let shell = shell.args(["-c", r#"printf %s "$1" >"$0""#]).arg(&program);
    assert!(shell.arg(script).status().unwrap().success());
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    program
}

fn package(words: &[&str], program: &Path, folder: &Path) -> Output {
    let mut tool = Command::new(env!("CARGO_BIN_EXE_cargo-hooks"));
    tool.args(words)
        .args(["package", "--format", "claude-plugin"]);
    tool.arg("--server")
        .arg(program)
        .arg(folder.join("package"));
    tool.output().unwrap()
}

const DUMP: &str = r#"{
  "version": 1, "table": "0.0.1", "name": "notes", "id": "notes",
  "hooks": [{ "event": "session_start", "hooks": ["begin"] }],
  "clients": [{ "name": "claude-code", "events": ["session_start"], "hooks": [["session_start", ["begin"]]] }]
}"#;

#[test]
fn any_program_that_describes_itself_is_packaged() {
    let home = tempfile::tempdir().unwrap();
    let program = saying(home.path(), DUMP);
    // As cargo starts it, and as a shell does.
    for words in [&["hooks"][..], &[]] {
        let output = package(words, &program, home.path());
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{said}");
        assert!(
            said.contains("the server has version 0.0.1 of the table of clients"),
            "{said}"
        );
    }
    let hooks = fs::read_to_string(home.path().join("package/hooks/hooks.json")).unwrap();
    assert!(
        hooks.contains("exec notes hooks fire --client claude-code"),
        "{hooks}"
    );
}

#[test]
fn a_program_that_cannot_be_packaged_is_refused_with_a_help() {
    for (said, why) in [
        ("Hello!", "said something else"),
        (
            r#"{"version": 2}"#,
            "describes itself in version 2 of the format",
        ),
        (
            r#"{"version": 1, "problems": [{"message": "two hooks have the id `a`", "help": "rename one", "place": "src/a.rs:1"}]}"#,
            "error: src/a.rs:1: two hooks have the id `a`\nhelp: rename one\n",
        ),
        (
            r#"{"version": 1, "table": "0.0.1", "name": "notes"}"#,
            "the server does not know Claude Code: its table of clients has the version 0.0.1",
        ),
    ] {
        let home = tempfile::tempdir().unwrap();
        let output = package(&[], &saying(home.path(), said), home.path());
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{errors}");
        assert!(
            errors.contains(why) && errors.contains("\nhelp: "),
            "{errors}"
        );
        assert!(!home.path().join("package").exists());
    }
}
