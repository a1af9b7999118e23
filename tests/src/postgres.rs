//! A real PostgreSQL server for one test.

use std::{
    fs,
    os::unix::fs::{MetadataExt, chown},
    path::{Path, PathBuf},
    process::Command,
};

use tempfile::TempDir;

use crate::process::{self, Process};

/// A PostgreSQL server on a port of its own, with its data in a temporary folder. It is killed when this value is
/// dropped.
#[derive(Debug)]
pub struct Postgres {
    process: Process,
    program: PathBuf,
    port: u16,
    folder: TempDir,
}

impl Postgres {
    /// Starts a server. Returns `None` if this computer has no PostgreSQL, and says so on standard error.
    pub fn start() -> Option<Postgres> {
        let folders = folders();
        let (Some(program), Some(initdb)) = (
            process::program("postgres", &folders),
            process::program("initdb", &folders),
        ) else {
            crate::skipped(
                "`postgres` and `initdb` are neither on the PATH nor in /usr/lib/postgresql (apt-get install postgresql)",
            );
            return None;
        };
        let folder = tempfile::tempdir().expect("a temporary folder");
        give(folder.path());
        let made = as_owner(&initdb, folder.path())
            .args([
                "--no-sync",
                "--auth=trust",
                "--username=postgres",
                "--encoding=UTF8",
            ])
            .arg("--locale=C")
            .arg("--pgdata")
            .arg(folder.path().join("data"))
            .output()
            .expect("`initdb` starts");
        assert!(
            made.status.success(),
            "{}",
            String::from_utf8_lossy(&made.stderr)
        );
        // Another program may take the port before the server does.
        (0..5)
            .find_map(|_| {
                let port = process::free_port();
                let process = launch(&program, port, &folder).ok()?;
                Some((port, process))
            })
            .map(|(port, process)| Postgres {
                process,
                program,
                port,
                folder,
            })
            .or_else(|| panic!("`postgres` does not start"))
    }

    /// Returns the address for clients.
    pub fn url(&self) -> String {
        format!(
            "postgres://postgres@127.0.0.1:{}/postgres?sslmode=disable",
            self.port
        )
    }

    /// Returns the port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Gives a file or folder to the user that the server runs as.
    pub fn give(&self, path: &Path) {
        give(path);
    }

    /// Stops the server's work; it keeps its connections and answers nothing.
    pub fn pause(&self) {
        self.process.signal_all("STOP");
    }

    /// Lets a paused server work again.
    pub fn resume(&self) {
        self.process.signal_all("CONT");
    }

    /// Ends the server at once, as a crash does. Its data stays.
    pub fn kill(&mut self) {
        self.process.end("QUIT");
    }

    /// Ends the server at once, and starts it again with its data, on the same port.
    pub fn restart(&mut self) {
        self.kill();
        self.process = launch(&self.program, self.port, &self.folder)
            .unwrap_or_else(|error| panic!("`postgres` does not start again: {error}"));
    }
}

fn launch(program: &Path, port: u16, folder: &TempDir) -> Result<Process, String> {
    let mut command = as_owner(program, folder.path());
    command
        .args(["-p", &port.to_string(), "-h", "127.0.0.1", "-D"])
        .arg(folder.path().join("data"))
        .arg("-k")
        .arg(folder.path())
        .args(["-c", "fsync=off", "-c", "max_connections=200"]);
    // The server writes the last line of this file when it is ready.
    let state = folder.path().join("data/postmaster.pid");
    _ = fs::remove_file(&state);
    Process::start(command, || {
        fs::read_to_string(&state).is_ok_and(|state| {
            state
                .lines()
                .last()
                .is_some_and(|line| line.trim() == "ready")
        })
    })
}

/// PostgreSQL does not run as root, so root runs it as the user `postgres`.
fn as_owner(program: &Path, folder: &Path) -> Command {
    if !is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command
        .args(["--reuid=postgres", "--regid=postgres", "--clear-groups"])
        .arg(program)
        .current_dir(folder);
    command
}

/// Gives the file or folder to the user `postgres`, if this process is root.
fn give(path: &Path) {
    if is_root() {
        let number = |flag| {
            let found = Command::new("id").args([flag, "postgres"]).output();
            let found = found.expect("`id` starts").stdout;
            let text = String::from_utf8_lossy(&found);
            text.trim().parse().expect("a user `postgres`")
        };
        chown(path, Some(number("-u")), Some(number("-g"))).expect("root may give it");
    }
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0)
}

/// Debian keeps the programs of each version here, off the path.
fn folders() -> Vec<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    let folders = versions.flatten().map(|version| version.path().join("bin"));
    folders.collect()
}
