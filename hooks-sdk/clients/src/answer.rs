//! The answer on a hook's standard output.

use serde_json::{Value, json};

use super::{Delivery, Mapping, Seen};

/// Makes the answer that sends `text` to the agent by the delivery of `mapping`. `stop` is the client's word for keeping
/// the agent from stopping. Returns an empty object where no text can or may be sent.
///
/// The rest is the same in all clients. The answer is never plain text, which each client reads differently.
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
        Delivery::Next | Delivery::Gates | Delivery::Never => json!({}),
    }
}
