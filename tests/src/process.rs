//! A server program that a test starts, pauses, kills and starts again.

use std::{
    env, fs,
    io::Read,
    net::{Ipv4Addr, TcpListener},
    path::{Path, PathBuf},
    process::{self, Child, Command, Stdio},
    sync::atomic::{AtomicU32, Ordering},
    thread,
    time::{Duration, Instant},
};

/// The longest time to wait for a program to start or to end.
const PATIENCE: Duration = Duration::from_secs(30);

/// A running program. It is killed when this value is dropped.
#[derive(Debug)]
pub struct Process {
    child: Child,
    name: String,
}

impl Process {
    /// Starts a program, and waits until `is_ready`. Returns the end of its errors if it ended before.
    pub(crate) fn start(
        mut command: Command,
        is_ready: impl Fn() -> bool,
    ) -> Result<Process, String> {
        let name = command.get_program().to_string_lossy().into_owned();
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let mut child = command
            .spawn()
            .unwrap_or_else(|error| panic!("`{name}` does not start: {error}"));
        // A full pipe would stop the program.
        let mut errors = child.stderr.take().expect("it is piped");
        let errors = thread::spawn(move || {
            let mut text = Vec::new();
            _ = errors.read_to_end(&mut text);
            String::from_utf8_lossy(&text).into_owned()
        });
        let mut process = Process { child, name };
        let until = Instant::now() + PATIENCE;
        while !is_ready() {
            if process.child.try_wait().expect("it is our child").is_some() {
                return Err(errors.join().unwrap_or_default());
            }
            assert!(
                Instant::now() < until,
                "`{}` does not get ready",
                process.name
            );
            thread::sleep(Duration::from_millis(5));
        }
        Ok(process)
    }

    /// Returns the program's number.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal to the program, and then to its children: a paused program makes no further ones.
    pub(crate) fn signal_all(&self, name: &str) {
        let id = self.id();
        send(name, &[id.to_string()]);
        let children = fs::read_to_string(format!("/proc/{id}/task/{id}/children"));
        let children = children.unwrap_or_default();
        let children: Vec<String> = children.split_whitespace().map(str::to_owned).collect();
        if !children.is_empty() {
            send(name, &children);
        }
    }

    /// Sends a signal to the program, and waits until it has ended.
    pub(crate) fn end(&mut self, signal: &str) {
        if self.child.try_wait().is_ok_and(|ended| ended.is_none()) {
            // A paused program gets no signal but this.
            self.signal_all("CONT");
            send(signal, &[self.id().to_string()]);
            let until = Instant::now() + PATIENCE;
            while self.child.try_wait().is_ok_and(|ended| ended.is_none()) && Instant::now() < until
            {
                thread::sleep(Duration::from_millis(2));
            }
            _ = self.child.kill();
            _ = self.child.wait();
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end("KILL");
    }
}

fn send(signal: &str, numbers: &[String]) {
    // A child may have ended in the meantime.
    _ = Command::new("kill")
        .arg(format!("-{signal}"))
        .arg("--")
        .args(numbers)
        .stderr(Stdio::null())
        .status();
}

/// Puts an executable script at a path.
///
/// A child writes it. A file that this process has open for writing is also open in the children that other threads start
/// meanwhile, and no system starts a program that somebody writes.
pub fn put_script(path: &Path, script: &str) {
    let write = r#"printf %s "$1" >"$0" && chmod 755 "$0""#;
    let mut shell = Command::new("sh");
    let shell = shell.args(["-c", write]).arg(path).arg(script);
    assert!(shell.status().expect("there is a shell").success());
}

/// Returns a port of this computer that nobody listens on, for a program that listens on it again after it has ended.
///
/// The system gives the ports above 32767 to whoever asks for any port, and to connections. So this is a lower one, which this
/// process returns only once.
pub fn free_port() -> u16 {
    static RETURNED: AtomicU32 = AtomicU32::new(0);
    loop {
        let next = RETURNED.fetch_add(1, Ordering::Relaxed);
        // Processes that run at the same time begin at different ports.
        let port = 10_000 + (process::id().wrapping_mul(101) + next) % 22_000;
        let port = u16::try_from(port).expect("it is below 32768");
        if TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok() {
            return port;
        }
    }
}

/// Finds a program on the path or in one of the folders.
pub(crate) fn program(name: &str, folders: &[PathBuf]) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .chain(folders.iter().cloned())
        .map(|folder| folder.join(name))
        .find(|program| is_file(program))
}

fn is_file(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| found.is_file())
}
