//! A tool call with ten plugin hooks while nobody listens: what spans cost those who do not want them.
//!
//! The other side of the comparison is a build in which `tracing` compiles its spans and events away, and that is another
//! program. So compare the two programs: build both, and run the same number of calls in each.
//!
//! ```sh
//! cargo bench -p hooks-sdk --features policy-engine --bench observe --no-run
//! cargo bench -p hooks-sdk --features policy-engine,tracing/max_level_off --bench observe --no-run --target-dir target/off
//! HOOKS_CALLS=10000 perf stat -e instructions:u target/release/deps/observe-*[0-9a-f]
//! HOOKS_CALLS=10000 perf stat -e instructions:u target/off/release/deps/observe-*[0-9a-f]
//! ```
//!
//! Where `perf` counts no instructions, `valgrind --tool=callgrind` does. Compare the differences between two counts of
//! calls, so that the start of the program is in neither.

use std::{convert::Infallible, env, time::Instant};

use criterion::{Criterion, criterion_group};
use hooks_sdk::{
    Collected, WireTransport,
    core::{Registry, Verdict},
    plugin::{PluginHook, point},
};
use rmcp::{
    RoleClient, ServerHandler, ServiceExt, model::CallToolRequestParams, service::RunningService,
    tool, tool_handler, tool_router,
};
use tokio::runtime::Runtime;

struct Server;

#[tool_router]
impl Server {
    #[tool(description = "Says hello")]
    async fn hello(&self) -> String {
        "hello".to_owned()
    }
}

#[tool_handler]
impl ServerHandler for Server {}

type Client = RunningService<RoleClient, ()>;

async fn client() -> Client {
    let mut registry = Registry::builder();
    for at in 0..10 {
        let id = format!("hook_{at}");
        let hook = PluginHook::answering_any::<_, Verdict<Infallible>>(
            id,
            point::tool_pre_invoke,
            |_, _| Box::pin(async { Verdict::Allow }),
        );
        registry = registry.add(hook.into());
    }
    let server = Collected::of(registry.build().expect("well-formed hooks"))
        .expect("sound hooks")
        .wrap(Server)
        .expect("fitting hooks");
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    tokio::spawn(async move {
        let (read, write) = tokio::io::split(theirs);
        let running = server.serve(WireTransport::new(read, write)).await;
        running
            .expect("a handshake")
            .waiting()
            .await
            .expect("a clean end");
    });
    ().serve(ours).await.expect("a handshake")
}

async fn call(client: &Client) {
    let call = CallToolRequestParams::new("hello");
    client.call_tool(call).await.expect("an answer");
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime")
}

fn nobody_listens(criterion: &mut Criterion) {
    let runtime = runtime();
    let client = runtime.block_on(client());
    criterion.bench_function("tools/call, ten plugin hooks, nobody listens", |bench| {
        bench.iter(|| runtime.block_on(call(&client)));
    });
}

criterion_group!(benches, nobody_listens);

fn main() {
    let calls = env::var("HOOKS_CALLS").ok();
    let Some(calls) = calls.and_then(|calls| calls.parse().ok()) else {
        benches();
        return Criterion::default().configure_from_args().final_summary();
    };
    let runtime = runtime();
    runtime.block_on(async {
        let client = client().await;
        let began = Instant::now();
        for _ in 0..calls {
            call(&client).await;
        }
        eprintln!("{calls} calls in {:?}", began.elapsed());
    });
    // Without the end of the connection, which is no part of a call.
    std::process::exit(0);
}
