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
    let mut calls = calls.lines();
    let open = calls.next().unwrap();
    let exits: Vec<i32> = calls
        .map(|call| check(&user, &["policy.yaml", "--call", open, "--call", call]).0)
        .collect();
    assert_eq!(exits, [0, 1, 3, 0, 1, 0]);
    let (_, json, _) = check(&user, &["policy.yaml", "--calls", "calls.jsonl", "--json"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json[2]["outcome"], "blocked");
    assert_eq!(json[2]["by"], "one_project");
    assert_eq!(json[3]["outcome"], "asks");
    assert_eq!(json[4]["points"][0]["hooks"][2]["decision"], "asked");
    // A flag answers for the user.
    for (answer, exit) in [("yes", 0), ("no", 1)] {
        let call = r#"{"tool": "delete_memory", "args": {"project": "notes", "memory_id": "1"}}"#;
        let open = r#"{"tool": "session_init", "args": {"project": "notes"}}"#;
        let all = [
            "policy.yaml",
            "--call",
            open,
            "--call",
            call,
            "--answer",
            answer,
        ];
        let (found, page, _) = check(&user, &all);
        assert_eq!(found, exit, "{page}");
    }
}

#[test]
fn a_call_without_its_session_is_refused_as_the_server_refuses_it() {
    let call = r#"{"tool": "store_memory", "args": {"project": "notes", "content": "x"}}"#;
    let (exit, page, errors) = check(&User::new(), &["policy.yaml", "--call", call]);
    assert_eq!((exit, &*errors), (1, ""));
    let said =
        "store_memory: blocked by `session`: Tool \"store_memory\" requires session initialization";
    assert!(page.starts_with(said), "{page}");
}

#[test]
fn a_misspelt_tool_is_said_in_calls_and_in_rules() {
    let user = User::new();
    let call = r#"{"tool": "store_memry", "args": {}}"#;
    let (exit, page, _) = check(&user, &["policy.yaml", "--call", call]);
    assert_eq!(exit, 1);
    let said = "this server has no tool `store_memry`; did you mean `store_memory`?";
    assert!(page.contains(said), "{page}");
    let rule = |rest: &str| {
        let head = "plugins:\n  - name: never\n    kind: deny\n    reason: \"no\"\n    hooks: [tool_pre_invoke]\n";
        fs::write(
            user.project().join("rule.yaml"),
            format!("{head}    {rest}\n"),
        )
        .unwrap();
        check(&user, &["rule.yaml"])
    };
    let (exit, page, _) = rule("tools: [store_memry]");
    assert_eq!(exit, 0);
    let said = "warning: `never`: no tool is called `store_memry`; did you mean `store_memory`?";
    assert!(page.contains(said), "{page}");
    fs::write(
        user.project().join("rule.yaml"),
        "lists:\n  tools:\n    hide: [retag_memry, delete_memory]\n",
    )
    .unwrap();
    let (exit, page, _) = check(&user, &["rule.yaml"]);
    assert_eq!(exit, 0);
    let warnings: Vec<&str> = page
        .lines()
        .filter(|line| line.starts_with("warning"))
        .collect();
    assert_eq!(
        warnings,
        [
            "warning: `file-hides-tools`: no tool is called `retag_memry`; did you mean `retag_memory`?"
        ]
    );
    // `serve` does not start with such a file.
    let (exit, page, errors) = rule("tools: [store_memory]\n    when: args.contnt");
    assert_eq!((exit, &*page), (2, ""));
    assert!(
        errors.contains("`args.contnt` in `when` of the hook `never`"),
        "{errors}"
    );
    assert!(errors.contains("args.content"), "{errors}");
}

#[test]
fn bad_input_is_exit_code_2() {
    let user = User::new();
    for (arguments, wrong) in [
        (&["none.yaml"][..], "cannot be read"),
        (
            &["policy.yaml", "--call", "{}"],
            "one of `tool`, `prompt`, `resource` and `completion`",
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
