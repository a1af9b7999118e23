//! An agent that is refused `delete_file` tries its client's shell: the gate refuses that too, in each client.

use std::{
    io::Write,
    process::{Command, Stdio},
};

use serde_json::{Value, json};

const REASON: &str =
    "files are deleted by the tool `delete_file` only, because it asks the user first";

/// Asks the program as the client does.
fn asked(client: &str, input: &Value) -> Value {
    let home = std::env::temp_dir();
    let mut child = Command::new(env!("CARGO_BIN_EXE_policy-server"))
        .args(["hooks", "fire", "--client", client])
        .args(["--event", "agent_tool_pre_invoke"])
        .env("XDG_DATA_HOME", home)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let stdin = child.stdin.as_mut().unwrap();
    stdin.write_all(input.to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The clients with the names of their shells.
const SHELLS: [(&str, &str); 7] = [
    ("claude-code", "Bash"),
    ("codex", "Bash"),
    ("gemini", "run_shell_command"),
    ("copilot", "Bash"),
    ("qwen", "run_shell_command"),
    ("opencode", "bash"),
    ("cline", "run_commands"),
];

fn shell(client: &str, tool: &str, command: &str) -> Value {
    let args = match client {
        "cline" => json!({ "commands": ["ls", command] }),
        _ => json!({ "command": command }),
    };
    asked(
        client,
        &json!({ "tool_name": tool, "tool_input": args, "cwd": "/work" }),
    )
}

#[test]
fn the_shell_is_no_way_around_the_question() {
    for (client, tool) in SHELLS {
        for command in [
            "rm report.txt",
            "cd /tmp && /bin/rm -f report.txt",
            "sh -c 'rm report.txt'",
            "ls | xargs rm",
        ] {
            let answer = shell(client, tool, command);
            assert_eq!(answer["reason"], REASON, "{client}: {command}");
            assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny");
        }
        for command in ["ls", "cargo test && git rm --cached x | cat", "echo rm"] {
            assert_eq!(
                shell(client, tool, command),
                json!({}),
                "{client}: {command}"
            );
        }
        // What cannot be read is refused.
        let answer = shell(client, tool, "$TOOL report.txt");
        assert_eq!(answer["decision"], "block", "{client}");
    }
}
