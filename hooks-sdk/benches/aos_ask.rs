//! What it costs to ask a guardian: over HTTP against a bare POST by the same client, and in the process against the policy.
//!
//! After the averages it prints percentiles: bare posts and questions alternate, so that both meet the same machine.

use std::{
    convert::Infallible,
    hint::black_box,
    net::TcpListener,
    thread,
    time::{Duration, Instant},
};

use axum::{Router, body::Bytes, http::header::CONTENT_TYPE, routing::post, serve::ListenerExt};
use criterion::{Criterion, criterion_group, criterion_main};
use hooks_sdk::{
    aos::{
        Agent, AosHook, AosRequest, Guardian, GuardianClient, Method, Posture, StepContext,
        StepIds, StepOutcome, ToolCallRequest, ToolInput, Transported, point,
    },
    core::{Registry, Verdict, Violation},
};
use reqwest::{Client, redirect};
use serde_json::json;
use tokio::runtime::{Builder, Runtime};

/// How many posts and how many questions the percentiles are of.
const ROUNDS: usize = 20_000;

const ALLOWED: &str =
    r#"{"jsonrpc":"2.0","id":"0197","result":{"decision":"allow","message":"allowed"}}"#;

/// The policy, as a plain function.
fn forbidden(call: &ToolCallRequest) -> bool {
    call.tool_id == "shell" || call.inputs.iter().any(|it| it.value == "secret")
}

fn guardian() -> Guardian {
    let hook = AosHook::answering_any("denies", point::tool_call_request, |call, _| {
        Box::pin(async move {
            match forbidden(call) {
                true => Verdict::<Infallible>::Deny(Violation::new("not here")),
                false => Verdict::Allow,
            }
        })
    });
    let registry = Registry::builder().add(hook.into()).build();
    Guardian::with((), registry.expect("one hook"))
}

fn agent() -> Agent {
    Agent::new("agent", "Personal assistant")
        .instructions("You manage my mailbox.")
        .version("1")
        .provider("Example", "https://provider.example")
}

fn call() -> ToolCallRequest {
    let inputs = ["to", "text"].map(|name| ToolInput::new(name, json!("of no interest")));
    ToolCallRequest::new("execution", "send_sms", inputs.into())
}

/// Starts an axum server with the guardian at `/aos`, and a handler that only answers at `/bare`. Returns its address.
fn serve() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.set_nonblocking(true).expect("a listener of tokio");
    let address = listener.local_addr().expect("an address");
    let json = |body| ([(CONTENT_TYPE, "application/json")], body);
    let guardian = guardian();
    let router = Router::new()
        .route(
            "/bare",
            post(move |_: Bytes| async move { json(ALLOWED.into()) }),
        )
        .route(
            "/aos",
            post(move |body: Bytes| async move {
                json(guardian.answer(&body, Transported::default()).await)
            }),
        );
    thread::spawn(move || {
        let runtime = Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime").block_on(async move {
            let listener = tokio::net::TcpListener::from_std(listener).expect("a listener");
            let listener = listener.tap_io(|stream| _ = stream.set_nodelay(true));
            axum::serve(listener, router).await.expect("it serves");
        });
    });
    format!("http://{address}")
}

/// A bare POST, with the client that asks guardians.
struct Bare {
    client: Client,
    url: String,
    body: Bytes,
}

impl Bare {
    fn new(server: &str) -> Bare {
        // Without a default, the client finds no provider of TLS.
        _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder().redirect(redirect::Policy::none());
        let context = StepContext::new(agent(), "session", "turn", "step");
        let request = AosRequest::new("0197", Method::ToolCallRequest, call()).context(context);
        Bare {
            client: client.no_proxy().build().expect("a client"),
            url: format!("{server}/bare"),
            body: serde_json::to_vec(&request).expect("JSON").into(),
        }
    }

    async fn post(&self) -> usize {
        let post = self.client.post(&self.url).body(self.body.clone());
        let post = post.header("content-type", "application/json");
        let answer = post.send().await.expect("an answer");
        answer.bytes().await.expect("a body").len()
    }
}

async fn ask(client: &GuardianClient, ids: &StepIds) {
    let step = client.at(ids.clone());
    let ruled = step.ask(point::tool_call_request, call()).await;
    assert_eq!(ruled, StepOutcome::Allowed);
}

fn client_thread() -> Runtime {
    let runtime = Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime")
}

fn over_http(criterion: &mut Criterion) {
    let server = serve();
    let runtime = client_thread();
    let bare = Bare::new(&server);
    let client = Guardian::http(format!("{server}/aos")).agent(agent());
    let client = client.posture(Posture::Deny);
    let ids = StepIds::new("session");
    let mut group = criterion.benchmark_group("aos_ask/http");
    group.bench_function("bare", |bencher| {
        bencher.to_async(&runtime).iter(|| bare.post());
    });
    group.bench_function("ask", |bencher| {
        bencher.to_async(&runtime).iter(|| ask(&client, &ids));
    });
    group.finish();

    // `cargo test` only looks whether it runs.
    let rounds = match std::env::args().any(|argument| argument == "--bench") {
        true => ROUNDS,
        false => 100,
    };
    let (mut posts, mut asks) = (Vec::new(), Vec::new());
    runtime.block_on(async {
        for _ in 0..rounds {
            let start = Instant::now();
            black_box(bare.post().await);
            posts.push(start.elapsed());
            let start = Instant::now();
            ask(&client, &ids).await;
            asks.push(start.elapsed());
        }
    });
    for (name, place) in [("p50", rounds / 2), ("p99", rounds / 100 * 99)] {
        let (bare, asked) = (at(&mut posts, place), at(&mut asks, place));
        let ratio = asked.as_secs_f64() / bare.as_secs_f64();
        eprintln!("aos_ask/http/{name}: bare {bare:.1?}, ask {asked:.1?}, {ratio:.2} times");
    }
}

fn at(times: &mut [Duration], place: usize) -> Duration {
    *times.select_nth_unstable(place).1
}

fn local(criterion: &mut Criterion) {
    let runtime = client_thread();
    let client = Guardian::local_with(guardian()).agent(agent());
    let client = client.posture(Posture::Deny);
    let ids = StepIds::new("session");
    let step = client.at(ids.clone());
    let mut group = criterion.benchmark_group("aos_ask/local");
    group.bench_function("policy", |bencher| {
        // The call is made and dropped on each side.
        bencher.iter(|| forbidden(&black_box(call())));
    });
    group.bench_function("ask", |bencher| {
        bencher
            .to_async(&runtime)
            .iter(|| step.ask(point::tool_call_request, black_box(call())));
    });
    group.bench_function("step and ask", |bencher| {
        bencher.to_async(&runtime).iter(|| ask(&client, &ids));
    });
    group.finish();
}

criterion_group!(benches, over_http, local);
criterion_main!(benches);
