//! Moves marked members of a message to the places where hosts read them, and removes what must not leave.

use std::sync::LazyLock;

use memchr::memmem::Finder;
use serde_json::{Map, Value};

use crate::server::carried::{LIFT, MARKS, TASKS, remove_marks, unmarked, withhold_task};

/// What may change in a message that leaves.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::http) struct Exit {
    /// Whether a notification about a task leaves without the contents of the task, because a station judges contents and
    /// sees no notifications.
    pub(in crate::http) withholds_tasks: bool,
}

impl Exit {
    /// Returns whether something may change in a text.
    pub(super) fn concerns(self, text: &[u8]) -> bool {
        static MARK: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(MARKS));
        static TASK: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(TASKS));
        MARK.find(text).is_some() || self.withholds_tasks && TASK.find(text).is_some()
    }

    /// Returns whether an event that begins with these bytes, and that is too long to be read, must not leave.
    pub(super) fn drops(self, beginning: &[u8]) -> bool {
        // rmcp writes the method before the params.
        let method = format!("\"method\":\"{TASKS}\"");
        self.withholds_tasks && Finder::new(&method).find(beginning).is_some()
    }

    /// Returns a message as it leaves. Returns `None` if nothing changes.
    pub(in crate::http) fn changed(self, message: &[u8]) -> Option<Vec<u8>> {
        if !self.concerns(message) {
            return None;
        }
        let mut message: Value = serde_json::from_slice(message).ok()?;
        let is_changed = match message.get("method").and_then(Value::as_str) {
            Some(TASKS) if self.withholds_tasks => withhold_task(message.get_mut("params")?),
            Some(_) => remove_marks(message.get_mut("params")?),
            None => lift_members(message.get_mut("result")?),
        };
        is_changed
            .then(|| serde_json::to_vec(&message).ok())
            .flatten()
    }
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
        let exit = Exit {
            withholds_tasks: true,
        };
        let changed = exit.changed(message.to_string().as_bytes());
        changed.map(|text| serde_json::from_slice(&text).expect("JSON"))
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
    fn a_notification_of_a_task_tells_its_status_only() {
        let params = json!({
            "taskId": "1", "status": "completed", "statusMessage": "s", "result": {"content": []},
            "_meta": {"a": 1, "io.modelcontextprotocol/subscriptionId": 2},
        });
        assert_eq!(
            of(json!({"method": TASKS, "params": params})),
            Some(json!({"method": TASKS, "params": {
                "taskId": "1", "status": "completed", "_meta": {"io.modelcontextprotocol/subscriptionId": 2},
            }}))
        );
        let working = json!({"taskId": "1", "status": "working"});
        assert_eq!(of(json!({"method": TASKS, "params": working})), None);
    }

    #[test]
    fn a_mark_in_another_place_changes_nothing() {
        assert_eq!(of(json!({"result": {"content": [{"text": LIFT}]}})), None);
        assert_eq!(of(json!({"result": {"_meta": [LIFT]}})), None);
        assert_eq!(of(json!([LIFT])), None);
        let broken = format!("{{{LIFT}");
        assert_eq!(Exit::default().changed(broken.as_bytes()), None);
    }
}
