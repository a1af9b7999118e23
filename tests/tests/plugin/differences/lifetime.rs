//! When a plugin starts, and when it ends.

use hooks_sdk::{
    Policy,
    core::HookError,
    plugin::{Instance, Plugin, PluginHooks, ToolCall, point},
};
use serde_json::json;

use super::Seen;
use crate::server::{Files, hooked_with, host};

/// A plugin that writes down its start, its calls and its end.
struct Life {
    name: &'static str,
    seen: Seen,
}

impl Life {
    fn start(name: &'static str, seen: &Seen) -> Instance {
        seen.see(format!("{name} starts"));
        let life = Life {
            name,
            seen: seen.clone(),
        };
        Instance::of(life).named(name)
    }
}

impl Drop for Life {
    fn drop(&mut self) {
        self.seen.see(format!("{} ends", self.name));
    }
}

impl Plugin for Life {
    const KIND: &'static str = "life";
    type Config = ();

    fn new((): ()) -> Result<Life, HookError> {
        Err(HookError::new("it is made by hand"))
    }

    fn hooks() -> PluginHooks<Life> {
        PluginHooks::new().on(point::tool_pre_invoke, |life: &Life, _: &ToolCall, _| {
            life.seen.see(format!("{} runs", life.name));
            Box::pin(async {})
        })
    }
}

#[tokio::test]
async fn plugins_start_and_run_in_the_order_of_registration_and_end_with_their_server() {
    let seen = Seen::default();
    let policy = Policy::new()
        .with(Life::start("b", &seen))
        .with(Life::start("a", &seen));
    let server = hooked_with(&Files::default(), [], [], policy, None);
    let host = host(server).await;
    _ = host
        .call_tool("read_file", json!({"path": "a"}))
        .await
        .expect("an answer");
    assert_eq!(seen.all(), ["b starts", "a starts", "b runs", "a runs"]);
    host.close().await.expect("an end");
    drop(host);
    // The server's task may outlive the client for a moment.
    while seen.all().len() < 6 {
        tokio::task::yield_now().await;
    }
    let mut ends = seen.all().split_off(4);
    ends.sort();
    assert_eq!(ends, ["a ends", "b ends"]);
}
