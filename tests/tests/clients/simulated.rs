//! A transcript that somebody else wrote, shown by a program.

use std::{fs, process::Command};

use serde_json::json;

#[test]
fn a_terminal_obeys_nothing_of_a_transcript() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("session.jsonl");
    let hostile = "mcp__notes__\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31m\u{202e}drop";
    let line = |content| {
        json!({
            "type": "assistant", "sessionId": hostile, "cwd": hostile, "isSidechain": false,
            "timestamp": "2026-11-23T04:00:00.000Z",
            "message": {"role": "assistant", "content": content, "stop_reason": "tool_use"},
        })
    };
    let call =
        json!([{"type": "tool_use", "id": hostile, "name": hostile, "input": {hostile: hostile}}]);
    let unknown = json!({"type": hostile, "sessionId": "s"});
    fs::write(&file, format!("{}\n{unknown}\n{}\n", line(call), hostile)).expect("a file");
    for format in [&[][..], &["--json"]] {
        let output = Command::new(env!("CARGO_BIN_EXE_own-store"))
            .args(["hooks", "simulate"])
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
