//! Any bytes on a hook's standard input are answered with a JSON object.

#![no_main]

use std::sync::LazyLock;

use hooks_sdk::{
    clients::{self, ALL},
    lifecycle::{
        Event,
        host::{Host, NoTools, Policy},
    },
};
use libfuzzer_sys::fuzz_target;
use tokio::runtime::{Builder, Runtime};

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a runtime")
});

static HOST: LazyLock<Host> = LazyLock::new(|| {
    let declared = include_str!("../../fixtures/clients/declarations.json");
    let declared = serde_json::from_str(declared).expect("JSON");
    let mut host = Host::new(Policy::default().trusting("memory"));
    host.register("memory", &declared);
    host
});

fuzz_target!(|input: &[u8]| {
    for client in ALL {
        // As it is, and for a client that does not say which event it is.
        for event in [None, Some(Event::PostToolUse)] {
            let fire = clients::fire(client, event, &["memory"], input, &HOST, &NoTools);
            assert!(RUNTIME.block_on(fire).output.is_object());
        }
    }
});
