//! `memory-server hooks policy check`, with the files that the book shows.

use std::{fs, path::PathBuf};

use serde_json::Value;

use super::user::User;

/// Set to `overwrite`, it writes the expected output anew.
const VARIABLE: &str = "HOOKS_POLICY";

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/policy")
        .join(name)
}

/// Runs the command on copies of the files. Returns the exit code, and what it wrote to standard output and error.
fn check(user: &User, arguments: &[&str]) -> (i32, String, String) {
    for name in ["policy.yaml", "broken.yaml", "calls.jsonl"] {
        fs::copy(file(name), user.project().join(name)).unwrap();
    }
    let arguments = [&["hooks", "policy", "check"], arguments].concat();
    let output = user.run(&arguments, b"");
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
    let user = User::new();
    let (exit, page, errors) = check(&user, &["policy.yaml"]);
    assert_eq!((exit, &*errors), (0, ""));
    is("check.txt", &page);
    let (exit, json, _) = check(&user, &["policy.yaml", "--json"]);
    assert_eq!(exit, 0);
    let json: Value = serde_json::from_str(&json).unwrap();
    let rule = &json["hooks"][1];
    assert_eq!(
        (&rule["id"], &rule["on_failure"]),
        (&"one_project".into(), &"fail".into())
    );
    assert_eq!(rule["unless"], r#"args.project = "notes""#);
}

#[test]
fn every_mistake_is_reported_with_its_line() {
    let (exit, page, errors) = check(&User::new(), &["broken.yaml"]);
    assert_eq!((exit, &*page), (2, ""));
    is("broken.txt", &errors);
}

#[test]
fn calls_are_decided_hook_by_hook() {
    let user = User::new();
    let (exit, page, errors) = check(&user, &["policy.yaml", "--calls", "calls.jsonl"]);
    assert_eq!((exit, &*errors), (1, ""));
    is("decided.txt", &page);
    let calls = fs::read_to_string(file("calls.jsonl")).unwrap();
    let exits: Vec<i32> = calls
        .lines()
        .map(|call| check(&user, &["policy.yaml", "--call", call]).0)
        .collect();
    assert_eq!(exits, [0, 1, 3, 0, 1, 0]);
    let (_, json, _) = check(&user, &["policy.yaml", "--calls", "calls.jsonl", "--json"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json[1]["outcome"], "blocked");
    assert_eq!(json[1]["by"], "one_project");
    assert_eq!(json[2]["outcome"], "asks");
    assert_eq!(json[3]["points"][0]["hooks"][2]["decision"], "asked");
}

#[test]
fn bad_input_is_exit_code_2() {
    let user = User::new();
    for (arguments, wrong) in [
        (&["none.yaml"][..], "cannot be read"),
        (
            &["policy.yaml", "--call", "{}"],
            "one of `tool`, `prompt`, `resource` and `http`",
        ),
        (
            &["policy.yaml", "--calls", "broken.yaml"],
            "broken.yaml:1: ",
        ),
        (
            &["policy.yaml", "--call", "{}", "--calls", "calls.jsonl"],
            "cannot be used with",
        ),
        (&[], "<FILE>"),
    ] {
        let (exit, page, errors) = check(&user, arguments);
        assert_eq!((exit, &*page), (2, ""), "{arguments:?}");
        assert!(errors.contains(wrong), "{arguments:?}: {errors}");
    }
}
