//! `registry_ops` and `registry_query`: calls on one fresh registry for each vector.

use hooks_sdk::guidance::{HookInput, HookRegistry, InvalidHook, RegisterError};
use serde_json::{Value, json};

use super::{Ran, compare, definition, list, ok, query, recorded, steps, text};

/// A registry with the hooks that a vector lists.
pub(super) fn filled(hooks: &Value) -> HookRegistry {
    let inputs = list(hooks)
        .iter()
        .map(|hook| HookInput::try_from(hook).expect("a valid hook"));
    let mut registry = HookRegistry::new();
    registry
        .register_all(inputs)
        .expect("hooks of different ids");
    registry
}

pub(super) fn queries(vector: &Value) -> Ran {
    let registry = filled(&vector["hooks"]);
    for entry in recorded(&vector["queries"])? {
        let got = query::ids(&registry, &entry["query"]);
        compare::same(entry, &json!({ "query": entry["query"], "ids": got }))?;
    }
    Ok(())
}

pub(super) fn operations(vector: &Value) -> Ran {
    let mut registry = HookRegistry::new();
    steps(vector, |step| operation(&mut registry, step))
}

fn operation(registry: &mut HookRegistry, step: &Value) -> Value {
    let (argument, recorded) = (&step["args"][0], &step["result"]);
    match text(&step["op"]) {
        "register" => match register(registry, argument) {
            Ok(hook) => as_recorded(&recorded["ok"], &hook),
            Err(problem) => error(recorded, &problem),
        },
        "registerAll" => match register_all(registry, argument) {
            Ok(hooks) => ok(hooks
                .iter()
                .zip(places(recorded))
                .map(|(hook, recorded)| as_recorded(recorded, hook)["ok"].take())
                .collect::<Vec<_>>()),
            Err(problem) => error(recorded, &problem),
        },
        "get" => ok(json!(registry.get(text(argument)))),
        "has" => ok(registry.has(text(argument))),
        "unregister" => ok(registry.unregister(text(argument))),
        "size" => ok(registry.size()),
        "all" => {
            let hooks: Vec<Value> = registry.all().map(|hook| json!(hook)).collect();
            let hooks = hooks.iter().zip(places(recorded));
            ok(hooks
                .map(|(hook, recorded)| as_recorded(recorded, hook)["ok"].take())
                .collect::<Vec<_>>())
        }
        "query" => ok(query::ids(registry, argument)),
        "clear" => {
            registry.clear();
            ok(Value::Null)
        }
        other => panic!("no such operation: {other}"),
    }
}

fn register(registry: &mut HookRegistry, hook: &Value) -> Result<Value, RegisterError> {
    Ok(json!(registry.register(HookInput::try_from(hook)?)?))
}

fn register_all(registry: &mut HookRegistry, hooks: &Value) -> Result<Vec<Value>, RegisterError> {
    let inputs: Result<Vec<HookInput>, InvalidHook> =
        list(hooks).iter().map(HookInput::try_from).collect();
    match registry.register_all(inputs?) {
        Ok(hooks) => Ok(hooks.iter().map(|hook| json!(**hook)).collect()),
        Err(problems) => Err(problems.iter().next().expect("a problem").1.clone()),
    }
}

/// A hook in the form in which the recording holds it: whole, or its id.
fn as_recorded(recorded: &Value, hook: &Value) -> Value {
    if recorded.is_string() {
        ok(hook["id"].clone())
    } else {
        ok(hook.clone())
    }
}

fn places(recorded: &Value) -> impl Iterator<Item = &Value> {
    list(&recorded["ok"])
        .iter()
        .chain(std::iter::repeat(&Value::Null))
}

/// An error as recorded: a duplicate's message exactly, and of an invalid hook the failing paths.
fn error(recorded: &Value, problem: &RegisterError) -> Value {
    let recorded = &recorded["error"];
    let same_paths = |invalid| definition::recorded_paths(recorded) == definition::paths(invalid);
    match problem {
        RegisterError::Invalid(invalid) if same_paths(invalid) => json!({ "error": recorded }),
        RegisterError::Invalid(invalid) => json!({ "error": invalid.to_string() }),
        other => json!({ "error": { "kind": "Error", "message": other.to_string() } }),
    }
}
