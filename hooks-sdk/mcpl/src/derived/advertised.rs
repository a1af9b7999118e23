//! The capabilities of `experimental.mcpl` in the shape of each version.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::super::Version;

/// Builds the members that say what a server can do from the paths of its capabilities (MCPL 0.4.1 §5.1 and §14.1).
pub(super) fn tree(version: Version, paths: &BTreeSet<&'static str>) -> Map<String, Value> {
    let can = |path: &str| paths.contains(path);
    let mut tree = Map::new();
    for (path, shape) in [
        ("pushEvents", json!(true)),
        ("inferenceLifecycle", json!(true)),
        (
            "inferenceRequest",
            json!({ "streaming": can("inferenceRequest.streaming") }),
        ),
        ("modelInfo", json!(true)),
    ] {
        if can(path) {
            tree.insert(path.to_owned(), shape);
        }
    }
    let (context, channels) = match version {
        Version::V04 => (context_04(&can), channels_04(&can)),
        Version::V05 => (context_05(&can), channels_05(&can)),
    };
    for (name, members) in [("contextHooks", context), ("channels", channels)] {
        if !members.is_empty() {
            tree.insert(name.to_owned(), Value::Object(members));
        }
    }
    tree
}

fn context_04(can: &dyn Fn(&str) -> bool) -> Map<String, Value> {
    let mut hooks = Map::new();
    if can("contextHooks.beforeInference") {
        hooks.insert("beforeInference".to_owned(), json!(true));
    }
    if can("contextHooks.afterInference") {
        let blocking = can("contextHooks.afterInference.blocking");
        hooks.insert("afterInference".to_owned(), json!({ "blocking": blocking }));
    }
    hooks
}

fn context_05(can: &dyn Fn(&str) -> bool) -> Map<String, Value> {
    let observe = can("contextHooks.beforeInference.observe");
    let positions = ["system", "beforeUser", "afterUser"].map(|position| {
        let can = can(&format!("contextHooks.beforeInference.inject.{position}"));
        (position.to_owned(), json!(can))
    });
    let inject = positions.iter().any(|(_, can)| can == true);
    if !observe && !inject {
        return Map::new();
    }
    let hook = json!({ "observe": observe, "inject": Map::from_iter(positions) });
    Map::from_iter([("beforeInference".to_owned(), hook)])
}

/// The five channel members of 0.4: all are present if at least one is true.
fn channels_04(can: &dyn Fn(&str) -> bool) -> Map<String, Value> {
    let all = ["register", "publish", "observe", "lifecycle", "streaming"];
    let all = all.map(|name| (name.to_owned(), json!(can(&format!("channels.{name}")))));
    if all.iter().any(|(_, can)| can == true) {
        Map::from_iter(all)
    } else {
        Map::new()
    }
}

/// The channel members of 0.5: only those that are true, since an absent member is denied.
fn channels_05(can: &dyn Fn(&str) -> bool) -> Map<String, Value> {
    [
        "register",
        "lifecycle",
        "publish",
        "incoming",
        "streaming",
        "acknowledge",
        "typing",
    ]
    .into_iter()
    .filter(|name| can(&format!("channels.{name}")))
    .map(|name| (name.to_owned(), json!(true)))
    .collect()
}
