//! The operations of a plugin in a vector: what its hook does with its payload and its context.

use std::time::Duration;

use hooks_sdk::{
    core::{HookError, Violation},
    plugin::PluginContext,
};
use serde_json::{Map, Value, json};
use tokio::time::sleep;

use super::{read, text};

/// What a hook of a vector answers.
pub(super) struct Answer {
    pub(super) goes_on: bool,
    /// The payload, or the headers, to go on with.
    pub(super) change: Option<Change>,
    pub(super) violation: Option<Violation>,
    pub(super) metadata: Map<String, Value>,
}

/// What a hook gives back in place of its payload.
pub(super) enum Change {
    /// Its payload, edited.
    Payload(Value),
    /// Headers by themselves.
    Headers(Value),
}

/// Runs a plugin's operations in order; `received` is the payload as JSON.
pub(super) async fn run(
    operations: &[Value],
    received: &Value,
    cx: &mut PluginContext,
) -> Result<Answer, HookError> {
    let mut answer = Answer {
        goes_on: true,
        change: None,
        violation: None,
        metadata: Map::new(),
    };
    for operation in operations {
        let key = || text(&operation["key"]).to_owned();
        let value = || expand(&operation["value"]);
        match text(&operation["op"]) {
            "set" | "append" | "concat" | "remove" => {
                let mut edited = match answer.change.take() {
                    Some(Change::Payload(edited)) => edited,
                    _ => received.clone(),
                };
                edit(&mut edited, operation);
                answer.change = Some(Change::Payload(edited));
            }
            "same_payload" => answer.change = Some(Change::Payload(received.clone())),
            "return_headers" => answer.change = Some(Change::Headers(value())),
            // A hook borrows its payload: the compiler refuses such a write.
            "mutate_input" => {}
            "state_set" => cx.set_state(key(), value()),
            "state_incr" => {
                let by = operation.get("by").and_then(Value::as_i64).unwrap_or(1);
                let before = cx.get_state(&key()).and_then(Value::as_i64);
                cx.set_state(key(), before.unwrap_or(0) + by);
            }
            "gstate_set" => _ = cx.global.state.insert(key(), value()),
            "gstate_del" => _ = cx.global.state.remove(&key()),
            "gstate_append_nested" => {
                let place = cx.global.state.entry(key()).or_insert_with(|| json!([]));
                let place = match operation.get("path") {
                    Some(path) => at(place, text(path)),
                    None => innermost(place),
                };
                append(place, value());
            }
            "gmeta_set" => _ = cx.global.metadata.insert(key(), value()),
            "ctxmeta_set" => _ = cx.metadata.insert(key(), value()),
            "metadata" => match operation.get("key") {
                Some(key) => _ = answer.metadata.insert(text(key).to_owned(), value()),
                None => answer.metadata.extend(read::<Map<_, _>>(&value())),
            },
            "violation" => answer.violation = Some(read(&value())),
            "stop" => answer.goes_on = false,
            "sleep_ms" => {
                let time = operation["value"].as_u64().expect("milliseconds");
                sleep(Duration::from_millis(time)).await;
            }
            "raise" => {
                let message = operation["message"].as_str().unwrap_or("raised");
                return Err(HookError::new(message));
            }
            // A gateway's wish to try its upstream again. The document's result has no such member.
            "retry_delay_ms" => {}
            other => panic!("the operation `{other}` is new"),
        }
    }
    Ok(answer)
}

/// Edits JSON at the pointer `path`.
fn edit(payload: &mut Value, operation: &Value) {
    let path = text(&operation["path"]);
    if text(&operation["op"]) == "remove" {
        return remove(payload, path);
    }
    let place = at(payload, path);
    let value = expand(&operation["value"]);
    match text(&operation["op"]) {
        "append" => append(place, value),
        "concat" => *place = json!(format!("{}{}", text(place), text(&value))),
        _ => *place = value,
    }
}

fn append(place: &mut Value, value: Value) {
    if place.is_null() {
        *place = json!([]);
    }
    place.as_array_mut().expect("a list").push(value);
}

/// The value at a pointer; objects on the way to it are made.
fn at<'v>(value: &'v mut Value, path: &str) -> &'v mut Value {
    let mut place = value;
    for step in path.split('/').skip(1) {
        let step = step.replace("~1", "/").replace("~0", "~");
        place = match place {
            Value::Array(values) => {
                let step = if step == "-" {
                    values.len()
                } else {
                    step.parse().expect("an index")
                };
                if step == values.len() {
                    values.push(Value::Null);
                }
                &mut values[step]
            }
            place => {
                if place.is_null() {
                    *place = json!({});
                }
                let members = place.as_object_mut().expect("an object");
                members.entry(step).or_insert(Value::Null)
            }
        };
    }
    place
}

fn remove(payload: &mut Value, path: &str) {
    let (parent, last) = path.rsplit_once('/').expect("a pointer");
    let last = last.replace("~1", "/").replace("~0", "~");
    match payload.pointer_mut(parent) {
        Some(Value::Object(members)) => _ = members.remove(&last),
        Some(Value::Array(values)) => {
            let at: usize = last.parse().expect("an index");
            if at < values.len() {
                values.remove(at);
            }
        }
        _ => {}
    }
}

/// The list that a value is, or that its only member is.
fn innermost(mut value: &mut Value) -> &mut Value {
    while value.is_object() {
        let members = value.as_object_mut().expect("an object");
        value = members.values_mut().next().expect("a member");
    }
    value
}

/// Replaces `{"$repeat": [text, times]}` by so many of the text.
pub(super) fn expand(value: &Value) -> Value {
    match value {
        Value::Array(values) => values.iter().map(expand).collect(),
        Value::Object(members) => match members.get("$repeat") {
            Some(repeat) => {
                let times = repeat[1].as_u64().expect("a number of times");
                let times = usize::try_from(times).expect("that many");
                json!(text(&repeat[0]).repeat(times))
            }
            None => members
                .iter()
                .map(|(name, value)| (name.clone(), expand(value)))
                .collect(),
        },
        other => other.clone(),
    }
}
