//! What goes to a hook's standard output.

use serde_json::{Value, json};

use super::{Delivery, Mapping, Seen};

/// The answer that brings `text` to the agent as `mapping` says, with `stop` as the client's word for keeping the agent
/// from stopping; the empty object where nothing can or may be said.
///
/// The clients agree on the rest. Never plain text, which each takes for something else.
pub(super) fn bringing(mapping: Mapping, seen: &Seen, stop: &str, text: &str) -> Value {
    if text.is_empty() || seen.kept_going {
        return json!({});
    }
    match mapping.delivery {
        Delivery::Context => json!({ "hookSpecificOutput": {
            "hookEventName": mapping.native,
            "additionalContext": text,
        } }),
        Delivery::Continue => json!({ "decision": stop, "reason": text }),
        Delivery::Never => json!({}),
    }
}
