//! Validation against JSON Schema, with compiled schemas kept.

use std::{
    collections::HashMap,
    sync::{Arc, LazyLock, Mutex},
};

use jsonschema::{PatternOptions, ValidationOptions, Validator};
use serde_json::Value;

use crate::lock::lock;

/// How many compiled schemas are kept.
const MAX_KEPT: usize = 1024;

type Compiled = Result<Arc<Validator>, String>;

/// The largest compiled pattern, and the largest cache of its automaton, in bytes.
const MAX_PATTERN: usize = 1 << 20;

type Kept = LazyLock<Mutex<HashMap<Value, Compiled>>>;

static KEPT: Kept = LazyLock::new(Mutex::default);
static KEPT_WITH_FORMATS: Kept = LazyLock::new(Mutex::default);

/// Validates a value. References to other documents are not followed.
///
/// # Errors
///
/// Returns the first thing that is wrong, with its place in the value; or that the schema itself is no schema.
pub fn validate(schema: &Value, value: &Value) -> Result<(), String> {
    valid(&*compiled(schema)?, value)
}

/// Validates a value, and what `format` says of its texts.
///
/// # Errors
///
/// As [`validate`].
pub fn validate_formats(schema: &Value, value: &Value) -> Result<(), String> {
    let options = linear().should_validate_formats(true);
    valid(&*made(schema, &KEPT_WITH_FORMATS, &options)?, value)
}

fn valid(validator: &Validator, value: &Value) -> Result<(), String> {
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

/// Returns the compiled schema. Its patterns take linear time, whatever text a client sends.
///
/// # Errors
///
/// Returns what is wrong with the schema, such as a pattern with look-around or a back-reference, which take more.
pub fn compiled(schema: &Value) -> Compiled {
    made(schema, &KEPT, &linear())
}

fn linear() -> ValidationOptions<'static> {
    let patterns = PatternOptions::regex();
    let patterns = patterns.size_limit(MAX_PATTERN).dfa_size_limit(MAX_PATTERN);
    jsonschema::options().with_pattern_options(patterns)
}

fn made(schema: &Value, all: &Kept, options: &ValidationOptions<'static>) -> Compiled {
    let kept = lock(all);
    if let Some(compiled) = kept.get(schema) {
        return compiled.clone();
    }
    drop(kept);
    let made = options
        .build(schema)
        .map(Arc::new)
        .map_err(|wrong| format!("the schema cannot be used: {}", wrong.masked()));
    let mut kept = lock(all);
    // Schemas come from the author's tools and hooks. More of them than this are generated at run time, and take one place each.
    if kept.len() >= MAX_KEPT
        && let Some(old) = kept.keys().next().cloned()
    {
        kept.remove(&old);
    }
    kept.insert(schema.clone(), made.clone());
    made
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use serde_json::json;

    use super::*;

    #[test]
    fn a_pattern_takes_linear_time_whatever_a_client_sends() {
        let schema = json!({"type": "string", "pattern": "^(a+)+$"});
        let evil = json!(format!("{}!", "a".repeat(200_000)));
        let began = Instant::now();
        assert!(validate(&schema, &evil).is_err());
        // With the square of the length, it takes minutes.
        assert!(began.elapsed() < Duration::from_secs(60));
        assert!(validate(&schema, &json!("aaa")).is_ok());
    }

    #[test]
    fn schemas_that_are_made_at_run_time_do_not_clear_all_others() {
        for number in 0..MAX_KEPT + 100 {
            _ = compiled(&json!({ "const": number }));
        }
        let kept = lock(&KEPT).len();
        assert_eq!(kept, MAX_KEPT);
    }

    #[test]
    fn a_pattern_with_look_around_is_said_to_be_unusable() {
        let schema = json!({"type": "string", "pattern": "^(?!root).*$"});
        let wrong = compiled(&schema).unwrap_err();
        assert!(wrong.starts_with("the schema cannot be used"), "{wrong}");
        assert!(validate(&schema, &json!("ann")).is_err());
    }
}
