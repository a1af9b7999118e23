//! The gate `server_first`, in a process of its own, reads the state that the served process has written.

use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use serde_json::{Value, json};

fn program(data: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gated"));
    command
        .env("GATED_DATA", data)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    command
}

/// The served program, as Codex CLI starts it.
struct Served {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Served {
    fn start(data: &Path) -> Served {
        let mut child = program(data).arg("serve").spawn().unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut served = Served {
            child,
            input,
            output,
        };
        let hello = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": { "name": "codex-mcp-client", "version": "1" },
        });
        served.ask(1, "initialize", hello);
        served.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        served
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input, "{message}").unwrap();
    }

    fn ask(&mut self, id: u64, method: &str, params: Value) -> Value {
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let mut line = String::new();
            assert_ne!(self.output.read_line(&mut line).unwrap(), 0, "it ended");
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == id {
                return message;
            }
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

/// Asks the gate about an edit.
fn edit(data: &Path, client: &str, session: &str) -> Value {
    let mut child = program(data)
        .args([
            "hooks",
            "fire",
            "--client",
            client,
            "--event",
            "agent_tool_pre_invoke",
        ])
        .spawn()
        .unwrap();
    let call =
        json!({ "tool_name": "Edit", "tool_input": { "file_path": "a" }, "session_id": session });
    child
        .stdin
        .take()
        .unwrap()
        .write_all(call.to_string().as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn the_gate_reads_the_state_of_the_served_process() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let mut served = Served::start(data);
    let refused = edit(data, "codex", "one");
    let reason = refused["reason"].as_str().unwrap();
    assert!(reason.contains("`session_init`"), "{refused}");
    let call = json!({ "name": "session_init", "arguments": {}, "_meta": { "sessionId": "one" } });
    let opened = served.ask(2, "tools/call", call);
    assert_ne!(opened["result"]["isError"], true, "{opened}");
    assert_eq!(edit(data, "codex", "one"), json!({}));
    assert_eq!(edit(data, "codex", "two")["decision"], "block");
    // Gemini CLI does not tell the server its session: the posture decides.
    assert_eq!(edit(data, "gemini", "one")["decision"], "block");
    // The state outlives the process that wrote it.
    drop(served);
    assert_eq!(edit(data, "codex", "one"), json!({}));
}

#[test]
fn a_store_that_is_elsewhere_is_an_error_of_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let store = format!("sqlite:{}", folder.path().join("own.db").display());
    let output = program(folder.path())
        .args(["serve", "--http", "127.0.0.1:0", "--store", &store])
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        !output.status.success() && errors.contains("`server_first`"),
        "{errors}"
    );
}
