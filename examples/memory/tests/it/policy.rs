//! `memory-server hooks policy check`, with the files that the book shows.

use std::{fs, path::PathBuf, process::Command};

/// Set to `overwrite`, it writes the expected output again.
const VARIABLE: &str = "HOOKS_POLICY";

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/policy")
        .join(name)
}

/// Runs the command on the files. Returns the exit code, and what it wrote to standard output and error.
fn check(arguments: &[&str]) -> (i32, String, String) {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_memory-server"));
    command.env("MEMORY_DATABASE", folder.path().join("m.db"));
    command.args(["hooks", "policy", "check"]).args(arguments);
    let output = command.current_dir(file("")).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (
        output.status.code().unwrap(),
        text(output.stdout),
        text(output.stderr),
    )
}

fn is(name: &str, found: &str) {
    if std::env::var(VARIABLE).is_ok_and(|value| value == "overwrite") {
        fs::write(file(name), found).unwrap();
    }
    assert_eq!(found, fs::read_to_string(file(name)).unwrap(), "{name}");
}

#[test]
fn a_file_says_what_it_would_do() {
    let (exit, page, errors) = check(&["policy.yaml"]);
    assert_eq!((exit, &*errors), (0, ""));
    is("check.txt", &page);
}

#[test]
fn every_mistake_is_reported_with_its_line() {
    let (exit, page, errors) = check(&["broken.yaml"]);
    assert_eq!((exit, &*page), (2, ""));
    is("broken.txt", &errors);
}

#[test]
fn calls_are_decided_hook_by_hook() {
    let (exit, page, errors) = check(&["policy.yaml", "--calls", "calls.jsonl"]);
    assert_eq!((exit, &*errors), (1, ""));
    is("decided.txt", &page);
    let calls = fs::read_to_string(file("calls.jsonl")).unwrap();
    let mut calls = calls.lines();
    let open = calls.next().unwrap();
    let exits: Vec<i32> = calls
        .map(|call| check(&["policy.yaml", "--call", open, "--call", call]).0)
        .collect();
    assert_eq!(exits, [0, 1, 3, 0, 1, 0]);
}
