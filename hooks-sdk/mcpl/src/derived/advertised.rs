//! The capabilities of `experimental.mcpl` in the shape of each version.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::super::{Version, wire::path};

/// The members of both versions. Each has its group before it: a member is there if the server can do something of the group.
const MEMBERS: &[(&str, &str)] = &[
    ("pushEvents", "pushEvents"),
    ("inferenceLifecycle", "inferenceLifecycle"),
    ("inferenceRequest", "inferenceRequest.streaming"),
    ("modelInfo", "modelInfo"),
];

/// The further members of 0.4. Those of channels are all there if at least one is true.
const ON_04: &[(&str, &str)] = &[
    (
        "contextHooks.beforeInference",
        "contextHooks.beforeInference",
    ),
    (
        "contextHooks.afterInference",
        "contextHooks.afterInference.blocking",
    ),
    ("channels", "channels.register"),
    ("channels", "channels.publish"),
    ("channels", "channels.observe"),
    ("channels", "channels.lifecycle"),
    ("channels", "channels.streaming"),
];

/// The further members of 0.5. Those of channels are there only if they are true, since an absent member is denied.
const ON_05: &[(&str, &str)] = &[
    ("contextHooks.beforeInference", path::OBSERVE),
    ("contextHooks.beforeInference", path::INJECT_SYSTEM),
    ("contextHooks.beforeInference", path::INJECT_BEFORE_USER),
    ("contextHooks.beforeInference", path::INJECT_AFTER_USER),
    ("channels.register", "channels.register"),
    ("channels.lifecycle", "channels.lifecycle"),
    ("channels.publish", "channels.publish"),
    ("channels.incoming", "channels.incoming"),
    ("channels.streaming", "channels.streaming"),
    ("channels.acknowledge", "channels.acknowledge"),
    ("channels.typing", "channels.typing"),
];

/// Builds the members that say what a server can do from the paths of its capabilities (MCPL 0.4.1 §5.1 and §14.1).
pub(super) fn tree(version: Version, paths: &BTreeSet<&'static str>) -> Map<String, Value> {
    let own = match version {
        Version::V04 => ON_04,
        Version::V05 => ON_05,
    };
    let is_in = |path: &str, group: &str| {
        let rest = path.strip_prefix(group);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let mut tree = json!({});
    for (group, member) in MEMBERS.iter().chain(own) {
        if paths.iter().any(|path| is_in(path, group)) {
            let place = member.split('.').fold(&mut tree, |at, name| &mut at[name]);
            *place = json!(paths.contains(member));
        }
    }
    match tree {
        Value::Object(tree) => tree,
        _ => Map::new(),
    }
}
