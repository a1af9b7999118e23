//! `cargo hooks check`: what it finds in a program, and its exit codes.

use std::path::Path;

use serde_json::Value;

use crate::user::{PROGRAM, User, finished};

/// Returns the exit code and the output.
fn check(user: &User, program: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let tool = user.programs().join("cargo-hooks");
    let words = ["hooks", "check", "--server", program.to_str().unwrap()];
    let output = finished(
        &mut user.process(&tool, &[&words[..], arguments].concat()),
        b"",
    );
    let said = String::from_utf8(output.stdout).unwrap();
    (output.status.code(), said)
}

#[test]
fn of_a_sound_program_only_the_undelivered_text_is_found() {
    let user = User::new();
    let page = "FOUND: session_ending: no client sends a text to its agent at `session_end`\n\
                help: declare the hook at another event\n";
    assert_eq!(
        check(&user, Path::new(PROGRAM), &[]),
        (Some(1), page.to_owned())
    );
}

#[test]
fn each_mistake_is_found_with_its_place_and_its_remedy() {
    let user = User::new();
    let program = user.notebook_with("mistakes");
    let (code, page) = check(&user, &program, &[]);
    assert_eq!(code, Some(1), "{page}");
    for (found, help) in [
        (
            "begin: `{project}` is no variable of `session_start`: the agent reads it as it is written",
            "write one of `{project_name}`, `{session_id}`, or put the word into backticks",
        ),
        (
            "begin: the text names `find_note`, and the server has no such tool",
            "write `find_notes`",
        ),
        (
            "begin: the text names `write_note`, and the server has no such tool",
            "name a tool of this server; before a tool of another program, write \"use\"",
        ),
        (
            ": `confirm`: no tool of the server is called `delete_nite`",
            "write `delete_note`",
        ),
        (
            ": `keep`: no tool of the server is called `erase_*`",
            "name a tool of the server, or remove the name",
        ),
        (
            ": the program does not use the session machine `Stage`, so it refuses no call",
            "add `.session::<Stage>()` to the `Program`, or remove `Stage`",
        ),
    ] {
        let lines = format!("{found}\nhelp: {help}\n");
        assert!(
            format!("{page}\n").contains(&lines),
            "{lines}\nis not in\n{page}"
        );
    }
    assert_eq!(page.matches("FOUND: ").count(), 6, "{page}");
    // The places of rules and machines are lines of the source.
    assert_eq!(page.matches("notebook.rs:").count(), 3, "{page}");
    // The list of the hooks warns of them, too, and of no rule about a tool that a list hook hides.
    let list = finished(&mut user.process(&program, &["hooks", "list"]), b"");
    let list = String::from_utf8(list.stdout).unwrap();
    assert!(
        list.contains("warning: `keep`: no tool is called `erase_*`"),
        "{list}"
    );
    assert!(!list.contains("no tool is called `delete_*`"), "{list}");
    let (code, json) = check(&user, &program, &["--json"]);
    let found: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((code, found.as_array().unwrap().len()), (Some(1), 6));
}

#[test]
fn what_serve_refuses_is_found() {
    let user = User::new();
    let program = user.notebook_with("a machine without its tool");
    let (code, page) = check(&user, &program, &[]);
    let found = "FOUND: the session moves on with `sign_in`, and `get_tool` of this server knows no tool of the session's\nhelp: ";
    assert!(code == Some(1) && page.starts_with(found), "{page}");
}
