//! The suites of the protocol `plugin`: plugins whose hooks do what a vector's operations say, in a public chain.
//!
//! A plugin is one hook at each of its points, all with its name as their id, so that they share their state.

mod chain;
mod compare;
mod operations;

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex},
    time::Duration,
};

use hooks_sdk::plugin::{Contexts, GlobalContext, PluginAt};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::{runtime::Builder, time::sleep};

use self::chain::{chain, run_at};
use super::{Mismatch, Outcome, Protocol, panic_message};

/// The protocol, for the table in `tests/vectors.rs`.
pub const PROTOCOL: Protocol = Protocol {
    name: "plugin",
    suites: &[("operations", vectors), ("portable", vectors)],
};

fn vectors(file: &Value) -> Vec<Outcome> {
    let vectors = file["vectors"].as_array().map_or(&[][..], Vec::as_slice);
    let outcome = |vector: &Value| Outcome {
        name: text(&vector["id"]).to_owned(),
        result: catch_unwind(AssertUnwindSafe(|| replay(vector))).unwrap_or_else(|panic| {
            Err(Mismatch {
                expected: "no panic".to_owned(),
                got: panic_message(&*panic).to_owned(),
            })
        }),
    };
    vectors.iter().map(outcome).collect()
}

/// Runs one vector's calls one after the other.
fn replay(vector: &Value) -> Result<(), Mismatch> {
    // Time that stands still until everybody waits: no vector depends on how fast the machine is.
    let runtime = Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("a runtime");
    let log = Log::default();
    let input = &vector["input"];
    let chain = chain(input, &log);
    let calls = list(&input["calls"]);
    let expected = list(&vector["expected"]);
    Mismatch::compare(&json!(calls.len()), &json!(expected.len()))?;
    let mut contexts = Contexts::default();
    for (call, expected) in calls.iter().zip(expected) {
        contexts = prepare(call, contexts);
        log.lock().expect("no panic").clear();
        let at = PluginAt::named(text(&call["hook"])).expect("a point of ours");
        let mut got = runtime.block_on(async {
            let got = run_at(at, &chain, call, &mut contexts).await;
            // Longer than any hook that still runs after its request.
            sleep(Duration::from_secs(3600)).await;
            got
        });
        let ran = log.lock().expect("no panic");
        let names = |which: fn(&&Entry) -> bool| {
            let names = ran.iter().filter(which).map(|entry| &*entry.plugin);
            json!(names.collect::<Vec<_>>())
        };
        got["executed"] = names(|_| true);
        got["did_not_finish"] = names(|entry| !entry.finished);
        got["global_state_after"] = json!(contexts.global.state);
        got["local_state"] = local_state(input, &contexts);
        compare::facts(expected, &got, vector["unordered_execution"] == json!(true))?;
    }
    Ok(())
}

/// Who ran, in order.
type Log = Arc<Mutex<Vec<Entry>>>;

struct Entry {
    plugin: String,
    finished: bool,
}

/// The contexts of a call: those of the call before it, as far as it asks for them.
fn prepare(call: &Value, before: Contexts) -> Contexts {
    let asks = |key: &str| call[key] == json!(true);
    let global = if asks("reuse_global_context") {
        before.global.clone()
    } else {
        let mut global = json!({ "request_id": "req-1" });
        let given = without_nulls(&call["global_context"]);
        let members = global.as_object_mut().expect("an object");
        members.extend(given.as_object().cloned().unwrap_or_default());
        members.remove("content_type");
        read::<GlobalContext>(&global)
    };
    let mut contexts = if asks("reuse_contexts") {
        before
    } else {
        Contexts::default()
    };
    contexts.global = global;
    if let Some(id) = call["set_request_id"].as_str() {
        contexts.global.request_id = id.into();
    }
    contexts
}

fn local_state(input: &Value, contexts: &Contexts) -> Value {
    let plugins = list(&input["plugins"]).iter();
    let states = plugins.filter_map(|plugin| {
        let name = text(&plugin["name"]);
        let state = contexts.state(name).filter(|state| !state.is_empty())?;
        Some((name.to_owned(), json!(state)))
    });
    Value::Object(states.collect())
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// The value without the members that are null: what they mean is that they are absent.
fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(members) => members
            .iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect(),
        other => other.clone(),
    }
}

fn text(value: &Value) -> &str {
    let text = value.as_str();
    text.unwrap_or_else(|| panic!("{value} is no string"))
}

fn read<T: DeserializeOwned>(value: &Value) -> T {
    serde_json::from_value(value.clone()).unwrap_or_else(|error| panic!("{error} in {value}"))
}
