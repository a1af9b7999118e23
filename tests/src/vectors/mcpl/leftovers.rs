//! Counts what a decoded value has in its catch-all.

use std::fmt::Debug;

/// How many members and words the value keeps without knowing them: entries of `other`, and variants `Other`.
///
/// It reads the value's `Debug`, which shows every field of every type within, also of types to come.
pub fn leftovers(value: &impl Debug) -> usize {
    let text = without_strings(&format!("{value:?}"));
    let maps = text.matches("other: {").count() - text.matches("other: {}").count();
    maps + text.matches("Other(").count()
}

/// Drops what stands between quotes, since a text may say anything.
fn without_strings(debug: &str) -> String {
    let mut kept = String::new();
    let mut characters = debug.chars();
    while let Some(character) = characters.next() {
        if character != '"' {
            kept.push(character);
            continue;
        }
        while let Some(inside) = characters.next() {
            match inside {
                '"' => break,
                '\\' => {
                    characters.next();
                }
                _ => {}
            }
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use hooks_sdk::mcpl::{ContentBlock, InferenceResult, Injection, wire::PushEvent};
    use serde_json::{from_value, json};

    use super::*;

    #[test]
    fn what_is_known_leaves_nothing() {
        let injection: Injection = from_value(json!({
            "namespace": "other: {x", "position": "system", "content": "Other(\"x\")",
            "metadata": {"other": {"other": 1}}
        }))
        .unwrap();
        assert_eq!(leftovers(&injection), 0);
    }

    #[test]
    fn what_is_not_known_is_counted_at_any_depth() {
        let push: PushEvent = from_value(json!({
            "featureSet": "a", "eventId": "e", "timestamp": "t", "since": 1,
            "payload": {"more": 1, "content": [{"type": "text", "text": "x", "lang": "en"}]}
        }))
        .unwrap();
        assert_eq!(leftovers(&push), 3);
        let block: ContentBlock = from_value(json!({"type": "video", "uri": "x"})).unwrap();
        assert_eq!(leftovers(&block), 1);
        let result: InferenceResult = from_value(json!({
            "content": "", "model": "m", "finishReason": "content_filter",
            "usage": {"inputTokens": 1, "outputTokens": 1}
        }))
        .unwrap();
        assert_eq!(leftovers(&result), 1);
    }
}
