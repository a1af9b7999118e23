//! A tools/call round trip over a duplex pipe: bare rmcp and a hooked server in one run, shim on.

use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use hooks_sdk::{
    Collected, Hooked, WireTransport,
    core::Registry,
    guidance::{self, HookInput, HookType, Lifecycle, RequirementLevel},
    lifecycle::{LifecycleHook, Matcher, point, priority},
    server::Guidance,
};
use rmcp::{
    RoleClient, ServerHandler, ServiceExt,
    handler::server::router::tool::ToolRouter,
    model::{CallToolRequestParams, RequestMetaObject},
    service::RunningService,
    tool, tool_handler, tool_router,
};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

struct Server {
    tool_router: ToolRouter<Server>,
}

#[tool_router]
impl Server {
    fn new() -> Server {
        Server {
            tool_router: Server::tool_router(),
        }
    }

    #[tool(description = "Says hello")]
    async fn hello(&self) -> String {
        "hello".to_owned()
    }
}

#[tool_handler(router = self.tool_router)]
impl ServerHandler for Server {}

type Client = RunningService<RoleClient, ()>;

async fn bare() -> Client {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    tokio::spawn(async move {
        let running = Server::new().serve(theirs).await.expect("a handshake");
        running.waiting().await.expect("a clean end");
    });
    ().serve(ours).await.expect("a handshake")
}

async fn hooked(hooks: usize) -> Client {
    let mut registry = Registry::builder();
    for at in 0..hooks {
        let text = LifecycleHook::text(
            format!("text_{at}"),
            point::post_tool_use,
            priority::suggestion,
            "Store it.",
        )
        .matcher(Matcher::new().tool_name("Bash"));
        registry = registry.add(text.into());
    }
    let registry = registry.build().expect("well-formed hooks");
    let server = Collected::of(registry)
        .expect("sound hooks")
        .wrap(Server::new())
        .expect("fitting hooks");
    serve(server).await
}

async fn serve(server: Hooked<Server>) -> Client {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    tokio::spawn(async move {
        let (read, write) = tokio::io::split(theirs);
        let running = server
            .serve(WireTransport::new(read, write))
            .await
            .expect("a handshake");
        running.waiting().await.expect("a clean end");
    });
    ().serve(ours).await.expect("a handshake")
}

/// A server whose guidance has one text at this moment, and this many sessions of other agents with a hook each.
async fn guided(hook_type: HookType, lifecycle: Lifecycle, sessions: usize) -> Client {
    let level = RequirementLevel::Should;
    let hook = HookInput::new(hook_type, lifecycle, "text", "Text", level).text("Store it.");
    let registry = Registry::builder().add(guidance::GuidanceHook::new(hook).into());
    let server = Collected::of(registry.build().expect("a well-formed hook"))
        .expect("a sound hook")
        .guidance(Guidance::new().register_tool())
        .wrap(Server::new())
        .expect("fitting hooks");
    let client = serve(server).await;
    for at in 0..sessions {
        let hook = json!({
            "tag": "own", "type": "session", "lifecycle": "running", "name": "Own",
            "requirementLevel": "MAY", "content": "Own.",
        });
        let mut call = CallToolRequestParams::new("hooks_register");
        call.arguments = hook.as_object().cloned();
        let mut meta = RequestMetaObject::new();
        let session = Value::String(format!("session {at}"));
        meta.0.insert("sessionId".to_owned(), session);
        call.meta = Some(meta);
        client.call_tool(call).await.expect("an answer");
    }
    client
}

async fn call(client: &Client) {
    client
        .call_tool(CallToolRequestParams::new("hello"))
        .await
        .expect("an answer");
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime")
}

/// The time of one call, over `calls` of them.
fn batch(runtime: &Runtime, client: &Client, calls: u32) -> Duration {
    runtime.block_on(async {
        let start = Instant::now();
        for _ in 0..calls {
            call(client).await;
        }
        start.elapsed() / calls
    })
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// Medians of interleaved batches, so that whatever else the machine does falls on both alike.
fn ratio(_: &mut Criterion) {
    let runtime = runtime();
    let bare = runtime.block_on(bare());
    for hooks in [0, 10] {
        let ours = runtime.block_on(hooked(hooks));
        compare(&runtime, &bare, &ours, &format!("{hooks} text hooks"));
    }
    for (name, hook_type, sessions) in [
        ("guidance, nothing fires", HookType::Session, 0),
        ("guidance, one text fires", HookType::Action, 0),
        (
            "guidance, nothing fires, 1,000 sessions with a hook",
            HookType::Session,
            1_000,
        ),
    ] {
        let ours = runtime.block_on(guided(hook_type, Lifecycle::End, sessions));
        compare(&runtime, &bare, &ours, name);
    }
}

fn compare(runtime: &Runtime, bare: &Client, ours: &Client, name: &str) {
    let mut times = (Vec::new(), Vec::new());
    for round in 0..220 {
        let peer = batch(runtime, bare, 100);
        let own = batch(runtime, ours, 100);
        if round >= 20 {
            times.0.push(peer);
            times.1.push(own);
        }
    }
    let (peer, own) = (median(times.0), median(times.1));
    eprintln!(
        "tools/call, {name}: bare rmcp {peer:?}, hooked {own:?}, ratio {:.3}",
        own.as_secs_f64() / peer.as_secs_f64()
    );
}

fn calls(criterion: &mut Criterion) {
    let runtime = runtime();
    let clients =
        runtime.block_on(async { [("bare rmcp", bare().await), ("hooked", hooked(0).await)] });
    let mut group = criterion.benchmark_group("tools/call");
    for (name, client) in &clients {
        group.bench_function(*name, |bench| bench.iter(|| runtime.block_on(call(client))));
    }
}

criterion_group!(benches, ratio, calls);
criterion_main!(benches);
