//! Round trips over a duplex pipe: bare rmcp and a hooked server in one run, shim on.

use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use hooks_sdk::guidance::{HookType, Lifecycle};
use tokio::runtime::Runtime;

mod servers;

use servers::{Ask, Client, bare, guided, hooked, runtime, timed, with_everything};
#[cfg(feature = "policy-engine")]
use servers::{Ten, plugged};

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
    let ours = runtime.block_on(timed());
    let name = "tools/call, a deadline, and a client that answers elicitations";
    compare(&runtime, &bare, &ours, &Ask::tool(), name);
}

/// Ten plugin hooks: functions before the tool, functions before and after it, or rules without a body.
#[cfg(feature = "policy-engine")]
fn plugins(_: &mut Criterion) {
    let runtime = runtime();
    let bare = runtime.block_on(bare());
    for (name, ten) in [
        ("ten plugin hooks before the tool", Ten::Before),
        (
            "five plugin hooks before the tool and five after it",
            Ten::Around,
        ),
        ("ten rules without a body", Ten::Rules),
    ] {
        let ours = runtime.block_on(plugged(ten));
        let name = format!("tools/call, {name}");
        compare(&runtime, &bare, &ours, &Ask::tool(), &name);
    }
}

#[cfg(not(feature = "policy-engine"))]
fn plugins(_: &mut Criterion) {
    eprintln!("plugin hooks: run with `--features policy-engine`");
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
