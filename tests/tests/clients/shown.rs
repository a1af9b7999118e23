//! A log that somebody else wrote, shown by a program.

use std::{fs, process::Command};

use serde_json::json;

#[test]
fn a_terminal_obeys_nothing_of_a_log() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("log.jsonl");
    let hostile = "tools\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31m\u{202e}drop";
    let line = json!({
        "kind": "decision", "at": hostile, "decision": "denied", "method": hostile, "item": hostile,
    });
    fs::write(&file, format!("{line}\n{hostile}\n")).expect("a file");
    for format in [&[][..], &["--json"]] {
        let output = Command::new(env!("CARGO_BIN_EXE_own-store"))
            .args(["hooks", "log", "show"])
            .arg(&file)
            .args(format)
            .output()
            .expect("it starts");
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8(said).expect("UTF-8");
        assert!(said.contains("drop"), "{said}");
        let is_obeyed =
            |letter: char| letter.is_control() && letter != '\n' || letter == '\u{202e}';
        assert!(!said.contains(is_obeyed), "{said:?}");
    }
}
