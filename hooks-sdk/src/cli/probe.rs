//! Runs programs and command lines to check whether they work.

use std::{
    env,
    io::{self, ErrorKind, Read, Write},
    path::Path,
    process::{Child, ChildStdin, Command, ExitStatus, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::print;
use crate::clients::Client;

/// The time that a client has to report its version, a server to answer the handshake, and our command to answer.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// The longest output that is kept.
const MAX_OUTPUT: usize = 16 << 20;

/// An event that no client has: the command answers, and no hook fires.
const NO_EVENT: &[u8] = br#"{"hook_event_name":"hooks doctor"}"#;

/// The most lines that are shown of a program's standard error.
const ERROR_LINES: usize = 10;

/// The time for the end of a program that has answered, and for the last outputs of one that has ended.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Returns whether git tracks the file. Without git, nothing is known, which is no.
pub(super) fn is_tracked(file: &Path) -> bool {
    let (Some(folder), Some(name)) = (file.parent(), file.file_name()) else {
        return false;
    };
    let mut git = Command::new("git");
    // A repository's settings can name a program to run; this look starts none.
    git.args(["-c", "core.fsmonitor=false", "-C"]).arg(folder);
    git.args(["ls-files", "--error-unmatch", "--"]).arg(name);
    folder.is_dir() && run(git, b"", PATIENCE).is_ok()
}

pub(super) fn version(program: &Path) -> Option<String> {
    let mut command = Command::new(program);
    command.arg("--version");
    let answer = run(command, b"", PATIENCE).ok()?;
    answer.lines().next().map(|line| line.trim().to_owned())
}

/// Runs each command line from the client's files like the client does, and returns the time of the slowest one. Without
/// a command line, runs this program's own `hooks fire`.
pub(super) fn answers<'c>(
    client: &Client,
    commands: impl Iterator<Item = &'c String>,
) -> Result<String, String> {
    let mut slowest = None;
    for line in commands {
        let mut shell = Command::new("sh");
        shell.args(["-c", line]);
        let taken = answer(client, shell).map_err(|wrong| match wrong.split_once('\n') {
            Some((wrong, errors)) => format!("{wrong}: {line}\n{errors}"),
            None => format!("{wrong}: {line}"),
        })?;
        slowest = slowest.max(Some(taken));
    }
    let taken = match slowest {
        Some(taken) => taken,
        None => {
            let program = env::current_exe().map_err(|error| error.to_string())?;
            let mut command = Command::new(program);
            command.args(["hooks", "fire", "--client", client.name]);
            answer(client, command)?
        }
    };
    Ok(format!("answers in {} ms", taken.as_millis()))
}

/// Measures how long a command takes to answer an event at which no hook fires.
fn answer(client: &Client, command: Command) -> Result<Duration, String> {
    let begun = Instant::now();
    let answer = run(command, NO_EVENT, PATIENCE)?;
    match serde_json::from_str::<Value>(&answer) {
        Ok(Value::Object(_)) => Ok(begun.elapsed()),
        _ if answer.is_empty() => {
            Err("it returns nothing, because its program does not exist".to_owned())
        }
        _ if answer.trim() == client.printed(&json!({})) => Ok(begun.elapsed()),
        _ => Err(format!(
            "it returns something other than a JSON object: `{}`",
            print::clip(&answer, 100)
        )),
    }
}

/// Checks that a copy of this program answers `hooks list`.
pub(super) fn lists(program: &Path, patience: Duration) -> Result<(), String> {
    let mut command = Command::new(program);
    command.args(["hooks", "list"]);
    run(command, b"", patience).map(drop)
}

/// Starts a server as a client does, and reads its answer to the handshake.
pub(super) fn serves(mut server: Command, patience: Duration) -> Result<String, String> {
    // Without its log, standard error has the reason why it does not start.
    server.env("RUST_LOG", "off");
    let handshake = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": { "name": "hooks doctor", "version": "1" },
    } });
    let begun = Instant::now();
    let answer = ask(server, &[handshake], patience)?;
    match answer["result"].is_object() {
        true => Ok(format!("answers in {} ms", begun.elapsed().as_millis())),
        false => Err(format!(
            "it refuses the handshake: {}",
            print::clip(&answer["error"].to_string(), 200)
        )),
    }
}

/// Starts a program that answers with a JSON object in each line, and returns its answer to the last of these questions.
pub(super) fn ask(
    command: Command,
    questions: &[Value],
    patience: Duration,
) -> Result<Value, String> {
    let mut running = Running::start(command, patience)?;
    for question in questions {
        running.write(format!("{question}\n").as_bytes());
    }
    let last = questions.last().unwrap_or(&Value::Null);
    let (mut line, until) = (Vec::new(), running.begun + patience);
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let wrong = match running.output.recv_timeout(left) {
            Ok(chunk) => {
                for part in chunk.split_inclusive(|byte| *byte == b'\n') {
                    line.extend_from_slice(part);
                    if !part.ends_with(b"\n") {
                        continue;
                    }
                    let said: Value = serde_json::from_slice(&line).unwrap_or_default();
                    line.clear();
                    if said.is_object() && said["id"] == last["id"] {
                        // It has a moment to end by itself.
                        _ = running.status(LAST_WORDS);
                        return Ok(said);
                    }
                }
                continue;
            }
            Err(RecvTimeoutError::Disconnected) => {
                running.ended(LAST_WORDS)?;
                "it ended without an answer".to_owned()
            }
            Err(RecvTimeoutError::Timeout) => format!(
                "it does not answer `{}` within {} s",
                last["method"].as_str().unwrap_or_default(),
                patience.as_secs_f32()
            ),
        };
        return Err(running.with_errors(wrong));
    }
}

/// Runs a command to its end, at most for `patience`, and returns its standard output.
fn run(command: Command, input: &[u8], patience: Duration) -> Result<String, String> {
    let mut running = Running::start(command, patience)?;
    running.write(input);
    running.ended(patience)?;
    let (output, is_whole) = read(&running.output, patience);
    is_whole
        .then_some(output)
        .ok_or_else(|| "another process keeps its standard output open".to_owned())
}

/// A program that runs, and ends with this value.
struct Running {
    child: Child,
    begun: Instant,
    stdin: Option<ChildStdin>,
    output: Receiver<Vec<u8>>,
    errors: Receiver<Vec<u8>>,
}

impl Running {
    fn start(mut command: Command, patience: Duration) -> Result<Running, String> {
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let begun = Instant::now();
        let child = loop {
            match command.spawn() {
                // A process that another thread starts has the file open for a moment.
                Err(error)
                    if error.kind() == ErrorKind::ExecutableFileBusy
                        && begun.elapsed() < patience =>
                {
                    thread::sleep(Duration::from_millis(5));
                }
                started => break started,
            }
        };
        let mut child = child.map_err(|error| error.to_string())?;
        Ok(Running {
            stdin: child.stdin.take(),
            output: chunks(child.stdout.take()),
            errors: chunks(child.stderr.take()),
            child,
            begun,
        })
    }

    fn write(&mut self, input: &[u8]) {
        // A program may end without reading its input.
        _ = self.stdin.as_mut().map(|stdin| stdin.write_all(input));
    }

    /// Ends the input, and waits until the program has ended well, at most for `patience`. An error has the last lines of
    /// standard error.
    fn ended(&mut self, patience: Duration) -> Result<(), String> {
        let wrong = match self.status(patience).map_err(|error| error.to_string())? {
            Some(status) if status.success() => return Ok(()),
            Some(status) => format!("it ended with {status}"),
            None => format!("it did not end within {} s", patience.as_secs_f32()),
        };
        Err(self.with_errors(wrong))
    }

    /// Ends the input, and waits for the end of the program. `None` if it does not end within the time.
    fn status(&mut self, patience: Duration) -> io::Result<Option<ExitStatus>> {
        self.stdin = None;
        let until = Instant::now() + patience;
        loop {
            match self.child.try_wait()? {
                None if Instant::now() < until => thread::sleep(Duration::from_millis(5)),
                status => return Ok(status),
            }
        }
    }

    /// Ends the program, and adds the last lines of its standard error to what is wrong.
    fn with_errors(&mut self, wrong: String) -> String {
        self.end();
        let (errors, _) = read(&self.errors, LAST_WORDS);
        let lines: Vec<&str> = errors.trim().lines().collect();
        let last = lines.len().saturating_sub(ERROR_LINES);
        [&[&*wrong][..], &lines[last..]].concat().join("\n    ")
    }

    fn end(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end();
    }
}

/// Reads a pipe to its end in a thread, and keeps its beginning. The output can be longer than a pipe holds, and another process
/// can keep the pipe open.
fn chunks(pipe: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (send, receive) = channel();
    let Some(mut pipe) = pipe else {
        return receive;
    };
    thread::spawn(move || {
        let (mut chunk, mut kept) = (vec![0; 64 * 1024], 0);
        loop {
            match pipe.read(&mut chunk) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Ok(0) | Err(_) => return,
                Ok(length) => {
                    let rest = length.min(MAX_OUTPUT - kept);
                    kept += rest;
                    // Nobody may listen any more.
                    _ = send.send(chunk[..rest].to_vec());
                }
            }
        }
    });
    receive
}

/// Returns what a pipe has, and whether it ended within the time.
fn read(chunks: &Receiver<Vec<u8>>, patience: Duration) -> (String, bool) {
    let (mut all, until) = (Vec::new(), Instant::now() + patience);
    let is_whole = loop {
        let left = until.saturating_duration_since(Instant::now());
        match chunks.recv_timeout(left) {
            Ok(chunk) => all.extend(chunk),
            Err(error) => break error == RecvTimeoutError::Disconnected,
        }
    };
    (String::from_utf8_lossy(&all).into_owned(), is_whole)
}

#[cfg(all(test, unix))]
#[path = "probe_tests.rs"]
mod tests;
