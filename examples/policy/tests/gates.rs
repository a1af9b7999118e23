//! An agent that is refused `delete_file` tries its client's shell: the gate refuses that too, in each client.

use std::{
    fs,
    io::Write,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
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

/// Asks with these bytes, of a client that keeps the pipe open. Returns the answer and what standard error says.
fn asked_by_an_open_pipe(event: &str, input: &[u8]) -> (Value, String, Duration) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_policy-server"))
        .args(["hooks", "fire", "--client", "claude-code", "--event", event])
        .env("XDG_DATA_HOME", std::env::temp_dir())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let began = Instant::now();
    let mut open = child.stdin.take().unwrap();
    // The program does not read on behind the limit.
    _ = open.write_all(input);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let answer = serde_json::from_slice(&output.stdout).unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    (answer, error, began.elapsed())
}

#[cfg(unix)]
#[test]
fn a_log_level_that_cannot_be_read_is_told() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt};

    let warned = |levels: &[u8]| {
        let output = Command::new(env!("CARGO_BIN_EXE_policy-server"))
            .args(["hooks", "list"])
            .env("RUST_LOG", OsStr::from_bytes(levels))
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        let warning = String::from_utf8(output.stderr).unwrap();
        warning.contains("warning: RUST_LOG is not obeyed (")
    };
    assert!(warned(b"warn,hooks_sdk=loud"));
    assert!(warned(b"warn\xff"));
    assert!(!warned(b"warn,hooks_sdk=debug"));
    assert!(!warned(b""));
}

#[test]
fn the_deadline_covers_the_input() {
    let (before, behind) = ("agent_tool_pre_invoke", "agent_tool_post_invoke");
    let call = |command: &str| {
        let call =
            json!({ "tool_name": "Bash", "tool_input": { "command": command }, "cwd": "/work" });
        call.to_string().into_bytes()
    };
    let (whole, half) = (call("rm report.txt"), &call("ls")[..40]);
    for end in ["", "\n", " \n{\"tool_name\":\"Bash\"}"] {
        let input = [&whole, end.as_bytes()].concat();
        let (answer, _, taken) = asked_by_an_open_pipe(before, &input);
        assert_eq!(answer["reason"], REASON, "{end}");
        assert!(taken < Duration::from_secs(10), "{taken:?}");
    }
    assert_eq!(asked_by_an_open_pipe(before, &call("ls")).0, json!({}));
    let (answer, _, taken) = asked_by_an_open_pipe(before, half);
    let reason = answer["reason"].as_str().unwrap();
    assert!(reason.contains("did not arrive in time"), "{answer}");
    let bounds = Duration::from_secs(1)..Duration::from_secs(10);
    assert!(bounds.contains(&taken), "{taken:?}");
    let (answer, error, _) = asked_by_an_open_pipe(behind, half);
    assert_eq!(answer, json!({}));
    assert!(error.contains("did not arrive in time"), "{error}");
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

/// Runs a command of the program in a home of its own, which ends with this code. Returns its output.
fn hooks(home: &Path, words: &[&str], code: i32) -> String {
    let project = home.join("project");
    fs::create_dir_all(&project).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_policy-server"))
        .arg("hooks")
        .args(words)
        .env_clear()
        .envs([("PATH", "/usr/bin:/bin"), ("CLAUDE_CODE_SIMPLE", "1")])
        .env("HOME", home)
        .current_dir(project)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(code), "{words:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn doctor_reports_what_disarms_the_gate() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    hooks(home, &["install", "--client", "qwen"], 0);
    let sound = hooks(home, &["doctor", "--client", "qwen"], 0);
    assert!(!sound.contains("hooks are off: "), "{sound}");
    let file = home.join(".qwen/settings.json");
    let mut settings: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    let before = &mut settings["hooks"]["PreToolUse"];
    before[0]["hooks"][0]["timeout"] = json!(1);
    let foreign = r#"echo '{"hookSpecificOutput":{"permissionDecision":"allow"}}'"#;
    let foreign = json!({ "hooks": [{ "type": "command", "command": foreign }] });
    before.as_array_mut().unwrap().push(foreign);
    fs::write(&file, settings.to_string()).unwrap();
    let disarmed = hooks(home, &["doctor", "--client", "qwen"], 1);
    for words in ["ends the gate after 1 s", "may answer `allow`"] {
        assert!(disarmed.contains(words), "{words}: {disarmed}");
    }
    hooks(home, &["install", "--client", "claude-code"], 0);
    let off = hooks(home, &["doctor", "--client", "claude-code"], 1);
    assert!(off.contains("the variable `CLAUDE_CODE_SIMPLE`"), "{off}");
}
