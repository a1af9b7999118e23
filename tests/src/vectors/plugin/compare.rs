//! Comparing what a vector records of a call with what ours did.

use serde_json::{Map, Value, json};

use super::{Mismatch, operations::expand};

/// Members of a payload that some implementations always have, and the records leave out when they are empty. The
/// metadata of a resource's request is compared where it is recorded.
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
            "effective_payload" => without_unrecorded(&expected, &mut got),
            "violation" => only_recorded(&expected, &mut got),
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

fn without_unrecorded(expected: &Value, got: &mut Value) {
    let Some(members) = got.as_object_mut() else {
        return;
    };
    let uri = members.contains_key("uri");
    members.retain(|name, value| {
        let empty = value.is_null() || value.as_object().is_some_and(Map::is_empty);
        let optional = OPTIONAL.contains(&name.as_str()) && (empty || uri);
        !optional || expected.get(name).is_some()
    });
}

/// A record has those members of a violation on which the implementations agree.
fn only_recorded(expected: &Value, got: &mut Value) {
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
