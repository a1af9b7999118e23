//! The answer on a hook's standard output.

use serde_json::{Value, json};

use super::{Delivery, Mapping, Seen};

/// Makes the answer that sends `text` to the agent by the delivery of `mapping`. `stop` is the client's word for keeping
/// the agent from stopping.
///
/// The rest is the same in all clients. The answer is never plain text, which each client reads differently.
pub(super) fn bringing(mapping: Mapping, seen: &Seen, stop: &str, text: &str) -> Value {
    let context = |text: &str| {
        json!({ "hookSpecificOutput": {
            "hookEventName": mapping.native,
            "additionalContext": text,
        } })
    };
    let reason = |text: &str| json!({ "decision": stop, "reason": text });
    delivered(mapping, seen, text, context, reason)
}

/// Makes the answer with the form for context or the one for the reason why the agent may not stop. Returns an empty object
/// where no text can or may be sent.
pub(super) fn delivered(
    mapping: Mapping,
    seen: &Seen,
    text: &str,
    context: impl FnOnce(&str) -> Value,
    reason: impl FnOnce(&str) -> Value,
) -> Value {
    match mapping.delivery {
        _ if text.is_empty() || seen.kept_going => json!({}),
        Delivery::Context => context(text),
        Delivery::Continue => reason(text),
        Delivery::Next | Delivery::Gates | Delivery::Never => json!({}),
    }
}
