//! Whatever calls come and however they end, the state is the model's.

use std::{sync::Arc, time::Duration};

use hooks_sdk::{
    server::Sessions,
    session::{Machine, State},
    store::MemoryStore,
    testing::TestHost,
};
use proptest::{prelude::*, test_runner::Config};
use serde_json::json;

use super::desk::with_tools;

const TOOLS: [&str; 5] = ["open", "up", "down", "look", "clear"];

#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    Ok,
    Error,
    Refuse,
    Panic,
    Cancel,
}

#[derive(Clone, Copy, Debug)]
struct Call {
    tool: usize,
    end: End,
    us: u64,
}

fn call() -> impl Strategy<Value = Call> {
    let end = prop_oneof![
        6 => Just(End::Ok),
        1 => Just(End::Error),
        1 => Just(End::Refuse),
        1 => Just(End::Panic),
        1 => Just(End::Cancel),
    ];
    (0..TOOLS.len(), end, 0..500_u64).prop_map(|(tool, end, us)| Call { tool, end, us })
}

/// Floors 0 (closed) to 3.
fn machine() -> Machine {
    Machine::builder()
        .state(State::new("closed").start().next("open", "first"))
        .state(State::new("first").allow("look").next("up", "second"))
        .state(
            State::new("second")
                .allow("look")
                .next("up", "third")
                .next("down", "first"),
        )
        .state(State::new("third").allow_any().next("down", "second"))
        .reset("clear")
        .build()
        .unwrap()
}

/// What the tool does on a floor: `None` when it is refused there.
fn model(floor: usize, tool: &str) -> Option<usize> {
    match (floor, tool) {
        (0, "open") => Some(1),
        (0, _) => None,
        (_, "clear") => Some(0),
        (1 | 2, "up") => Some(floor + 1),
        (2 | 3, "down") => Some(floor - 1),
        (_, "look") | (3, _) => Some(floor),
        _ => None,
    }
}

/// Sends the calls without waiting for answers, and compares which of them were refused.
async fn play(calls: &[Call], version: &str) {
    let desk = with_tools(&TOOLS);
    let store = Arc::new(MemoryStore::new());
    let sessions = Sessions::on(machine()).store(store.clone());
    let host = TestHost::builder()
        .version(version)
        .connect(desk.sessions(sessions))
        .await
        .unwrap();
    let send = async |at: usize, call: &Call| {
        let name = TOOLS[call.tool];
        let then = match call.end {
            End::Ok => "ok",
            End::Error => "error",
            End::Refuse => "refuse",
            End::Panic => "panic",
            End::Cancel => "hang",
        };
        let mut params = json!({
            "name": name, "arguments": {"then": then, "us": call.us},
            "_meta": {"sessionId": "one"},
        });
        if version == "2026-07-28" {
            params["_meta"]["io.modelcontextprotocol/protocolVersion"] = version.into();
            params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
            params["_meta"]["io.modelcontextprotocol/clientInfo"] =
                json!({"name": "x", "version": "1"});
        }
        let message = json!({"jsonrpc": "2.0", "id": format!("call {at}"), "method": "tools/call", "params": params});
        host.send_line(message.to_string().as_bytes())
            .await
            .unwrap();
    };
    for (at, call) in calls.iter().enumerate() {
        send(at, call).await;
        if call.end == End::Cancel {
            host.notify(
                "notifications/cancelled",
                json!({"requestId": format!("call {at}")}),
            )
            .await
            .unwrap();
        }
    }
    let mut floor = 0;
    let mut expected = Vec::new();
    for (at, call) in calls.iter().enumerate() {
        let next = model(floor, TOOLS[call.tool]);
        if call.end != End::Cancel {
            expected.push((format!("call {at}"), next.is_none()));
        }
        if call.end == End::Ok {
            floor = next.unwrap_or(floor);
        }
    }
    // A cancelled call that was refused may have been answered before.
    let asked = |id: &str| expected.iter().any(|(each, _)| each == id);
    let mut refused: Vec<(String, bool)> = Vec::new();
    for _ in 0..4_000 {
        let answers = host.frames().into_iter().filter_map(|frame| {
            let message = frame.message;
            let id = message["id"]
                .as_str()
                .filter(|id| asked(id) && message.get("method").is_none())?;
            let words = message["result"]["content"][0]["text"].as_str();
            Some((
                id.to_owned(),
                words.is_some_and(|words| words.starts_with("Tool \"")),
            ))
        });
        refused = answers.collect();
        if refused.len() == expected.len() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    refused.sort_by_key(|(id, _)| id[5..].parse::<usize>().unwrap());
    assert_eq!(refused, expected, "{calls:?}");
    // A cancelled call gives its session's protocol back in its own time.
    let kept = usize::from(floor != 0);
    for _ in 0..1_000 {
        if store.len() == kept {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("{} sessions are kept, not {kept}: {calls:?}", store.len());
}

proptest! {
    #![proptest_config(Config { cases: 48, failure_persistence: None, ..Config::default() })]

    #[test]
    fn the_state_is_the_models(calls in prop::collection::vec(call(), 1..40), stateless in any::<bool>()) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_all().build().unwrap();
        let version = if stateless { "2026-07-28" } else { "2025-11-25" };
        runtime.block_on(play(&calls, version));
        // A hung tool that was cancelled is not waited for.
        runtime.shutdown_background();
    }
}
