//! A `context/beforeInference` round trip over a duplex pipe: a bare rmcp custom request and ours in one run.

use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use hooks_sdk::{
    Collected, WireTransport,
    core::Registry,
    mcpl::{
        BeforeInference, Context, Definition, FeatureSet, Injection, McplHook, Position, point,
    },
};
use rmcp::{
    ErrorData, RoleClient, RoleServer, ServerHandler, ServiceExt,
    model::{
        ClientCapabilities, ClientConfig, ClientNotification, ClientRequest, CustomNotification,
        CustomRequest, CustomResult, Implementation, ServerResult,
    },
    service::{RequestContext, RunningService},
};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

struct Retrieval;

impl FeatureSet for Retrieval {
    const DEFINITION: Definition = Definition::new("memory.retrieval", "Retrieve memories");
}

struct Server;

impl ServerHandler for Server {}

/// Answers the same with nothing of ours.
struct Bare;

impl ServerHandler for Bare {
    async fn on_custom_request(
        &self,
        _request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Ok(CustomResult::new(json!({
            "featureSet": "memory.retrieval",
            "contextInjections": [{
                "namespace": "memory",
                "position": "system",
                "content": "<memories>\nShe prefers tea.\n</memories>",
            }],
        })))
    }
}

type Client = RunningService<RoleClient, ClientConfig>;

fn client() -> ClientConfig {
    let mcpl = json!({ "version": "0.4" });
    let mut capabilities = ClientCapabilities::default();
    if let Value::Object(mcpl) = mcpl {
        capabilities.experimental = Some([("mcpl".to_owned(), mcpl)].into());
    }
    ClientConfig::new(capabilities, Implementation::new("bench", "0"))
}

async fn bare() -> Client {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    tokio::spawn(async move {
        let running = Bare.serve(theirs).await.expect("a handshake");
        running.waiting().await.expect("a clean end");
    });
    client().serve(ours).await.expect("a handshake")
}

async fn hooked() -> Client {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let recall = McplHook::answering::<Retrieval, _, _, _>(
        "recall",
        point::before_inference,
        |_server: &Server, _turn: &BeforeInference, _cx: &Context| {
            Box::pin(async {
                let text = "<memories>\nShe prefers tea.\n</memories>";
                Injection::new("memory", Position::System, text)
            })
        },
    );
    let registry = Registry::builder().add(recall.into()).build();
    let server = Collected::of(registry.expect("well-formed hooks"))
        .expect("sound hooks")
        .wrap(Server)
        .expect("fitting hooks");
    tokio::spawn(async move {
        let (read, write) = tokio::io::split(theirs);
        let transport = WireTransport::new(read, write);
        let running = server.serve(transport).await.expect("a handshake");
        running.waiting().await.expect("a clean end");
    });
    let client = client().serve(ours).await.expect("a handshake");
    let enabled = json!({ "enabled": ["memory.*"] });
    let update = CustomNotification::new("featureSets/update", Some(enabled));
    let update = ClientNotification::CustomNotification(update);
    client.send_notification(update).await.expect("a stream");
    client
}

async fn ask(client: &Client) -> usize {
    let params = json!({
        "inferenceId": "inf_xyz",
        "conversationId": "conv_123",
        "turnIndex": 7,
        "userMessage": "What does she drink?",
        "model": { "id": "m", "vendor": "v", "contextWindow": 200_000, "capabilities": ["tools"] },
    });
    let request = CustomRequest::new("context/beforeInference", Some(params));
    let request = ClientRequest::CustomRequest(request);
    match client.send_request(request).await.expect("an answer") {
        ServerResult::CustomResult(result) => {
            result.0["contextInjections"].as_array().map_or(0, Vec::len)
        }
        other => panic!("{other:?}"),
    }
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime")
}

/// The time of one round trip, over `rounds` of them.
fn batch(runtime: &Runtime, client: &Client, rounds: u32) -> Duration {
    runtime.block_on(async {
        let start = Instant::now();
        for _ in 0..rounds {
            assert_eq!(ask(client).await, 1);
        }
        start.elapsed() / rounds
    })
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// Medians of interleaved batches, so that whatever else the machine does falls on both alike.
fn ratio(_: &mut Criterion) {
    let runtime = runtime();
    let (bare, ours) = runtime.block_on(async { (bare().await, hooked().await) });
    let mut times = (Vec::new(), Vec::new());
    for round in 0..220 {
        let peer = batch(&runtime, &bare, 100);
        let own = batch(&runtime, &ours, 100);
        if round >= 20 {
            times.0.push(peer);
            times.1.push(own);
        }
    }
    let (peer, own) = (median(times.0), median(times.1));
    eprintln!(
        "context/beforeInference: bare {peer:?}, ours {own:?}, ratio {:.3}",
        own.as_secs_f64() / peer.as_secs_f64()
    );
}

fn round_trips(criterion: &mut Criterion) {
    let runtime = runtime();
    let mut group = criterion.benchmark_group("context/beforeInference");
    let (bare, ours) = runtime.block_on(async { (bare().await, hooked().await) });
    group.bench_function("rmcp", |bencher| {
        bencher.iter(|| runtime.block_on(ask(&bare)));
    });
    group.bench_function("ours", |bencher| {
        bencher.iter(|| runtime.block_on(ask(&ours)));
    });
    group.finish();
}

criterion_group!(benches, ratio, round_trips);
criterion_main!(benches);
