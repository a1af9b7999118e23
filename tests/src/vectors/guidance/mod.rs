//! The suites of the protocol `guidance`; each file's `about` says what its calls mean.

mod blocking;
mod compare;
mod composer;
mod definition;
mod loader;
mod pipeline;
mod query;
mod registry;
mod session_state;
mod workflow;

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::{Value, json};

use super::{Mismatch, Outcome, Protocol, panic_message};

/// The protocol, for the table in `tests/vectors.rs`.
pub const PROTOCOL: Protocol = Protocol {
    name: "guidance",
    suites: &[
        ("definition", |file| vectors(file, definition::run)),
        ("registry_ops", |file| vectors(file, registry::operations)),
        ("registry_query", |file| vectors(file, registry::queries)),
        ("loader", |file| vectors(file, loader::run)),
        ("composer", |file| vectors(file, composer::run)),
        ("composer_transparency", |file| vectors(file, composer::run)),
        ("pipeline", |file| vectors(file, pipeline::run)),
        ("session_state", |file| vectors(file, session_state::run)),
        ("workflow_state", |file| vectors(file, workflow::run)),
    ],
};

type Ran = Result<(), Mismatch>;

/// Runs each of a file's vectors; a panic is a difference.
fn vectors(file: &Value, run: fn(&Value) -> Ran) -> Vec<Outcome> {
    list(&file["vectors"])
        .iter()
        .enumerate()
        .map(|(at, vector)| outcome(at, vector, run))
        .collect()
}

fn outcome(at: usize, vector: &Value, run: fn(&Value) -> Ran) -> Outcome {
    let name = vector["id"]
        .as_str()
        .map_or_else(|| format!("#{at}"), str::to_owned);
    let result = catch_unwind(AssertUnwindSafe(|| run(vector))).unwrap_or_else(|panic| {
        let expected = "no panic".to_owned();
        Err(Mismatch {
            expected,
            got: panic_message(&*panic).to_owned(),
        })
    });
    Outcome { name, result }
}

/// Compares what each of a vector's steps records with what `ours` makes of its call.
fn steps(vector: &Value, mut ours: impl FnMut(&Value) -> Value) -> Ran {
    for step in recorded(&vector["steps"])? {
        compare::same(&step["result"], &ours(step)).map_err(|mismatch| Mismatch {
            expected: format!("{}: {}", step, mismatch.expected),
            got: mismatch.got,
        })?;
    }
    Ok(())
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// A list that is there: without what it compares a vector would pass whatever ours does.
fn recorded(value: &Value) -> Result<&[Value], Mismatch> {
    let entries = value.as_array().map(Vec::as_slice);
    entries.ok_or_else(|| Mismatch {
        expected: "a list to compare".to_owned(),
        got: value.to_string(),
    })
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a string")
}

fn ok(value: impl Into<Value>) -> Value {
    json!({ "ok": value.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vector_that_compares_nothing_fails() {
        let start = json!({
            "state": "uninitialized", "initialized": false, "sessionId": null, "requestId": null,
            "initAt": null
        });
        let vector = json!({"id": "misspelt", "initial": start, "step": [], "query": []});
        for suite in [
            "loader",
            "registry_ops",
            "registry_query",
            "session_state",
            "workflow_state",
        ] {
            let (_, run) = PROTOCOL
                .suites
                .iter()
                .find(|(name, _)| *name == suite)
                .unwrap();
            let result = &run(&json!({ "vectors": [vector] }))[0].result;
            let expected = &result.as_ref().unwrap_err().expected;
            assert_eq!(expected, "a list to compare", "{suite}");
        }
    }
}
