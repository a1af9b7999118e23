//! A server whose parent has ended, while another process holds the pipe.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread,
    time::Duration,
};

use serde_json::{Value, json};

use crate::user::{PROGRAM, initialize};

/// Longer than a server needs to see that its parent has ended.
const SEEN: Duration = Duration::from_secs(8);

/// The longest time to wait for a server.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server that a shell started. This process holds the other ends of the pipes, like a process that inherited them.
struct Orphan {
    shell: Child,
    input: ChildStdin,
    lines: Receiver<String>,
    _folder: tempfile::TempDir,
}

impl Orphan {
    fn of(script: &str) -> Orphan {
        let folder = tempfile::tempdir().unwrap();
        let mut shell = Command::new("sh")
            .args(["-c", script, PROGRAM])
            .env("HOME", folder.path())
            .env_remove("XDG_DATA_HOME")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = shell.stdin.take().unwrap();
        let output = BufReader::new(shell.stdout.take().unwrap());
        let (send, lines) = channel();
        thread::spawn(move || output.lines().try_for_each(|line| send.send(line.unwrap())));
        Orphan {
            shell,
            input,
            lines,
            _folder: folder,
        }
    }

    fn request(&mut self, message: &Value) -> Value {
        writeln!(self.input, "{message}").unwrap();
        let line = self.lines.recv_timeout(PATIENCE).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    fn shakes_hands(&mut self) {
        self.request(&initialize());
        let done = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        writeln!(self.input, "{done}").unwrap();
        self.answers();
    }

    fn answers(&mut self) {
        let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
        assert_eq!(self.request(&ping)["result"], json!({}));
    }
}

#[test]
fn a_server_ends_with_its_parent() {
    let mut server = Orphan::of("\"$0\" serve; true");
    server.shakes_hands();
    let waits = server.lines.recv_timeout(SEEN);
    assert_eq!(waits, Err(RecvTimeoutError::Timeout), "the parent lives");
    server.answers();
    server.shell.kill().unwrap();
    server.shell.wait().unwrap();
    let ended = server.lines.recv_timeout(PATIENCE);
    assert_eq!(ended, Err(RecvTimeoutError::Disconnected));
}

#[test]
fn a_launcher_that_ends_before_the_handshake_is_no_parent() {
    let mut server = Orphan::of("exec 3<&0; \"$0\" serve <&3 3<&- &");
    server.shell.wait().unwrap();
    server.shakes_hands();
    thread::sleep(SEEN);
    server.answers();
}
