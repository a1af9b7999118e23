//! `hooks policy check`: what it says about a tool that the server does not have, and its exit codes.

use std::fs;

use crate::user::User;

/// Runs the command on a file with these contents. Returns the exit code, and what it wrote to standard output and error.
fn check(user: &User, file: &str, arguments: &[&str]) -> (i32, String, String) {
    fs::write(user.project().join("policy.yaml"), file).unwrap();
    let output = user.run(&[&["hooks", "policy", "check"], arguments].concat(), b"");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (
        output.status.code().unwrap(),
        text(output.stdout),
        text(output.stderr),
    )
}

const RULE: &str = "plugins:\n  - name: never\n    kind: deny\n    reason: \"no\"\n    hooks: [tool_pre_invoke]\n    tools: [list_nots]\n";

#[test]
fn a_misspelt_tool_is_said_in_calls_and_in_rules() {
    let user = User::new();
    let call = r#"{"tool": "list_nots", "args": {}}"#;
    let (exit, page, _) = check(&user, RULE, &["policy.yaml", "--call", call]);
    assert_ne!(exit, 0);
    let said = "this server has no tool `list_nots`; did you mean `list_notes`?";
    assert!(page.contains(said), "{page}");
    let hides = "lists:\n  tools:\n    hide: [list_nots, delete_note]\n";
    for (file, name) in [(RULE, "never"), (hides, "file-hides-tools")] {
        let (exit, page, _) = check(&user, file, &["policy.yaml"]);
        assert_eq!(exit, 0);
        let warnings: Vec<&str> = page
            .lines()
            .filter(|line| line.starts_with("warning"))
            .collect();
        let said =
            format!("warning: `{name}`: no tool is called `list_nots`; did you mean `list_notes`?");
        assert_eq!(warnings, [said]);
    }
}

#[test]
fn bad_input_is_exit_code_2() {
    let user = User::new();
    fs::write(user.project().join("calls.jsonl"), "{").unwrap();
    for (arguments, wrong) in [
        (&["none.yaml"][..], "cannot be read"),
        (
            &["policy.yaml", "--call", "{}"],
            "one of `tool`, `prompt`, `resource` and `completion`",
        ),
        (
            &["policy.yaml", "--calls", "calls.jsonl"],
            "calls.jsonl:1: ",
        ),
        (
            &["policy.yaml", "--call", "{}", "--calls", "calls.jsonl"],
            "cannot be used with",
        ),
        (&[], "<FILE>"),
    ] {
        let rule = RULE.replace("list_nots", "list_notes");
        let (exit, page, errors) = check(&user, &rule, arguments);
        assert_eq!((exit, &*page), (2, ""), "{arguments:?}");
        assert!(errors.contains(wrong), "{arguments:?}: {errors}");
    }
}
