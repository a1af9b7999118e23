//! Programs and command lines, run to find out whether they work.

use std::{
    env,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::Value;

use super::print;
use crate::clients::Client;

/// How long a client may take to say its version, or our command to answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// An event that no client has, so that the command answers and no hook fires.
const NO_EVENT: &[u8] = br#"{"hook_event_name":"hooks doctor"}"#;

/// Whether nothing is there to be started.
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

pub(super) fn version(program: &Path) -> Option<String> {
    let mut command = Command::new(program);
    command.arg("--version");
    let answer = run(command, b"").ok()?;
    answer.lines().next().map(|line| line.trim().to_owned())
}

/// Whether each command that stands in the client's files answers, run as the client runs it, and how fast the
/// slowest; without any, whether this program does.
pub(super) fn answers<'c>(
    client: &dyn Client,
    commands: impl Iterator<Item = &'c String>,
) -> Result<String, String> {
    let mut slowest = None;
    for line in commands {
        let mut shell = Command::new("sh");
        shell.args(["-c", line]);
        let taken = answer(shell).map_err(|wrong| format!("{wrong}: {line}"))?;
        slowest = slowest.max(Some(taken));
    }
    let taken = match slowest {
        Some(taken) => taken,
        None => {
            let program = env::current_exe().map_err(|error| error.to_string())?;
            let mut command = Command::new(program);
            command.args(["hooks", "fire", "--client", client.name()]);
            answer(command)?
        }
    };
    Ok(format!("answers in {} ms", taken.as_millis()))
}

/// How long a command takes to answer an event at which no hook fires.
fn answer(command: Command) -> Result<Duration, String> {
    let begun = Instant::now();
    let answer = run(command, NO_EVENT)?;
    match serde_json::from_str::<Value>(&answer) {
        Ok(Value::Object(_)) => Ok(begun.elapsed()),
        _ if answer.is_empty() => {
            Err("it returns nothing, because its program does not exist".to_owned())
        }
        _ => Err(format!(
            "it returns something other than a JSON object: `{}`",
            print::clip(&answer, 100)
        )),
    }
}

/// Runs a command to its end, at most for [`PATIENCE`], and gives its standard output.
fn run(mut command: Command, input: &[u8]) -> Result<String, String> {
    let failed = |error: std::io::Error| error.to_string();
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut child = command.spawn().map_err(failed)?;
    if let Some(mut stdin) = child.stdin.take() {
        // A program that does not read its input has its reasons.
        _ = stdin.write_all(input);
    }
    let begun = Instant::now();
    loop {
        match child.try_wait().map_err(failed)? {
            Some(status) if status.success() => break,
            Some(status) => return Err(format!("it ended with {status}")),
            None if begun.elapsed() > PATIENCE => {
                _ = child.kill();
                _ = child.wait();
                return Err(format!("it did not end within {} s", PATIENCE.as_secs()));
            }
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    }
    let output = child.wait_with_output().map_err(failed)?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
