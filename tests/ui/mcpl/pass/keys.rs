use hooks_sdk::{
    mcpl::{Derived, McplHook, Version, point},
    prelude::*,
};

struct Memory;

/// Recalls.
#[mcpl::feature_set("memory.context")]
struct Recall;

/// Redacts.
#[mcpl::feature_set("memory.after")]
struct Redact;

#[mcpl::hook(
    before_inference,
    feature_set = Recall,
    inject(before_user),
    optional(after_user),
    observe = false,
    priority = 10,
    deadline = "4500ms",
    posture = proceed,
    id = "last"
)]
async fn second(_memory: &Memory) -> Option<Injection> {
    None
}

#[mcpl::hook(before_inference, priority = -10, feature_set = Recall, optional(system, after_user), posture = proceed)]
async fn first(_memory: &Memory) -> Option<Injection> {
    None
}

#[mcpl::hook(after_inference, feature_set = Redact, blocking, posture = deny, deadline = "9500ms")]
async fn redact(_memory: &Memory, turn: &AfterInference) -> String {
    turn.assistant_message.to_lowercase()
}

#[mcpl::hook(lifecycle, feature_set = Redact, deadline = "600s")]
async fn watch(_memory: &Memory) {}

#[mcpl::hook(enabled, feature_set = Redact)]
async fn everywhere() {}

#[test]
fn is_accepted() {
    let registry = crate::collected::<Memory>(file!()).unwrap();
    assert_eq!(mcpl::problems(&registry), []);
    let derived = Derived::of(&registry);
    let hooks: Vec<_> = derived
        .hooks_at::<point::before_inference>()
        .map(McplHook::id)
        .collect();
    assert_eq!(hooks, ["first", "last"]);
    assert!(
        derived
            .hooks_at::<point::after_inference>()
            .all(McplHook::is_blocking)
    );
    let set = derived.set("memory.context").unwrap();
    let observe = "contextHooks.beforeInference.observe";
    let [system, before, after] = [
        "contextHooks.beforeInference.inject.system",
        "contextHooks.beforeInference.inject.beforeUser",
        "contextHooks.beforeInference.inject.afterUser",
    ];
    // A hook reads the message if it can, and needs it only if its author says so.
    assert_eq!(set.uses(Version::V05), [before]);
    assert_eq!(
        set.capabilities(Version::V05),
        [observe, system, before, after]
    );
}
