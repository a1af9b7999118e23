//! A real Redis server for one test.

use std::{ffi::OsString, fs, process::Command};

use tempfile::TempDir;

use crate::process::{self, Process};

/// A Redis server on a port of its own, which writes nothing to disk. It is killed when this value is dropped.
#[derive(Debug)]
pub struct Redis {
    process: Process,
    port: u16,
    settings: Vec<OsString>,
    folder: TempDir,
}

impl Redis {
    /// Starts a server. Returns `None` if this computer has no `redis-server`, and says so on standard error.
    pub fn start() -> Option<Redis> {
        Redis::start_with(&[])
    }

    /// Starts a server with further settings, such as `["--maxmemory", "3mb"]`.
    pub fn start_with(settings: &[&str]) -> Option<Redis> {
        if process::program("redis-server", &[]).is_none() {
            crate::skipped("`redis-server` is not on the PATH (apt-get install redis-server)");
            return None;
        }
        let folder = tempfile::tempdir().expect("a temporary folder");
        let settings: Vec<OsString> = settings.iter().map(OsString::from).collect();
        // Another program may take the port before the server does.
        (0..5)
            .find_map(|_| {
                let port = process::free_port();
                let process = launch(port, &settings, &folder).ok()?;
                Some((port, process))
            })
            .map(|(port, process)| Redis {
                process,
                port,
                settings,
                folder,
            })
            .or_else(|| panic!("`redis-server` does not start"))
    }

    /// Returns the address for clients.
    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// Returns the port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Stops the server's work; it keeps its connections and answers nothing.
    pub fn pause(&self) {
        self.process.signal_all("STOP");
    }

    /// Lets a paused server work again.
    pub fn resume(&self) {
        self.process.signal_all("CONT");
    }

    /// Kills the server. Its data is lost.
    pub fn kill(&mut self) {
        self.process.end("KILL");
    }

    /// Kills the server, and starts an empty one on the same port.
    pub fn restart(&mut self) {
        self.kill();
        self.process = launch(self.port, &self.settings, &self.folder)
            .unwrap_or_else(|error| panic!("`redis-server` does not start again: {error}"));
    }
}

fn launch(port: u16, settings: &[OsString], folder: &TempDir) -> Result<Process, String> {
    let log = folder.path().join("redis.log");
    _ = fs::remove_file(&log);
    let mut command = Command::new("redis-server");
    command
        .args(["--port", &port.to_string(), "--bind", "127.0.0.1"])
        .args(["--save", "", "--appendonly", "no"])
        .arg("--dir")
        .arg(folder.path())
        .arg("--logfile")
        .arg(&log)
        .args(settings);
    let said = || fs::read_to_string(&log).unwrap_or_default();
    // Another server may listen on the port, so that an answer from there shows nothing.
    let is_ready = || said().contains("Ready to accept connections");
    Process::start(command, is_ready).map_err(|errors| errors + &said())
}
