//! Hooks before and after an inference.

use hooks_sdk::{
    mcpl::{ContentBlock, InferenceLifecycle, Modified},
    prelude::*,
};
use serde_json::{Map, json};

use crate::{
    Fixture,
    seen::{as_value, form},
    sets::{After, Context},
};

#[hooks_sdk::hooks]
impl Fixture {
    #[mcpl::hook(
        before_inference,
        feature_set = Context,
        inject(system, before_user),
        optional(after_user),
        observe = true
    )]
    async fn inject(&self, turn: &BeforeInference) -> Vec<Injection> {
        self.seen.lock().before.push(as_value(turn));
        let user = turn.user_message.as_deref().unwrap_or("null");
        let channels = turn.channels.as_ref();
        let incoming = channels.and_then(|channels| channels.incoming.as_ref());
        let channel = incoming.map_or("none", |incoming| &incoming.channel_id);
        let system = format!(
            "ACC-SYSTEM conv={} turn={}",
            turn.conversation_id, turn.turn_index
        );
        let before = format!("ACC-BEFORE user={user} chan={channel}");
        vec![
            Injection::new("acc", Position::System, ContentBlock::text(system))
                .metadata(Map::from_iter([("k".to_owned(), json!(1))])),
            Injection::new("acc", Position::BeforeUser, before),
            Injection::new(
                "acc",
                Position::AfterUser,
                ContentBlock::resource("acc://fact/1"),
            ),
        ]
    }

    #[mcpl::hook(after_inference, feature_set = After, blocking)]
    async fn redact(&self, turn: &AfterInference, cx: &mcpl::Context) -> Modified {
        let form = form(cx.is_awaited());
        let seen = json!({ "form": form, "params": as_value(turn) });
        self.seen.lock().after.push(seen);
        let (text, count) = redacted(&turn.assistant_message);
        let answer = if count == 0 {
            Modified::unchanged()
        } else {
            Modified::to(text)
        };
        answer.metadata(Map::from_iter([("redactions".to_owned(), json!(count))]))
    }

    #[mcpl::hook(lifecycle, feature_set = After)]
    async fn watch(&self, lifecycle: &InferenceLifecycle) {
        self.seen.lock().lifecycle.push(as_value(lifecycle));
    }
}

/// The text with every `sk-…` replaced, and how many there were.
fn redacted(text: &str) -> (String, usize) {
    let mut redacted = String::with_capacity(text.len());
    let mut count = 0;
    let mut rest = text;
    while let Some(at) = rest.find("sk-") {
        let key = &rest[at + 3..];
        let end = key.find(|c: char| !c.is_ascii_alphanumeric());
        let length = end.unwrap_or(key.len());
        if length == 0 {
            redacted.push_str(&rest[..at + 3]);
        } else {
            redacted.push_str(&rest[..at]);
            redacted.push_str("[REDACTED]");
            count += 1;
        }
        rest = &key[length..];
    }
    redacted.push_str(rest);
    (redacted, count)
}

#[cfg(test)]
mod tests {
    use super::redacted;

    #[test]
    fn keys_go_and_the_rest_stays() {
        for (text, expected, count) in [
            ("The key is sk-abc123.", "The key is [REDACTED].", 1),
            ("sk-a sk-b", "[REDACTED] [REDACTED]", 2),
            ("task-force sk- sk-", "ta[REDACTED] sk- sk-", 1),
            ("", "", 0),
        ] {
            assert_eq!(redacted(text), (expected.to_owned(), count));
        }
    }
}
