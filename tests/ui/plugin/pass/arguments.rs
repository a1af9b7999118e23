use hooks_sdk::prelude::*;

struct Memory;

#[plugin::hook(tool_pre_invoke)]
async fn nothing() {}

#[plugin::hook(tool_pre_invoke)]
async fn server(_memory: &Memory) {}

#[plugin::hook(tool_pre_invoke)]
async fn payload(_call: &ToolCall) {}

#[plugin::hook(tool_pre_invoke)]
async fn payload_by_its_path(_call: &hooks_sdk::plugin::ToolCall) {}

#[plugin::hook(tool_pre_invoke)]
async fn payload_and_context(_call: &ToolCall, cx: &mut PluginContext) {
    cx.set_state("seen", true);
}

#[plugin::hook(tool_pre_invoke)]
async fn server_and_payload(_memory: &Memory, _call: &ToolCall) {}

#[plugin::hook(tool_pre_invoke)]
async fn server_and_context(_memory: &Memory, cx: &mut PluginContext) {
    cx.set_state("seen", true);
}

#[plugin::hook(tool_pre_invoke)]
async fn everything<'a>(_memory: &'a Memory, _call: &'a ToolCall, _cx: &'a mut PluginContext) {}

#[test]
fn is_accepted() {
    let registry = crate::collected::<Memory>(file!()).unwrap();
    assert_eq!(plugin::problems(&registry), []);
    assert_eq!(registry.iter().len(), 8);
    let owned = |id: &str| {
        registry
            .get(&format!("plugin:tool_pre_invoke:{id}"))
            .unwrap()
            .owner()
    };
    for (id, of_memory) in [
        ("nothing", false),
        ("server", true),
        ("payload", false),
        ("server_and_context", true),
    ] {
        assert_eq!(owned(id).name().is_some(), of_memory, "{id}");
    }
}
