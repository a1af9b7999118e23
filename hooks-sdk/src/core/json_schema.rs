//! Validation against JSON Schema, with compiled schemas kept.

use std::{
    collections::HashMap,
    sync::{Arc, LazyLock, Mutex, PoisonError},
};

use jsonschema::Validator;
use serde_json::Value;

/// How many compiled schemas are kept.
const MAX_KEPT: usize = 1024;

type Compiled = Result<Arc<Validator>, String>;

static KEPT: LazyLock<Mutex<HashMap<Value, Compiled>>> = LazyLock::new(Mutex::default);

/// Validates a value. References to other documents are not followed.
///
/// # Errors
///
/// Returns the first thing that is wrong, with its place in the value; or that the schema itself is no schema.
pub(crate) fn validate(schema: &Value, value: &Value) -> Result<(), String> {
    let validator = compiled(schema)?;
    validator.validate(value).map_err(|wrong| {
        let place = wrong.instance_path().to_string();
        // Without the value itself, which may be a secret.
        let what = wrong.masked().to_string();
        if place.is_empty() {
            what
        } else {
            format!("{place}: {what}")
        }
    })
}

/// Returns the compiled schema.
///
/// # Errors
///
/// Returns what is wrong with the schema.
pub(crate) fn compiled(schema: &Value) -> Compiled {
    let kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(compiled) = kept.get(schema) {
        return compiled.clone();
    }
    drop(kept);
    let made = jsonschema::validator_for(schema)
        .map(Arc::new)
        .map_err(|wrong| format!("the schema is no JSON Schema: {}", wrong.masked()));
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    // Schemas come from the author's tools and hooks. More of them than this are generated at run time.
    if kept.len() >= MAX_KEPT {
        kept.clear();
    }
    kept.insert(schema.clone(), made.clone());
    made
}
