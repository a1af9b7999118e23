//! Load over HTTP: many sessions at a time against the bare server and against the hooked one, in turns; then the hooked
//! server with and without a call that takes long; then its memory. A call that fails, or that gets the answer to another
//! one, ends the run with an error.
//!
//! Before that, `HOOKS_LOAD_OPEN` sessions (100,000) are opened and one in ten is used: their memory, and the time of a call.
//! Then `HOOKS_LOAD_IDLE` clients of 2025-11-25 (9,900) say hello and are silent: their memory in both servers.
//!
//! `HOOKS_LOAD_SECONDS` sets the length of each part (10), `HOOKS_LOAD_SESSIONS` the number of sessions (500), and
//! `HOOKS_LOAD_ROUNDS` the number of rounds (3). `HOOKS_LOAD_ROOMS` sets what the hooked server has: `sessions`,
//! `plugin` (a hook that does nothing), `none` of them, or `all` (the default). Each server is a process of its own.
//!
//! With `HOOKS_LOAD_BASE=json`, the bare server has no sessions and answers with JSON where rmcp can.
//! With `HOOKS_LOAD_SOAK` seconds, the hooked server is loaded so long after the rounds, and its memory in both halves of the time is printed.
//!
//! With `HOOKS_LOAD_PAUSE` milliseconds, each client waits so long between two calls of the turns, so that the processor has time to spare.

mod client;
mod turns;

use std::{
    env, fs,
    io::{self, BufRead, BufReader, Write},
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use axum::serve::ListenerExt;
use hooks_sdk::{
    Policy,
    core::Verdict,
    http,
    plugin::{PluginHook, ToolCall, point},
    server::Sessions,
    session::SessionState,
};
use rmcp::{
    ServerHandler,
    handler::server::wrapper::Parameters,
    schemars, tool, tool_handler, tool_router,
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
    },
};
use serde_json::json;
use tokio::{net::TcpListener, runtime::Runtime};

use client::Client;

/// How many clients open sessions at a time.
const OPENERS: u64 = 64;

/// The author's server.
#[derive(Clone)]
struct Desk;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Echo {
    text: String,
}

#[tool_router]
impl Desk {
    #[tool]
    async fn session_init(&self) -> String {
        "opened".to_owned()
    }

    #[tool]
    async fn echo(&self, Parameters(given): Parameters<Echo>) -> String {
        given.text
    }

    /// Takes ten seconds.
    #[tool]
    async fn slow(&self) -> String {
        tokio::time::sleep(Duration::from_secs(10)).await;
        "done".to_owned()
    }
}

#[tool_handler]
impl ServerHandler for Desk {}

#[derive(SessionState, Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    #[stage(start, next(session_init => Ready))]
    New,
    /// Work.
    #[stage(allow(any))]
    Ready,
}

/// Serves the author's server: bare, or hooked with these protocols.
async fn serve(kind: &str) -> io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    writeln!(io::stdout(), "{}", listener.local_addr()?.port())?;
    if kind != "bare" && kind != "json" {
        let (sessions, plugin) = match kind {
            "none" => (false, false),
            "sessions" => (true, false),
            "plugin" => (false, true),
            _ => (true, true),
        };
        let nothing = PluginHook::answering_any::<_, Verdict<ToolCall>>(
            "nothing",
            point::tool_pre_invoke,
            |_, _| Box::pin(async { Verdict::Allow }),
        );
        let registry = hooks_sdk::core::Registry::builder();
        let registry = match plugin {
            true => registry.add(nothing.into()),
            false => registry,
        };
        let registry = registry.build().map_err(io::Error::other)?;
        let mut collected = hooks_sdk::Collected::of(registry).map_err(io::Error::other)?;
        if sessions {
            collected = collected.sessions(Sessions::of::<Stage>());
        }
        if plugin {
            collected = collected.policy(Policy::new());
        }
        let hooked = collected.wrap(Desk).map_err(io::Error::other)?;
        let server = http::Server::new(hooked).max_requests(10_000);
        return server
            .serve_on(listener, std::future::pending::<()>())
            .await
            .map_err(io::Error::other);
    }
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(kind != "json")
        .with_json_response(kind == "json");
    let sessions = Arc::new(LocalSessionManager::default());
    let service = StreamableHttpService::new(|| Ok(Desk), sessions, config);
    let router = axum::Router::new().nest_service("/mcp", service);
    let listener = listener.tap_io(|stream| _ = stream.set_nodelay(true));
    axum::serve(listener, router).await
}

/// A server's process.
struct Server {
    child: Child,
    port: u16,
}

impl Server {
    fn start(kind: &str) -> io::Result<Server> {
        let mut child = Command::new(env::current_exe()?)
            .env("HOOKS_LOAD_SERVE", kind)
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        let output = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
        BufReader::new(output).read_line(&mut line)?;
        let port = line.trim().parse().map_err(io::Error::other)?;
        Ok(Server { child, port })
    }

    /// Returns the resident memory in KiB.
    fn resident(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()));
        let status = status.unwrap_or_default();
        let line = status.lines().find(|line| line.starts_with("VmRSS:"));
        let value = line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok());
        value.unwrap_or_default()
    }

    /// Returns the processor time that the process has used, in microseconds.
    fn processor(&self) -> f64 {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id()));
        let stat = stat.unwrap_or_default();
        let after_name = stat.rsplit(')').next().unwrap_or_default();
        // User and system time, in ticks of 10 ms.
        let times = after_name.split_whitespace().skip(11).take(2);
        times
            .filter_map(|ticks| ticks.parse::<f64>().ok())
            .sum::<f64>()
            * 10_000.0
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

/// Calls one server all the time. Returns the number of calls, and the resident memory in both halves of the time, in KiB.
async fn load(server: &Server, seconds: u64) -> io::Result<(u64, [u64; 2])> {
    let stop = Arc::new(AtomicBool::new(false));
    let mut running = Vec::new();
    for at in 0..setting("HOOKS_LOAD_SESSIONS", 500) {
        let mut client = Client::open(server.port, at).await?;
        let stop = stop.clone();
        running.push(tokio::spawn(async move {
            let mut calls = 0;
            while !stop.load(Ordering::Relaxed) {
                client.echo().await?;
                calls += 1;
            }
            io::Result::Ok(calls)
        }));
    }
    let half = seconds * 5;
    let mut resident = [0, 0];
    for half_of_it in &mut resident {
        for _ in 0..half {
            tokio::time::sleep(Duration::from_millis(100)).await;
            *half_of_it += server.resident() / half;
        }
    }
    stop.store(true, Ordering::Relaxed);
    let mut calls = 0;
    for client in running {
        calls += client.await.map_err(io::Error::other)??;
    }
    Ok((calls, resident))
}

/// Opens many sessions, and calls a guarded tool in each of them once.
async fn open(server: &Server, sessions: u64) -> io::Result<()> {
    let empty = server.resident();
    let began = Instant::now();
    let opening = (0..OPENERS).map(|at| {
        let port = server.port;
        tokio::spawn(async move {
            let mut client = Client::open(port, 1).await?;
            let mut handles = Vec::new();
            for _ in 0..sessions / OPENERS + u64::from(at < sessions % OPENERS) {
                client.handle = None;
                let opened = client.call("session_init", json!({})).await?;
                let handle = opened["result"]["_meta"]["hooks-sdk/session"].as_str();
                handles.push(handle.map(str::to_owned));
            }
            io::Result::Ok(handles)
        })
    });
    let mut all = Vec::new();
    for opened in opening.collect::<Vec<_>>() {
        all.extend(opened.await.map_err(io::Error::other)??);
    }
    let (opened, full) = (began.elapsed(), server.resident());
    let mut times = Vec::new();
    let mut client = Client::open(server.port, 1).await?;
    for handle in all.into_iter().step_by(10) {
        client.handle = handle;
        let sent = Instant::now();
        client.echo().await?;
        times.push(sent.elapsed());
    }
    times.sort_unstable();
    let at = |share: usize| times.get(times.len() * share / 100).copied();
    writeln!(
        io::stdout(),
        "{sessions} sessions opened in {opened:.1?}, {} bytes each; a call in one: p50 {:?}  p99 {:?}",
        full.saturating_sub(empty) * 1024 / sessions.max(1),
        at(50).unwrap_or_default(),
        at(99).unwrap_or_default(),
    )
}

/// Opens many sessions of MCP that do nothing. Returns the bytes of memory that each keeps.
async fn idle(server: &Server, sessions: u64) -> io::Result<u64> {
    let mut clients = Vec::new();
    for _ in 0..OPENERS {
        clients.push(Client::open(server.port, 0).await?);
    }
    let empty = server.resident();
    let opening = clients.into_iter().map(|mut client| {
        tokio::spawn(async move {
            for _ in 0..sessions / OPENERS {
                client.initialize().await?;
            }
            io::Result::Ok(client)
        })
    });
    let mut kept = Vec::new();
    for opened in opening.collect::<Vec<_>>() {
        kept.push(opened.await.map_err(io::Error::other)??);
    }
    Ok(server.resident().saturating_sub(empty) * 1024 / sessions.max(1))
}

fn setting(name: &str, default: u64) -> u64 {
    let given = env::var(name).ok();
    given
        .and_then(|given| given.parse().ok())
        .unwrap_or(default)
}

fn main() -> io::Result<()> {
    let runtime = Runtime::new()?;
    if let Ok(kind) = env::var("HOOKS_LOAD_SERVE") {
        return runtime.block_on(serve(&kind));
    }
    // `cargo test` builds and starts benches to see that they work.
    if env::args().any(|argument| argument == "--test") {
        return Ok(());
    }
    let mut out = io::stdout();
    let sessions = setting("HOOKS_LOAD_OPEN", 100_000);
    runtime.block_on(open(&Server::start("all")?, sessions))?;
    let rooms = env::var("HOOKS_LOAD_ROOMS").unwrap_or_else(|_| "all".to_owned());
    let base = env::var("HOOKS_LOAD_BASE").unwrap_or_else(|_| "bare".to_owned());
    let sessions = setting("HOOKS_LOAD_IDLE", 9_900);
    for kind in ["bare", &rooms] {
        let bytes = runtime.block_on(idle(&Server::start(kind)?, sessions))?;
        writeln!(
            out,
            "{sessions} idle sessions of {kind}: {bytes} bytes each"
        )?;
    }
    for round in 0..setting("HOOKS_LOAD_ROUNDS", 3) {
        let servers = [Server::start(&base)?, Server::start(&rooms)?];
        let [bare, hooked] = runtime.block_on(turns::run(&servers, None))?;
        drop(servers);
        writeln!(
            out,
            "{round} {base} {:.0} calls/s, {rooms} {:.0} calls/s, ratio {:.3}; processor for a call {:.1} µs, {:.1} µs, ratio {:.3}",
            bare.calls_a_second,
            hooked.calls_a_second,
            hooked.calls_a_second / bare.calls_a_second,
            bare.processor,
            hooked.processor,
            hooked.processor / bare.processor,
        )?;
        let servers = [Server::start(&rooms)?, Server::start(&rooms)?];
        let [without, with] = runtime.block_on(turns::run(&servers, Some(1)))?;
        drop(servers);
        let p99 = |found: &turns::Found| found.within(0.99);
        writeln!(
            out,
            "{round} beside a call of 10 s: p99 {:.1?}, without it {:.1?}, ratio {:.3}",
            p99(&with),
            p99(&without),
            p99(&with).as_secs_f64() / p99(&without).as_secs_f64(),
        )?;
        soak(&runtime, &rooms, setting("HOOKS_LOAD_SECONDS", 10))?;
    }
    match setting("HOOKS_LOAD_SOAK", 0) {
        0 => Ok(()),
        seconds => soak(&runtime, &rooms, seconds),
    }
}

/// Loads the hooked server for this time, and prints its memory.
fn soak(runtime: &Runtime, rooms: &str, seconds: u64) -> io::Result<()> {
    let (calls, [first, second]) = runtime.block_on(load(&Server::start(rooms)?, seconds))?;
    writeln!(
        io::stdout(),
        "{calls} calls in {seconds} s; resident in the first half {first} KiB, in the second {second} KiB, ratio {:.3}",
        second as f64 / first as f64,
    )
}
