//! A server that takes secrets and personal data out of a model's answers before anybody sees them.

use hooks_sdk::{
    mcpl::{ErrorObject, Modified},
    prelude::*,
};
use rmcp::{
    ServerHandler,
    model::{Implementation, ServerCapabilities, ServerConfig},
};
use serde_json::{Map, Value, json};

pub use hooks_sdk::plugin::finder::{Finding, FindingKind, REDACTED, find, redact};

/// The longest answer that is looked at, in bytes; a longer one is refused.
pub const MAX_ANSWER: usize = 1024 * 1024;

/// How many redactions the metadata of an answer lists.
pub const MAX_LISTED: usize = 1000;

/// The server.
#[derive(Clone, Copy, Debug, Default)]
pub struct Compliance;

// ANCHOR: hook
/// Redact secrets and PII from responses
#[mcpl::feature_set("compliance.redaction")]
#[derive(Clone, Copy, Debug)]
pub struct Redaction;

#[hooks_sdk::hooks]
impl Compliance {
    #[mcpl::hook(after_inference, feature_set = Redaction, blocking, posture = deny)]
    async fn redact(&self, turn: &AfterInference) -> Result<Option<Modified>, ErrorObject> {
        let answer = &turn.assistant_message;
        if answer.len() > MAX_ANSWER {
            let length = answer.len();
            return Err(ErrorObject::internal(format!(
                "the answer has {length} bytes, and only {MAX_ANSWER} are looked at; do not show it"
            )));
        }
        let spans = find(answer);
        if spans.is_empty() {
            return Ok(None);
        }
        let modified = Modified::to(redact(answer, &spans));
        Ok(Some(modified.metadata(metadata(answer, &spans))))
    }
}
// ANCHOR_END: hook

impl ServerHandler for Compliance {
    fn get_info(&self) -> ServerConfig {
        let name = Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
        ServerConfig::new(ServerCapabilities::default()).with_server_info(name)
    }
}

/// What was taken out: its type, and its place in the model's text, in characters.
fn metadata(answer: &str, spans: &[Finding]) -> Map<String, Value> {
    let mut characters = 0;
    let mut seen = 0;
    // The spans stand in order, so that each character is counted once.
    let mut place = |at: usize| {
        characters += answer[seen..at].chars().count();
        seen = at;
        characters
    };
    let listed = spans.iter().take(MAX_LISTED).map(|span| {
        let position = [place(span.start), place(span.end)];
        json!({ "type": span.kind.as_str(), "position": position })
    });
    let mut metadata = Map::from_iter([("redactions".to_owned(), listed.collect())]);
    if let Some(unlisted) = spans.len().checked_sub(MAX_LISTED).filter(|more| *more > 0) {
        metadata.insert("unlisted".to_owned(), json!(unlisted));
    }
    metadata
}
