use hooks_sdk::{
    core::{HookError, Verdict},
    plugin::{Instance, Kind, Plugin, PluginAt, PluginHooks, linked_kinds, point},
    prelude::*,
};

struct Greylist(Vec<String>);

/// Documented, and with a condition.
#[cfg(not(any()))]
#[plugin(kind = "greylist")]
impl Plugin for Greylist {
    type Config = Vec<String>;

    fn new(tools: Vec<String>) -> Result<Greylist, HookError> {
        Ok(Greylist(tools))
    }

    fn hooks() -> PluginHooks<Self> {
        PluginHooks::new().on(point::tool_pre_invoke, |own: &Self, call, _cx| {
            Box::pin(async move {
                _ = own.0.iter().any(|tool| *tool == call.name);
                Verdict::<ToolCall>::Allow
            })
        })
    }
}

struct Never;

#[plugin(kind = "never")]
#[cfg(any())]
impl Plugin for Never {}

#[test]
fn is_accepted() {
    _ = Never;
    let kinds: Vec<Kind> = linked_kinds()
        .filter(|kind| ["greylist", "never"].contains(&kind.word()))
        .collect();
    assert_eq!(kinds.len(), 1);
    assert_eq!(kinds[0].points(), [PluginAt::ToolPreInvoke]);
    assert_eq!(Instance::of(Greylist(Vec::new())).id(), "greylist");
}
