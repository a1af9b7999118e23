//! Moves marked members of a result to the places where hosts read them.

use std::sync::LazyLock;

use memchr::memmem::Finder;
use serde_json::{Map, Value};

use crate::server::carried::LIFT;

/// Returns whether a text may have marked members.
pub(super) fn is_marked(text: &[u8]) -> bool {
    static MARK: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(LIFT));
    MARK.find(text).is_some()
}

/// Returns a message with its marked members in their places. Returns `None` if it has none.
pub(super) fn lifted(message: &[u8]) -> Option<Vec<u8>> {
    if !is_marked(message) {
        return None;
    }
    let mut message: Value = serde_json::from_slice(message).ok()?;
    let Value::Object(result) = message.get_mut("result")? else {
        return None;
    };
    let mut is_lifted = lift(result, "_meta");
    if let Some(Value::Object(capabilities)) = result.get_mut("capabilities") {
        is_lifted |= lift(capabilities, "experimental");
    }
    is_lifted
        .then(|| serde_json::to_vec(&message).ok())
        .flatten()
}

/// Moves the members under [`LIFT`] in `holder` to the level of `holder`. Returns whether there were any.
fn lift(level: &mut Map<String, Value>, holder: &str) -> bool {
    let Some(Value::Object(held)) = level.get_mut(holder) else {
        return false;
    };
    let Some(members) = held.remove(LIFT) else {
        return false;
    };
    if held.is_empty() {
        level.remove(holder);
    }
    if let Value::Object(members) = members {
        level.extend(members);
    }
    true
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(message: Value) -> Option<Value> {
        let text = message.to_string();
        lifted(text.as_bytes()).map(|text| serde_json::from_slice(&text).expect("JSON"))
    }

    #[test]
    fn members_of_results_and_capabilities_stand_at_their_top_level() {
        let hooks = json!({"events": []});
        assert_eq!(
            of(
                json!({"id": 1, "result": {"capabilities": {"experimental": {LIFT: {"hooks": hooks}}}}})
            ),
            Some(json!({"id": 1, "result": {"capabilities": {"hooks": hooks}}}))
        );
        assert_eq!(
            of(json!({"result": {"content": [], "_meta": {LIFT: {"state": {"n": 1}}, "a": 1}}})),
            Some(json!({"result": {"content": [], "_meta": {"a": 1}, "state": {"n": 1}}}))
        );
    }

    #[test]
    fn a_mark_in_another_place_changes_nothing() {
        assert_eq!(of(json!({"result": {"content": [{"text": LIFT}]}})), None);
        assert_eq!(of(json!({"params": {"_meta": {LIFT: {"state": 1}}}})), None);
        assert_eq!(of(json!({"result": {"_meta": [LIFT]}})), None);
        assert_eq!(of(json!([LIFT])), None);
        assert_eq!(lifted(format!("{{{LIFT}").as_bytes()), None);
    }
}
