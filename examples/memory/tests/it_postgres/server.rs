//! A PostgreSQL server of the tests' own, which ends with their process.

use std::{
    env,
    fs::{self, File},
    io::{self, Write},
    os::unix::fs::{MetadataExt, chown},
    path::{Path, PathBuf},
    process::{self, Child, Command, Stdio},
    sync::atomic::{AtomicU32, Ordering},
    thread,
    time::{Duration, Instant},
};

use tempfile::TempDir;
use tokio::runtime::Builder;
use tokio_postgres::{NoTls, SimpleQueryMessage};

/// The longest time to wait for the server to start or to end.
const PATIENCE: Duration = Duration::from_secs(60);

/// Runs the server, and ends it when its own standard input ends: the tests' process may end in any way.
const GUARD: &str = r#""$@" & server=$!; read -r order; kill -QUIT "$server"; wait "$server"; [ "$order" = keep ] || rm -rf "$FOLDER""#;

/// A server with its data in a folder of its own.
pub(crate) struct Postgres {
    guard: Option<Child>,
    programs: PathBuf,
    folder: TempDir,
    port: u32,
}

impl Postgres {
    /// Starts a server; `None` where this computer has none.
    pub(crate) fn start() -> Option<Self> {
        let programs = programs()?;
        let folder = tempfile::tempdir().unwrap();
        if is_root() {
            // PostgreSQL does not run as root.
            let number = |flag| {
                let said = Command::new("id")
                    .args([flag, "postgres"])
                    .output()
                    .unwrap();
                String::from_utf8(said.stdout).unwrap().trim().parse().ok()
            };
            chown(folder.path(), number("-u"), number("-g")).unwrap();
        }
        let made = as_owner(&programs.join("initdb"))
            .args(["--no-sync", "--auth=trust", "--username=postgres"])
            .args(["--encoding=UTF8", "--locale=C", "--pgdata"])
            .arg(folder.path().join("data"))
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&made.stderr);
        assert!(made.status.success(), "{errors}");
        let mut server = Self {
            guard: None,
            programs,
            folder,
            port: port(),
        };
        while !server.runs() {
            server.kill();
            server.port = port();
        }
        Some(server)
    }

    /// Starts the server with the data that is there.
    pub(crate) fn run(&mut self) {
        assert!(self.runs(), "another program has the port");
    }

    /// Starts the server. Returns `false` if another program has the port.
    fn runs(&mut self) -> bool {
        let log = self.folder.path().join("log");
        let data = self.folder.path().join("data");
        let ready = data.join("postmaster.pid");
        let server = as_owner(&self.programs.join("postgres"));
        let guard = Command::new("sh")
            .args(["-c", GUARD, "sh"])
            .arg(server.get_program())
            .args(server.get_args())
            .args(["-p", &self.port.to_string(), "-h", "127.0.0.1", "-D"])
            .arg(&data)
            .arg("-k")
            .arg(self.folder.path())
            .args(["-c", "fsync=off", "-c", "max_connections=200"])
            .env("FOLDER", self.folder.path())
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(File::create(&log).unwrap())
            .spawn()
            .unwrap();
        self.guard = Some(guard);
        let is_ready = || {
            let state = fs::read_to_string(&ready).unwrap_or_default();
            state
                .lines()
                .last()
                .is_some_and(|line| line.trim() == "ready")
        };
        let has_no_port = || {
            let said = fs::read_to_string(&log).unwrap_or_default();
            said.contains("could not create any TCP/IP sockets")
        };
        wait_until("PostgreSQL starts", || is_ready() || has_no_port());
        is_ready()
    }

    /// Ends the server at once, as a crash does. Its data stays.
    pub(crate) fn kill(&mut self) {
        if let Some(mut guard) = self.guard.take() {
            let mut order = guard.stdin.take().unwrap();
            order.write_all(b"keep\n").unwrap();
            guard.wait().unwrap();
        }
        // What a crash leaves behind.
        _ = fs::remove_file(self.folder.path().join("data/postmaster.pid"));
    }

    /// The address of a database.
    pub(crate) fn url(&self, database: &str) -> PathBuf {
        format!("postgres://postgres@127.0.0.1:{}/{database}", self.port).into()
    }

    /// Runs statements, as somebody else does, and returns the first value as text.
    pub(crate) fn sql(&self, database: &str, sql: &str) -> Option<String> {
        self.try_sql(database, sql).unwrap()
    }

    /// As `sql`; an error is the server's.
    pub(crate) fn try_sql(
        &self,
        database: &str,
        sql: &str,
    ) -> Result<Option<String>, tokio_postgres::Error> {
        let url = self.url(database).to_str().unwrap().to_owned();
        let sql = sql.to_owned();
        let done = thread::spawn(move || {
            let runtime = Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let (client, connection) = tokio_postgres::connect(&url, NoTls).await.unwrap();
                tokio::spawn(connection);
                let answers = client.simple_query(&sql).await?;
                Ok(answers.into_iter().find_map(|answer| match answer {
                    SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
                    _ => None,
                }))
            })
        });
        done.join().unwrap()
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Returns a port that the system gives to nobody who asks for any, so that a server can have it again after its end.
fn port() -> u32 {
    static RETURNED: AtomicU32 = AtomicU32::new(0);
    let next = RETURNED.fetch_add(1, Ordering::Relaxed);
    10_000 + (process::id().wrapping_mul(101) + next) % 22_000
}

fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let until = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < until, "{what}: not within {PATIENCE:?}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// Says it on the process's own standard error, which the test program does not capture.
pub(crate) fn say(text: &str) {
    _ = writeln!(io::stderr(), "{text}");
}

/// The folder of the server's programs: on the path, or where Debian keeps those of each version.
fn programs() -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    let versions = versions.flatten().map(|version| version.path().join("bin"));
    env::split_paths(&path)
        .chain(versions)
        .find(|folder| folder.join("initdb").exists() && folder.join("postgres").exists())
}

fn as_owner(program: &Path) -> Command {
    if !is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command
        .args(["--reuid=postgres", "--regid=postgres", "--clear-groups"])
        .arg(program)
        .current_dir("/");
    command
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0)
}
