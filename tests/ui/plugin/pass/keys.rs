use std::time::Duration;

use hooks_sdk::{
    core::Posture,
    plugin::{PluginHook, PluginMode},
    prelude::*,
};

struct Memory;

#[plugin::hook(
    tool_pre_invoke,
    tool = "delete_*",
    when(args.path),
    unless(user = "root"),
    priority = -10,
    mode = concurrent,
    posture = proceed,
    deadline = "500ms",
    tags("safety", "files"),
    id = "guard",
)]
async fn all(_memory: &Memory) {}

#[plugin::hook(tool_pre_invoke, writable(args, headers), posture = deny, mode = enforce)]
async fn change(_memory: &Memory) {}

#[plugin::hook(http_post_request, writable(response_headers), mode = disabled, posture = deny)]
async fn off(_memory: &Memory) {}

#[plugin::hook(prompt_post_fetch, prompt = ["a", "b"], mode = permissive)]
async fn prompts(_memory: &Memory) {}

#[plugin::hook(resource_pre_fetch, resource = "file:///*", mode = fire_and_forget)]
async fn resources(_memory: &Memory) {}

#[plugin::hook(
    completion_pre_fetch,
    completion = "greet*",
    when(argument = "path", value = "/etc*"),
    writable(value, args)
)]
async fn complete(_memory: &Memory) {}

#[plugin::hook(
    resource_pre_fetch,
    resource = "file:///etc/*",
    deny = "not these",
    code = "PRIVATE",
    description = "Use the files of the project.",
    priority = 1,
    mode = audit,
    tags("files"),
    server = Memory,
)]
struct Rule;

#[test]
fn is_accepted() {
    let registry = crate::collected::<Memory>(file!()).unwrap();
    assert_eq!(plugin::problems(&registry), []);
    let hook = |id: &str| {
        registry
            .get(id)
            .and_then(|hook| hook.detail::<PluginHook>())
            .unwrap()
    };
    let guard = hook("plugin:tool_pre_invoke:guard");
    assert_eq!(
        (guard.id(), guard.its_priority(), guard.its_mode()),
        ("guard", -10, PluginMode::Concurrent)
    );
    assert_eq!(
        (guard.its_posture(), guard.its_deadline()),
        (Posture::Proceed, Duration::from_millis(500))
    );
    assert_eq!(guard.its_items().collect::<Vec<_>>(), ["delete_*"]);
    assert!(guard.its_conditions().0.is_some() && guard.its_conditions().1.is_some());
    assert_eq!(
        hook("plugin:prompt_post_fetch:prompts")
            .its_items()
            .collect::<Vec<_>>(),
        ["a", "b"]
    );
    let complete = hook("plugin:completion_pre_fetch:complete");
    assert_eq!(complete.its_items().collect::<Vec<_>>(), ["greet*"]);
    let rule = hook("plugin:resource_pre_fetch:rule");
    assert!(rule.is_rule() && rule.its_mode() == PluginMode::Audit);
    assert_eq!(Rule::ID, "rule");
}
