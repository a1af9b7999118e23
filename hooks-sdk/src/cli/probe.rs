//! Runs programs and command lines to check whether they work.

use std::{
    env,
    io::{self, ErrorKind, Read, Write},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::print;
use crate::clients::Client;

/// The time that a client has to report its version, and our command to answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// The longest output that is kept.
const MAX_OUTPUT: u64 = 16 << 20;

/// An event that no client has: the command answers, and no hook fires.
const NO_EVENT: &[u8] = br#"{"hook_event_name":"hooks doctor"}"#;

/// The handshake of a client.
const HANDSHAKE: &[u8] = br#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"hooks doctor","version":"1"}}}
"#;

/// The most lines that are shown of a server's standard error.
const ERROR_LINES: usize = 10;

/// The time for the outputs of a program that has failed.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Returns whether the program does not exist.
pub(super) fn is_gone(program: &Path) -> bool {
    let found = match program.components().count() {
        1 => program.to_str().and_then(on_path),
        _ => Some(program.to_owned()),
    };
    !found.is_some_and(|program| program.is_file())
}

pub(super) fn on_path(name: &str) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders)
        .map(|folder| folder.join(name))
        .find(|path| path.is_file())
}

/// Returns whether git tracks the file. Without git, nothing is known, which is no.
pub(super) fn is_tracked(file: &Path) -> bool {
    let (Some(folder), Some(name)) = (file.parent(), file.file_name()) else {
        return false;
    };
    let mut git = Command::new("git");
    // A repository's settings can name a program to run; this look starts none.
    git.args(["-c", "core.fsmonitor=false", "-C"]).arg(folder);
    git.args(["ls-files", "--error-unmatch", "--"]).arg(name);
    folder.is_dir() && run(git, b"").is_ok()
}

pub(super) fn version(program: &Path) -> Option<String> {
    let mut command = Command::new(program);
    command.arg("--version");
    let answer = run(command, b"").ok()?;
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
        let taken = answer(client, shell).map_err(|wrong| format!("{wrong}: {line}"))?;
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
    let answer = run(command, NO_EVENT)?;
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

/// Checks that a copy of this program answers `hooks list`, within [`PATIENCE`].
pub(super) fn lists(program: &Path) -> Result<(), String> {
    lists_within(program, PATIENCE)
}

fn lists_within(program: &Path, patience: Duration) -> Result<(), String> {
    let begun = Instant::now();
    let mut command = Command::new(program);
    command.args(["hooks", "list"]);
    // The list can be longer than a pipe holds.
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let child = loop {
        match command.spawn() {
            // A process that another thread starts has the file open for a moment.
            Err(error)
                if error.kind() == ErrorKind::ExecutableFileBusy && begun.elapsed() < patience =>
            {
                thread::sleep(Duration::from_millis(5));
            }
            started => break started,
        }
    };
    let mut child = child.map_err(|error| error.to_string())?;
    ended(&mut child, begun, patience)
}

/// Starts a server as a client does, and reads its answer to the handshake.
pub(super) fn serves(mut server: Command) -> Result<String, String> {
    let begun = Instant::now();
    // Without its log, standard error has the reason why it does not start.
    let ran = ran(server.env("RUST_LOG", "off"), HANDSHAKE)?;
    let taken = begun.elapsed().as_millis();
    let is_held = ran.output.is_none();
    let output = ran.output.unwrap_or_default();
    let mut lines = output.lines().map(serde_json::from_str::<Value>);
    let answer = lines.find_map(|line| line.ok().filter(|line| line["id"] == 0));
    match answer {
        Some(answer) if answer["result"].is_object() => Ok(format!("answers in {taken} ms")),
        Some(answer) => Err(format!(
            "it refuses the handshake: {}",
            print::clip(&answer["error"].to_string(), 200)
        )),
        None => {
            let held = "another process keeps its standard output open".to_owned();
            let no_answer = "it does not answer the handshake".to_owned();
            let ended = ran.ended.err();
            let ended = ended.unwrap_or(if is_held { held } else { no_answer });
            let errors = ran.errors.recv_timeout(LAST_WORDS).map(text);
            let errors = errors.unwrap_or_default();
            let lines: Vec<&str> = errors.trim().lines().collect();
            let last = lines.len().saturating_sub(ERROR_LINES);
            Err([&[&*ended][..], &lines[last..]].concat().join("\n    "))
        }
    }
}

/// Runs a command to its end, at most for [`PATIENCE`], and returns its standard output.
fn run(mut command: Command, input: &[u8]) -> Result<String, String> {
    let ran = ran(&mut command, input)?;
    ran.ended?;
    ran.output
        .ok_or_else(|| "another process keeps its standard output open".to_owned())
}

/// How a command ended, and its outputs.
struct Ran {
    ended: Result<(), String>,
    /// `None` if another process keeps the pipe open.
    output: Option<String>,
    errors: mpsc::Receiver<Vec<u8>>,
}

fn ran(command: &mut Command, input: &[u8]) -> Result<Ran, String> {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| error.to_string())?;
    let (output, errors) = (kept(child.stdout.take()), kept(child.stderr.take()));
    if let Some(mut stdin) = child.stdin.take() {
        // A program may end without reading its input.
        _ = stdin.write_all(input);
    }
    let ended = ended(&mut child, Instant::now(), PATIENCE);
    let patience = match ended {
        Ok(()) => PATIENCE,
        Err(_) => LAST_WORDS,
    };
    Ok(Ran {
        ended,
        output: output.recv_timeout(patience).ok().map(text),
        errors,
    })
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Reads a pipe to its end in a thread, and keeps its beginning. The output can be longer than a pipe holds, and another process
/// can keep the pipe open.
fn kept(pipe: Option<impl Read + Send + 'static>) -> mpsc::Receiver<Vec<u8>> {
    let (send, receive) = mpsc::channel();
    if let Some(mut pipe) = pipe {
        thread::spawn(move || {
            let mut output = Vec::new();
            _ = pipe.by_ref().take(MAX_OUTPUT).read_to_end(&mut output);
            _ = io::copy(&mut pipe, &mut io::sink());
            _ = send.send(output);
        });
    }
    receive
}

/// Waits until a program has ended well, at most for `patience` since it began.
fn ended(child: &mut Child, begun: Instant, patience: Duration) -> Result<(), String> {
    loop {
        match child.try_wait().map_err(|error| error.to_string())? {
            Some(status) if status.success() => return Ok(()),
            Some(status) => return Err(format!("it ended with {status}")),
            None if begun.elapsed() > patience => {
                _ = child.kill();
                _ = child.wait();
                return Err(format!(
                    "it did not end within {} s",
                    patience.as_secs_f32()
                ));
            }
            None => thread::sleep(Duration::from_millis(5)),
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt};

    use super::*;
    use crate::cli::tests::put_script;

    #[test]
    fn a_long_output_is_read_whole() {
        for length in [1, 1_000_000] {
            let mut shell = Command::new("sh");
            shell.args(["-c", "head -c \"$0\" /dev/zero", &length.to_string()]);
            assert_eq!(run(shell, NO_EVENT).map(|output| output.len()), Ok(length));
        }
    }

    #[test]
    fn a_program_that_does_not_list_is_named_within_the_time() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("notes");
        let (short, long) = (Duration::from_millis(100), Duration::from_secs(60));
        for (script, mode, patience, wrong) in [
            (
                "#!/bin/sh\nseq 1 40000; test \"$*\" = 'hooks list'",
                0o755,
                long,
                "",
            ),
            (
                "#!/bin/sh\nexit 3",
                0o755,
                long,
                "it ended with exit status: 3",
            ),
            (
                "#!/bin/sh\nkill -9 $$",
                0o755,
                long,
                "it ended with signal: 9",
            ),
            (
                "#!/bin/sh\nexec sleep 600",
                0o755,
                short,
                "it did not end within 0.1 s",
            ),
            ("", 0o644, long, "ermission denied"),
            ("\u{7f}ELF", 0o755, long, "xec format error"),
        ] {
            put_script(&program, script);
            fs::set_permissions(&program, fs::Permissions::from_mode(mode)).unwrap();
            let begun = Instant::now();
            let answer = lists_within(&program, patience);
            assert!(begun.elapsed() < 2 * long, "{script}");
            match answer {
                Ok(()) => assert_eq!(wrong, "", "{script}"),
                Err(found) => {
                    assert!(
                        !wrong.is_empty() && found.contains(wrong),
                        "{script}: {found}"
                    );
                }
            }
        }
    }
}
