//! A recorded query as ours.

use hooks_sdk::guidance::{HookQuery, HookRegistry, HookType, Lifecycle, McpFeature, Rules};
use serde_json::Value;

use super::list;

/// The ids that `registry` finds, in order, judging conditions as the reference implementation does.
///
/// The reference never validates a query: a word that it does not know finds nothing, and an empty one is
/// none.
pub(super) fn ids(registry: &HookRegistry, query: &Value) -> Vec<String> {
    let words = (
        word(&query["type"]).map(str::parse::<HookType>).transpose(),
        word(&query["lifecycle"])
            .map(str::parse::<Lifecycle>)
            .transpose(),
    );
    let (Ok(hook_type), Ok(lifecycle)) = words else {
        return Vec::new();
    };
    let tags: Vec<&str> = list(&query["tags"])
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let mut ours = HookQuery::new().tags(&tags).rules(Rules::Reference);
    ours.hook_type = hook_type;
    ours.lifecycle = lifecycle;
    ours.storage = word(&query["storage"]);
    ours.features = word(&query["feature"])
        .and_then(|word| word.parse::<McpFeature>().ok())
        .into_iter()
        .collect();
    ours.config = query["config"].as_object();
    ours.session_id = word(&query["sessionId"]);
    ours.request_id = word(&query["requestId"]);
    registry
        .query(&ours)
        .into_iter()
        .map(|hook| hook.id().to_owned())
        .collect()
}

fn word(value: &Value) -> Option<&str> {
    value.as_str().filter(|word| !word.is_empty())
}
