//! Round trips over a duplex pipe: bare rmcp and a hooked server in one run, shim on.

use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use hooks_sdk::{
    Collected, Hooked, WireTransport,
    core::Registry,
    guidance::{self, HookInput, HookType, Lifecycle, RequirementLevel},
    lifecycle::{LifecycleHook, Matcher, point, strength},
    server::{Guidance, Sessions},
    session::Machine,
};
use rmcp::{
    ErrorData, RoleClient, RoleServer, ServerHandler, ServiceExt,
    handler::server::router::tool::ToolRouter,
    model::{CallToolRequestParams, ClientRequest, CustomRequest, CustomResult, RequestMetaObject},
    service::{RequestContext, RunningService},
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
impl ServerHandler for Server {
    async fn on_custom_request(
        &self,
        _: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Ok(CustomResult::new(json!({ "said": "hello" })))
    }
}

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
            strength::suggestion,
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

/// A server with a session that is open, a guidance text that does not fire, and ten text hooks.
async fn with_everything() -> Client {
    let level = RequirementLevel::Should;
    let hook = HookInput::new(HookType::Session, Lifecycle::End, "text", "Text", level);
    let hook = guidance::GuidanceHook::new(hook.text("Store it."));
    let mut registry = Registry::builder().add(hook.into());
    for at in 0..10 {
        let text = LifecycleHook::text(
            format!("text_{at}"),
            point::post_tool_use,
            strength::suggestion,
            "Store it.",
        )
        .matcher(Matcher::new().tool_name("Bash"));
        registry = registry.add(text.into());
    }
    let machine = Machine::standard().build().expect("a sound machine");
    let server = Collected::of(registry.build().expect("well-formed hooks"))
        .expect("sound hooks")
        .sessions(Sessions::on(machine))
        .wrap(Server::new())
        .expect("fitting hooks");
    let client = serve(server).await;
    let open = CallToolRequestParams::new("session_init");
    client.call_tool(open).await.expect("an open session");
    client
}

/// What is asked in a round trip.
#[derive(Clone)]
enum Ask {
    Tool(CallToolRequestParams),
    Custom(CustomRequest),
}

impl Ask {
    fn tool() -> Ask {
        Ask::Tool(CallToolRequestParams::new("hello"))
    }

    /// A call whose arguments are about this long: many small values and one text, half and half.
    fn tool_with(bytes: usize) -> Ask {
        let items: Vec<Value> = (0..bytes / 100)
            .map(|at| json!({ "at": at, "name": "a name", "is": true, "of": 0.5 }))
            .collect();
        let arguments = json!({ "items": items, "text": "A line of a text.\n".repeat(bytes / 36) });
        let mut call = CallToolRequestParams::new("hello");
        call.arguments = arguments.as_object().cloned();
        Ask::Tool(call)
    }

    fn custom() -> Ask {
        let params = json!({ "name": "hello", "at": 1 });
        Ask::Custom(CustomRequest::new("acme/hello", Some(params)))
    }

    async fn of(self, client: &Client) {
        match self {
            Ask::Tool(call) => drop(client.call_tool(call).await.expect("an answer")),
            Ask::Custom(request) => {
                let request = ClientRequest::CustomRequest(request);
                client.send_request(request).await.expect("an answer");
            }
        }
    }
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime")
}

/// The time of one round trip, over `count` of them.
fn batch(runtime: &Runtime, client: &Client, ask: &Ask, count: u32) -> Duration {
    runtime.block_on(async {
        let asks = vec![ask.clone(); count as usize];
        let start = Instant::now();
        for ask in asks {
            ask.of(client).await;
        }
        start.elapsed() / count
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
        let name = format!("tools/call, {hooks} text hooks");
        compare(&runtime, &bare, &ours, &Ask::tool(), &name);
    }
    let ours = runtime.block_on(hooked(0));
    for (ask, name) in [
        (Ask::tool_with(10_000), "tools/call, 10 kB of arguments"),
        (Ask::tool_with(200_000), "tools/call, 200 kB of arguments"),
        (Ask::custom(), "custom request"),
    ] {
        compare(&runtime, &bare, &ours, &ask, name);
    }
    for (name, hook_type, sessions) in [
        ("tools/call, guidance, nothing fires", HookType::Session, 0),
        ("tools/call, guidance, one text fires", HookType::Action, 0),
        (
            "tools/call, guidance, nothing fires, 1,000 sessions with a hook",
            HookType::Session,
            1_000,
        ),
    ] {
        let ours = runtime.block_on(guided(hook_type, Lifecycle::End, sessions));
        compare(&runtime, &bare, &ours, &Ask::tool(), name);
    }
}

fn sessions(_: &mut Criterion) {
    let runtime = runtime();
    let bare = runtime.block_on(bare());
    let ours = runtime.block_on(with_everything());
    let name = "tools/call, session, guidance and ten hooks";
    compare(&runtime, &bare, &ours, &Ask::tool(), name);
}

/// Ten plugin hooks: functions before the tool, functions before and after it, or rules without a body.
#[cfg(feature = "plugin")]
fn plugins(_: &mut Criterion) {
    use hooks_sdk::{
        core::{Verdict, condition::Condition},
        plugin::{PluginHook, PluginPoint, point},
    };

    fn hook<P: PluginPoint>(at: usize, point: P) -> PluginHook {
        let id = format!("hook_{at}");
        PluginHook::answering_any::<P, Verdict<std::convert::Infallible>>(id, point, |_, _| {
            Box::pin(async { Verdict::Allow })
        })
    }
    let before = |at| hook(at, point::tool_pre_invoke);
    let around = |at| match at % 2 {
        0 => hook(at, point::tool_pre_invoke),
        _ => hook(at, point::tool_post_invoke),
    };
    let rule = |at| {
        let condition = Condition::parse("args.path = \"/etc/**\"").expect("a condition");
        PluginHook::deny(format!("rule_{at}"), point::tool_pre_invoke, "no").when(condition)
    };
    let kinds: [(&str, &dyn Fn(usize) -> PluginHook); 3] = [
        ("ten plugin hooks before the tool", &before),
        (
            "five plugin hooks before the tool and five after it",
            &around,
        ),
        ("ten rules without a body", &rule),
    ];
    let runtime = runtime();
    let bare = runtime.block_on(bare());
    for (name, hook) in kinds {
        let mut registry = Registry::builder();
        for at in 0..10 {
            registry = registry.add(hook(at).into());
        }
        let server = Collected::of(registry.build().expect("well-formed hooks"))
            .expect("sound hooks")
            .wrap(Server::new())
            .expect("fitting hooks");
        let ours = runtime.block_on(serve(server));
        let name = format!("tools/call, {name}");
        compare(&runtime, &bare, &ours, &Ask::tool(), &name);
    }
}

#[cfg(not(feature = "plugin"))]
fn plugins(_: &mut Criterion) {
    eprintln!("plugin hooks: run with `--features plugin`");
}

fn compare(runtime: &Runtime, bare: &Client, ours: &Client, ask: &Ask, name: &str) {
    let once = batch(runtime, bare, ask, 10);
    let count = (Duration::from_millis(2).as_nanos() / once.as_nanos()).clamp(2, 100);
    let count = u32::try_from(count).expect("at most 100");
    let mut times = (Vec::new(), Vec::new());
    for round in 0..220 {
        let peer = batch(runtime, bare, ask, count);
        let own = batch(runtime, ours, ask, count);
        if round >= 20 {
            times.0.push(peer);
            times.1.push(own);
        }
    }
    let (peer, own) = (median(times.0), median(times.1));
    eprintln!(
        "{name}: bare rmcp {peer:?}, hooked {own:?}, ratio {:.3}",
        own.as_secs_f64() / peer.as_secs_f64()
    );
}

fn calls(criterion: &mut Criterion) {
    let runtime = runtime();
    let clients =
        runtime.block_on(async { [("bare rmcp", bare().await), ("hooked", hooked(0).await)] });
    let mut group = criterion.benchmark_group("tools/call");
    for (name, client) in &clients {
        group.bench_function(*name, |bench| {
            bench.iter(|| runtime.block_on(Ask::tool().of(client)))
        });
    }
}

criterion_group!(benches, ratio, sessions, plugins, calls);
criterion_main!(benches);
