//! The price of one call, in allocations. Under `valgrind --tool=callgrind`, the price of many calls in instructions:
//!
//! ```sh
//! cargo bench -p hooks-sdk --features policy-engine --bench price                         # allocations of each server
//! valgrind --tool=callgrind target/release/deps/price-… SERVER CALLS               # instructions
//! ```

use std::env;

use allocation_counter::measure;
use hooks_sdk::guidance::{HookType, Lifecycle};
use tokio::runtime::Runtime;

mod servers;

use servers::{Ask, Client, bare, guided, hooked, runtime, timed, with_everything};
#[cfg(feature = "policy-engine")]
use servers::{Ten, plugged};

/// How many calls are made before those that count.
const BEFORE: usize = 100;
const COUNTED: usize = 1_000;

const SERVERS: &[&str] = &[
    "bare",
    "none",
    "texts",
    "guidance",
    "fires",
    "session",
    "timed",
    #[cfg(feature = "policy-engine")]
    "hooks",
    #[cfg(feature = "policy-engine")]
    "around",
    #[cfg(feature = "policy-engine")]
    "rules",
];

fn main() {
    // `cargo bench` adds `--bench`.
    let arguments: Vec<String> = env::args()
        .skip(1)
        .filter(|word| word != "--bench")
        .collect();
    let runtime = runtime();
    match arguments.as_slice() {
        [server, calls] => {
            let calls = calls.parse().expect("a number of calls");
            let client = client(&runtime, server);
            call(&runtime, &client, calls);
        }
        [] => {
            for server in SERVERS {
                let client = client(&runtime, server);
                call(&runtime, &client, BEFORE);
                let counted = measure(|| call(&runtime, &client, COUNTED));
                let (count, bytes) = (counted.count_total, counted.bytes_total);
                let of = COUNTED as u64;
                eprintln!(
                    "{server}: {} allocations a call, {} bytes",
                    count / of,
                    bytes / of
                );
            }
        }
        other => panic!("SERVER CALLS, or nothing, and not {other:?}"),
    }
}

fn call(runtime: &Runtime, client: &Client, calls: usize) {
    runtime.block_on(async {
        for _ in 0..calls {
            Ask::tool().of(client).await;
        }
    });
}

fn client(runtime: &Runtime, server: &str) -> Client {
    runtime.block_on(async {
        match server {
            "bare" => bare().await,
            "none" => hooked(0).await,
            "texts" => hooked(10).await,
            "guidance" => guided(HookType::Session, Lifecycle::End, 0).await,
            "fires" => guided(HookType::Action, Lifecycle::End, 0).await,
            "session" => with_everything().await,
            "timed" => timed().await,
            #[cfg(feature = "policy-engine")]
            "hooks" => plugged(Ten::Before).await,
            #[cfg(feature = "policy-engine")]
            "around" => plugged(Ten::Around).await,
            #[cfg(feature = "policy-engine")]
            "rules" => plugged(Ten::Rules).await,
            other => panic!("`{other}` is none of {SERVERS:?}"),
        }
    })
}
