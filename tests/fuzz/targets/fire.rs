//! Any bytes on a hook's standard input are answered with a JSON object.

use std::sync::LazyLock;

use hooks_sdk::{
    clients::{self, ALL},
    lifecycle::{
        Event,
        host::{ClientControls, LifecycleHost, NoTools},
    },
};
use tokio::runtime::{Builder, Runtime};

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a runtime")
});

static HOST: LazyLock<LifecycleHost> = LazyLock::new(|| {
    let declared = include_str!("../../fixtures/clients/declarations.json");
    let declared = serde_json::from_str(declared).expect("JSON");
    let mut host = LifecycleHost::new(ClientControls::default());
    host.register("memory", &declared);
    host
});

/// Panics when one of `input`'s answers is not as it should be.
pub(crate) fn check(input: &[u8]) {
    for client in ALL {
        // As it is, and for a client that does not say which event it is.
        for event in [None, Some(Event::PostToolUse)] {
            let fire = clients::fire(client, event, &["memory"], input, &HOST, &NoTools);
            assert!(RUNTIME.block_on(fire).output.is_object());
        }
    }
}
