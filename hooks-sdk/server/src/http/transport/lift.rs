//! Moves marked members of a message to the places where hosts read them, and removes what must not leave.

use std::sync::{Arc, LazyLock};

use memchr::memmem::Finder;
use serde_json::{Map, Value};

use crate::server::carried::{
    LIFT, MARKS, Outgoing, Post, Replacement, remove_from_params, unmarked,
};

/// What may change in a message that leaves.
#[derive(Clone, Debug, Default)]
pub(super) struct Exit {
    /// Decides about requests and notifications of the server. `None` if they have left a session of the SDK.
    outgoing: Option<Outgoing>,
}

impl Exit {
    pub(super) fn of(outgoing: Option<Outgoing>) -> Exit {
        Exit { outgoing }
    }

    /// Returns what may change in the messages in answer to this request.
    pub(super) fn to(&self, post: Arc<Post>) -> Exit {
        let outgoing = self.outgoing.as_ref();
        Exit::of(outgoing.map(|outgoing| outgoing.to(post)))
    }

    /// Returns whether something may change in a text.
    pub(super) fn concerns(&self, text: &[u8]) -> bool {
        static MARK: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(MARKS));
        let outgoing = self.outgoing.as_ref();
        MARK.find(text).is_some() || outgoing.is_some_and(|outgoing| outgoing.concerns(text))
    }

    /// Returns whether an event that begins with these bytes, and that is too long to be read, must not leave.
    pub(super) fn drops(&self, beginning: &[u8]) -> bool {
        let outgoing = self.outgoing.as_ref();
        outgoing.is_some_and(|outgoing| outgoing.drops(beginning))
    }

    /// Returns what is sent in place of a message.
    pub(super) fn passes(&self, message: &[u8]) -> Replacement {
        if !self.concerns(message) {
            return Replacement::AsItIs;
        }
        let outgoing = self.outgoing.as_ref();
        let sent = outgoing.and_then(|outgoing| outgoing.sends(message));
        sent.unwrap_or_else(|| without_marks(message).map_or(Replacement::AsItIs, Replacement::As))
    }
}

/// Returns a message without marks. Returns `None` if it has none.
fn without_marks(message: &[u8]) -> Option<Vec<u8>> {
    let mut message: Value = serde_json::from_slice(message).ok()?;
    let is_changed = match message.get("method") {
        Some(method) => {
            let method = method.as_str()?.to_owned();
            remove_from_params(&method, message.get_mut("params")?)
        }
        None => lift_members(message.get_mut("result")?),
    };
    is_changed
        .then(|| serde_json::to_vec(&message).ok())
        .flatten()
}

fn lift_members(result: &mut Value) -> bool {
    let Value::Object(result) = result else {
        return false;
    };
    let mut is_lifted = lift(result, "_meta");
    if let Some(Value::Object(capabilities)) = result.get_mut("capabilities") {
        is_lifted |= lift(capabilities, "experimental");
    }
    is_lifted
}

/// Moves the members under [`LIFT`] in `holder` to the level of `holder`, if this process has marked them. Returns whether
/// the entry was there.
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
    level.extend(unmarked(members).into_iter().flatten());
    true
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::server::carried::marked;

    fn of(message: Value) -> Option<Value> {
        match Exit::default().passes(message.to_string().as_bytes()) {
            Replacement::As(text) => Some(serde_json::from_slice(&text).expect("JSON")),
            Replacement::AsItIs => None,
            Replacement::Nothing => panic!("nothing decides"),
        }
    }

    fn lift(members: Value) -> Value {
        let Value::Object(members) = members else {
            panic!("an object");
        };
        Value::Object(marked(members))
    }

    #[test]
    fn members_of_results_and_capabilities_stand_at_their_top_level() {
        let hooks = json!({"events": []});
        let marked = lift(json!({"hooks": hooks}));
        assert_eq!(
            of(json!({"id": 1, "result": {"capabilities": {"experimental": {LIFT: marked}}}})),
            Some(json!({"id": 1, "result": {"capabilities": {"hooks": hooks}}}))
        );
        let marked = lift(json!({"state": {"n": 1}}));
        assert_eq!(
            of(json!({"result": {"content": [], "_meta": {LIFT: marked, "a": 1}}})),
            Some(json!({"result": {"content": [], "_meta": {"a": 1}, "state": {"n": 1}}}))
        );
    }

    #[test]
    fn members_that_this_process_has_not_marked_are_dropped() {
        for held in [
            json!({"content": []}),
            json!({"0": {"content": []}}),
            json!(1),
        ] {
            assert_eq!(
                of(json!({"result": {"content": [1], "_meta": {LIFT: held}}})),
                Some(json!({"result": {"content": [1]}}))
            );
        }
        assert_eq!(
            of(json!({"method": "notifications/x", "params": {"_meta": {LIFT: 1, "a": 2}}})),
            Some(json!({"method": "notifications/x", "params": {"_meta": {"a": 2}}}))
        );
    }

    #[test]
    fn a_mark_in_another_place_changes_nothing() {
        assert_eq!(of(json!({"result": {"content": [{"text": LIFT}]}})), None);
        assert_eq!(of(json!({"result": {"_meta": [LIFT]}})), None);
        assert_eq!(of(json!([LIFT])), None);
        let broken = format!("{{{LIFT}");
        let passes = Exit::default().passes(broken.as_bytes());
        assert!(matches!(passes, Replacement::AsItIs));
    }
}
