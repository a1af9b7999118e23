//! Whether the host gets a patch or the whole state.

use json_patch::{Patch, PatchOperation};
use serde_json::Value;

use hooks_core::internal::{JsonPart, json_parts};

/// The size in bytes up to which a patch is sent even if the state itself is shorter.
const SMALL: usize = 1024;

/// Returns a patch from `old` to `new`. Returns `None` if the host should get the state itself, which has `size` bytes.
///
/// The patch only adds, removes and replaces, since some hosts do not know the other operations.
pub(super) fn between(old: &Value, new: &Value, size: usize) -> Option<Vec<PatchOperation>> {
    let patch = json_patch::diff(old, new);
    if patch.iter().any(|operation| operation.path().is_root()) || is_long(&patch, size) {
        return None;
    }
    // Tried here: if a host ended up with a different state, neither side would notice.
    let mut patched = old.clone();
    json_patch::patch(&mut patched, &patch).ok()?;
    (patched == *new).then_some(patch.0)
}

/// Whether the patch is longer than the state. Removing an element of a long list moves all elements behind it, and
/// each move is an operation.
fn is_long(patch: &Patch, size: usize) -> bool {
    let longest = size.max(SMALL);
    !serde_json::to_string(patch).is_ok_and(|text| text.len() <= longest)
}

/// Whether a value is nested more than `levels` deep.
pub(super) fn is_deeper_than(value: &Value, levels: usize) -> bool {
    json_parts(value).any(|(depth, part)| {
        let holds = matches!(part, JsonPart::Value(Value::Array(_) | Value::Object(_)));
        holds && depth >= levels
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(old: Value, new: Value) -> Option<Value> {
        let size = new.to_string().len();
        between(&old, &new, size).map(|patch| serde_json::to_value(patch).expect("a patch"))
    }

    #[test]
    fn a_change_is_told_as_a_patch() {
        assert_eq!(told(json!({"a": [1]}), json!({"a": [1]})), Some(json!([])));
        assert_eq!(
            told(json!({"a": [1], "b/~": 1}), json!({"a": [1, null]})),
            Some(json!([
                {"op": "add", "path": "/a/1", "value": null},
                {"op": "remove", "path": "/b~1~0"},
            ]))
        );
    }

    #[test]
    fn another_document_is_told_as_a_whole() {
        assert_eq!(told(json!({}), json!([])), None);
        assert_eq!(told(json!(1), json!(1.0)), None);
    }

    #[test]
    fn a_patch_longer_than_the_state_is_not_worth_it() {
        let list = |from: u32| json!((from..400).map(|n| json!({"n": n})).collect::<Vec<_>>());
        assert_eq!(told(list(0), list(1)), None);
        assert!(told(list(390), list(391)).is_some());
    }

    #[test]
    fn depth_is_counted_in_lists_and_objects() {
        assert!(!is_deeper_than(&json!(1), 0));
        assert!(is_deeper_than(&json!([]), 0));
        assert!(!is_deeper_than(&json!({"a": [1]}), 2));
        assert!(is_deeper_than(&json!({"a": [1]}), 1));
    }
}
