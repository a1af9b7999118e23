use std::time::Duration;

use hooks_sdk::{
    aos::{AosAt, AosHook},
    core::Verdict,
    prelude::*,
};

struct Policy;

#[aos::hook(tool_call_request, priority = -5, deadline = "500ms", tags("pci", "night"), id = "no-shell")]
async fn check(_policy: &Policy) -> Verdict<ToolCallRequest> {
    Verdict::Allow
}

#[aos::hook(tool_call_request)]
async fn without(_policy: &Policy) -> Verdict<ToolCallRequest> {
    Verdict::Allow
}

#[test]
fn is_accepted() {
    let registry = crate::collected::<Policy>(file!()).unwrap();
    let hook = |id: &str| registry.get(id).unwrap().detail::<AosHook>().unwrap();
    let all = hook("aos:tool_call_request:no-shell");
    assert_eq!((all.id(), all.at()), ("no-shell", AosAt::ToolCallRequest));
    assert_eq!(
        (all.its_priority(), all.its_deadline()),
        (-5, Duration::from_millis(500))
    );
    assert_eq!(all.its_tags().collect::<Vec<_>>(), ["pci", "night"]);
    let none = hook("aos:tool_call_request:without");
    assert_eq!(
        (none.its_priority(), none.its_deadline()),
        (100, Duration::from_secs(5))
    );
    assert_eq!(none.its_tags().count(), 0);
    let origin = registry
        .get("aos:tool_call_request:no-shell")
        .unwrap()
        .origin();
    assert!(
        origin.file.ends_with("keys.rs") && origin.line > 0,
        "{origin}"
    );
}
