//! `definition`: accepted or not, the value with its defaults, and the set of failing paths.

use std::collections::BTreeSet;

use hooks_sdk::guidance::{DEFAULT_APP, HookDefinition, HookInput, InvalidHook};
use serde_json::{Value, json};

use super::{Ran, compare, list};

pub(super) fn run(vector: &Value) -> Ran {
    let ours = HookInput::try_from(&vector["input"])
        .and_then(|input| HookDefinition::new(input, DEFAULT_APP));
    let output = &vector["output"];
    match ours {
        Ok(hook) => compare::same(output, &json!({ "ok": true, "value": hook })),
        Err(invalid) => {
            let expected = json!({ "ok": output["ok"], "paths": recorded_paths(&output["error"]) });
            compare::same(&expected, &json!({ "ok": false, "paths": paths(&invalid) }))
        }
    }
}

/// The set of failing paths that an error records.
pub(super) fn recorded_paths(error: &Value) -> BTreeSet<String> {
    list(&error["issues"])
        .iter()
        .map(|issue| issue["path"].to_string())
        .collect()
}

pub(super) fn paths(invalid: &InvalidHook) -> BTreeSet<String> {
    invalid
        .issues()
        .iter()
        .map(|issue| json!(issue.path).to_string())
        .collect()
}
