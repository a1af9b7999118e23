//! Runs a program in a process group of its own, at most until a deadline.

use std::{
    fs::File,
    io,
    os::unix::process::{CommandExt, ExitStatusExt},
    process::{Child, Command, ExitStatus},
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use tokio::time::sleep;

/// The time between two looks at the program.
const LOOK: Duration = Duration::from_millis(20);

/// How a program ended.
#[derive(Debug)]
pub struct ProgramEnd {
    /// `None` if it was ended from here.
    pub status: Option<ExitStatus>,
    /// Why it was ended.
    pub because: Option<String>,
}

/// A program and everything in its process group; all of it ends with this value.
struct Group {
    leader: Child,
    id: Pid,
}

impl Drop for Group {
    fn drop(&mut self) {
        // The leader's exit code is not read yet, so the number still names this group.
        _ = kill_process_group(self.id, Signal::KILL);
        _ = self.leader.wait();
    }
}

/// Runs `command` with an empty standard input and these files for its output. Ends it at `until`, and as soon as `stop`
/// returns a reason. After the program's own end, its children have the time `grace`.
///
/// Only the process group is ended. A process that has moved to another group ends with the [`Trial`](super::Trial).
///
/// # Errors
///
/// The program cannot be started.
pub(crate) async fn run(
    command: &mut Command,
    input: File,
    (out, err): (File, File),
    until: Instant,
    stop: impl Fn() -> Option<String>,
    grace: Duration,
) -> io::Result<ProgramEnd> {
    let command = command
        .process_group(0)
        .stdin(input)
        .stdout(out)
        .stderr(err);
    let begun = Instant::now();
    let leader = command.spawn()?;
    let id = Pid::from_child(&leader);
    let mut group = Group { leader, id };
    // Looks without waiting for the leader, so that the group keeps its number until it is ended.
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    let because = loop {
        if waitid(WaitId::Pid(id), look)?.is_some() {
            break None;
        }
        if Instant::now() >= until {
            let seconds = begun.elapsed().as_secs_f64();
            break Some(format!("it did not end within {seconds:.0} s"));
        }
        if let Some(reason) = stop() {
            break Some(reason);
        }
        sleep(LOOK).await;
    };
    if because.is_some() {
        return Ok(ProgramEnd {
            status: None,
            because,
        });
    }
    sleep(grace).await;
    _ = kill_process_group(group.id, Signal::KILL);
    let status = group.leader.wait()?;
    Ok(ProgramEnd {
        status: Some(status),
        because,
    })
}

impl ProgramEnd {
    /// Returns what went wrong, as the end of a sentence about the program.
    pub fn problem(&self) -> Option<String> {
        if let Some(because) = &self.because {
            return Some(because.clone());
        }
        let status = self.status.filter(|status| !status.success())?;
        Some(match (status.code(), status.signal()) {
            (Some(code), _) => format!("it ended with exit code {code}"),
            (None, Some(signal)) => format!("signal {signal} ended it"),
            (None, None) => "it ended without an exit code".to_owned(),
        })
    }
}
