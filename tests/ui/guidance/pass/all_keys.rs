use hooks_sdk::{
    guidance::{self, HookType, Lifecycle, McpFeature, RequirementLevel},
    prelude::*,
};
use serde_json::json;

struct Memory;

/// Not the description.
#[guidance::hook(
    action,
    running,
    requirement = MUST_NOT,
    name = "Care",
    text = "Delete nothing.",
    id = "take-care",
    weight = -5,
    app = "notes",
    description = "What to keep your hands off.",
    storage("sqlite", "memory"),
    features(sampling, elicitation),
    config(debug = true, "limits.max" = 5, r#type = ["a", null]),
    tags("a", "b"),
    blocking = true,
    dependencies("session:start:welcome"),
    tool = "delete_*",
    required = true,
    server = Memory,
)]
struct Care;

/// Says hello.
///
/// Every time.
#[guidance::hook(session, start, requirement = MAY, name = "Hello", text = "Hello.", blocking = false)]
struct SayHello;

#[test]
fn is_accepted() {
    assert_eq!(Care::ID, "notes:action:running:take-care");
    let hook = Care::hook();
    assert_eq!(hook.id(), Care::ID);
    assert!(hook.owner().includes::<Memory>() && !hook.owner().includes::<Care>());
    let input = hook.detail::<guidance::GuidanceHook>().unwrap().input();
    assert_eq!(
        (input.hook_type, input.lifecycle),
        (HookType::Action, Lifecycle::Running)
    );
    assert_eq!(input.requirement_level, RequirementLevel::MustNot);
    assert_eq!(
        (&*input.name, &*input.tag, input.priority),
        ("Care", "take-care", Some(-5))
    );
    assert_eq!(
        input.description.as_deref(),
        Some("What to keep your hands off.")
    );
    assert_eq!(
        (&*input.tags, &*input.dependencies),
        (
            &["a".into(), "b".into()][..],
            &["session:start:welcome".into()][..]
        )
    );
    assert_eq!(
        (input.tool.as_deref(), input.text.as_deref()),
        (Some("delete_*"), Some("Delete nothing."))
    );
    assert!(input.blocking && input.required);
    let conditions = input.conditions.clone().unwrap();
    assert_eq!(conditions.requires_storage.unwrap(), ["sqlite", "memory"]);
    assert_eq!(
        conditions.requires_features.unwrap(),
        [McpFeature::Sampling, McpFeature::Elicitation]
    );
    let config = json!({"debug": true, "limits.max": 5, "type": ["a", null]});
    assert_eq!(json!(conditions.requires_config.unwrap()), config);

    assert_eq!(SayHello::ID, "session:start:say-hello");
    let hook = SayHello::hook();
    let input = hook.detail::<guidance::GuidanceHook>().unwrap().input();
    assert_eq!(
        input.description.as_deref(),
        Some("Says hello.\n\nEvery time.")
    );
    assert_eq!(
        (input.priority, input.conditions.is_some(), input.blocking),
        (None, false, false)
    );
    assert!(hook.owner().includes::<Memory>());
}
