//! Comparing what a vector records of a call with what ours did.

use serde_json::{Map, Value, json};

use super::{Mismatch, operations::expand};

/// Members of a payload that are empty by default. Some records have them then, and others do not.
const OPTIONAL: &[&str] = &["args", "headers", "metadata"];

/// Compares each recorded fact. A fact that ours does not know is a difference.
pub(super) fn facts(expected: &Value, got: &Value, unordered: bool) -> Result<(), Mismatch> {
    let facts = expected.as_object().cloned().unwrap_or_default();
    if facts.is_empty() {
        return Mismatch::compare(&json!("a record"), expected);
    }
    for (fact, expected) in facts {
        let mut got = got.get(&fact).cloned().unwrap_or(Value::Null);
        let mut expected = expand(&expected);
        match fact.as_str() {
            "executed" | "did_not_finish" if unordered => {
                sort(&mut expected);
                sort(&mut got);
            }
            "effective_payload" => {
                // No record has the metadata of a resource that nobody changed.
                if expected.get("metadata").is_none() && expected.get("uri").is_some() {
                    got["metadata"] = Value::Null;
                }
                without_empty(&mut expected, |name| OPTIONAL.contains(&name));
                without_empty(&mut got, |name| OPTIONAL.contains(&name));
            }
            "local_state" => without_empty(&mut expected, |_| true),
            "violation" => only_recorded(&mut expected, &mut got),
            _ => {}
        }
        compare(&fact, &expected, &got)?;
    }
    Ok(())
}

fn sort(names: &mut Value) {
    if let Some(names) = names.as_array_mut() {
        names.sort_by(|one, other| one.as_str().cmp(&other.as_str()));
    }
}

fn without_empty(value: &mut Value, which: impl Fn(&str) -> bool) {
    if let Some(members) = value.as_object_mut() {
        let empty = |value: &Value| value.is_null() || value.as_object().is_some_and(Map::is_empty);
        members.retain(|name, value| !(which(name) && empty(value)));
    }
}

/// A record has those members of a violation on which the implementations agree.
fn only_recorded(expected: &mut Value, got: &mut Value) {
    for value in [&mut *expected, &mut *got] {
        without_empty(value, |name| name == "details");
    }
    if let (Some(expected), Some(got)) = (expected.as_object(), got.as_object_mut()) {
        got.retain(|name, _| expected.contains_key(name));
    }
}

fn compare(fact: &str, expected: &Value, got: &Value) -> Result<(), Mismatch> {
    Mismatch::compare(expected, got).map_err(|mismatch| {
        // A report with a million characters helps nobody.
        let short =
            |text: String| format!("{fact}: {}", text.chars().take(2_000).collect::<String>());
        Mismatch {
            expected: short(mismatch.expected),
            got: short(mismatch.got),
        }
    })
}
