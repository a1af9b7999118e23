//! Paths in a line whose values are not written.

use hooks_text::condition::{Path, Step, parse_path};
use serde_json::{Map, Value};

use crate::LogError;

/// The text in place of a masked value.
const MASKED: &str = "[masked]";

/// Reads a path as in conditions, such as `arguments.password` or `answer.content[*].email`.
pub(crate) fn mask(path: &str) -> Result<Path, LogError> {
    parse_path(path).map_err(|fault| LogError::Mask(path.to_owned(), fault))
}

/// Replaces the value at the path, whatever it is. The same value at another path stays. A member of the chain (`chain`,
/// `seq`, `prev`, `sig`) is not in the line yet.
pub(crate) fn apply(path: &Path, line: &mut Map<String, Value>) {
    if let Some(value) = line.get_mut(&path.root) {
        replace(value, &path.steps);
    }
}

fn replace(value: &mut Value, steps: &[Step]) {
    let Some((step, rest)) = steps.split_first() else {
        *value = Value::String(MASKED.to_owned());
        return;
    };
    match (step, value) {
        (Step::Member(name), Value::Object(members)) => {
            if let Some(member) = members.get_mut(name) {
                replace(member, rest);
            }
        }
        (Step::Item(at), Value::Array(elements)) => {
            if let Some(element) = elements.get_mut(*at) {
                replace(element, rest);
            }
        }
        (Step::Every, Value::Array(elements)) => {
            elements.iter_mut().for_each(|each| replace(each, rest));
        }
        // Too much is masked rather than too little.
        (Step::Every, Value::Object(members)) => {
            members.values_mut().for_each(|each| replace(each, rest));
        }
        _ => {}
    }
}
