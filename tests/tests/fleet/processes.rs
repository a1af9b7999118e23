//! Real processes: three times `memory-server`, a proxy before them, and a Redis server behind them.

use std::{
    env, fs, io,
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use axum_reverse_proxy::BalancedProxy;
use hooks_tests::{process::free_port, redis::Redis};
use tokio::{
    net::{TcpListener, TcpStream},
    time::sleep,
};

use crate::{
    chance::Chance,
    client::{Connect, Generation},
    scenario::{Tally, run},
    setting,
};

/// How many clients of each generation there are.
const CLIENTS: usize = 4;

/// The longest time until a replica answers.
const START: Duration = Duration::from_secs(30);

/// The way to a server on this computer.
#[derive(Clone)]
pub(crate) struct Port(pub(crate) u16);

impl Connect for Port {
    type Io = TcpStream;

    async fn connect(&self) -> io::Result<TcpStream> {
        TcpStream::connect((Ipv4Addr::LOCALHOST, self.0)).await
    }
}

/// A process of `memory-server`.
pub(crate) struct Replica {
    pub(crate) port: u16,
    store: String,
    folder: PathBuf,
    options: Vec<String>,
    child: Child,
}

impl Replica {
    /// Starts a process that keeps its memories in `folder`, with further options of `serve`.
    pub(crate) fn start(port: u16, store: String, folder: &Path, options: &[&str]) -> Replica {
        let options: Vec<String> = options.iter().map(|&option| option.to_owned()).collect();
        let child = launch(port, &store, folder, &options);
        let folder = folder.to_owned();
        Replica {
            port,
            store,
            folder,
            options,
            child,
        }
    }

    /// Kills the process, and starts another one on its port.
    async fn replace(&mut self, pause: Duration) {
        self.kill();
        sleep(pause).await;
        self.child = launch(self.port, &self.store, &self.folder, &self.options);
        self.answers().await;
    }

    pub(crate) async fn answers(&self) {
        let until = Instant::now() + START;
        while Port(self.port).connect().await.is_err() {
            assert!(Instant::now() < until, "a replica does not answer");
            sleep(Duration::from_millis(20)).await;
        }
    }

    fn kill(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

impl Drop for Replica {
    fn drop(&mut self) {
        self.kill();
    }
}

fn launch(port: u16, store: &str, folder: &Path, options: &[String]) -> Child {
    let mut command = Command::new(program("memory-server"));
    // The clocks of replicas are some minutes apart.
    if let Some(library) = faketime() {
        let minutes = i32::from(!port.is_multiple_of(3)) * 9 - 5;
        command
            .env("LD_PRELOAD", library)
            .env("FAKETIME", format!("{minutes:+}m"))
            .env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
    }
    command
        .arg("--database")
        .arg(folder.join("memories.db"))
        .args(["serve", "--http", &format!("127.0.0.1:{port}")])
        .args(["--store", store, "--confirm", "--agent-hooks"])
        .args(["--principal-header", "x-user"])
        .args(options)
        .env(
            "RUST_LOG",
            env::var("HOOKS_FLEET_LOG").unwrap_or("error".to_owned()),
        )
        .env_remove("CLAUDE_CODE_SESSION_ID")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .expect("`memory-server` starts")
}

/// The library that changes a process's clock, if this computer has it.
fn faketime() -> Option<PathBuf> {
    let folders = fs::read_dir("/usr/lib").ok()?.flatten();
    let mut libraries = folders.map(|folder| folder.path().join("faketime/libfaketime.so.1"));
    libraries.find(|library| library.exists())
}

/// A program that `cargo test --workspace` builds beside the tests.
pub(crate) fn program(name: &str) -> PathBuf {
    let test = env::current_exe().expect("this test has a path");
    let folder = test.parent().and_then(Path::parent);
    let program = folder.expect("a folder of the build").join(name);
    assert!(
        program.exists(),
        "build `{name}`: cargo build -p memory-server -p guardian-server --all-features"
    );
    program
}

/// Starts a plain round-robin proxy.
async fn proxy(ports: &[u16]) -> SocketAddr {
    let targets = ports.iter().map(|port| format!("http://127.0.0.1:{port}"));
    let proxy = BalancedProxy::new("/".to_owned(), targets.collect());
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
        .await
        .expect("a port");
    let address = listener.local_addr().expect("it is bound");
    let router: axum::Router = proxy.into();
    tokio::spawn(async move { axum::serve(listener, router).await });
    address
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_lost_while_replicas_and_the_store_are_killed() {
    // What the store has accepted is on its disk before it says so.
    let durable = ["--appendonly", "yes", "--appendfsync", "always"];
    let Some(mut redis) = Redis::start_with(&durable) else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let start = |_| Replica::start(free_port(), redis.url(), folder.path(), &[]);
    let mut replicas: Vec<Replica> = (0..3).map(start).collect();
    for replica in &replicas {
        replica.answers().await;
    }
    let ports: Vec<u16> = replicas.iter().map(|replica| replica.port).collect();
    let proxy = proxy(&ports).await;

    let tally = Arc::new(Tally::default());
    let mut clients = Vec::new();
    for at in 0..2 * CLIENTS {
        let generation = [Generation::Legacy, Generation::Stateless][at % 2];
        let tally = tally.clone();
        let connect = Port(proxy.port());
        clients.push(tokio::spawn(async move {
            run(connect, generation, format!("user{at}"), &tally).await;
        }));
    }

    let mut chance = Chance::new(7);
    let seconds = setting("HOOKS_FLEET_SECONDS", 10);
    let began = Instant::now();
    let mut restarted = false;
    while began.elapsed() < Duration::from_secs(seconds) {
        sleep(Duration::from_millis(2000 + chance.below(2000))).await;
        if !restarted && began.elapsed() > Duration::from_secs(seconds / 2) {
            tokio::task::block_in_place(|| redis.restart());
            restarted = true;
            continue;
        }
        let replica = chance.below(3) as usize;
        let pause = Duration::from_millis(chance.below(1000));
        replicas[replica].replace(pause).await;
    }
    tally.stop.store(true, Ordering::Relaxed);
    for client in clients {
        client.await.expect("a client that ends");
    }
    eprintln!("{tally:?}");
    tally.check();
    tally.is_enough();
}
