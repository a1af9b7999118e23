use hooks_sdk as sdk;

mod re_exports {
    pub use ::hooks_sdk as inner;
}

use re_exports::inner::plugin;

struct Memory;

#[plugin::hook(
    tool_pre_invoke,
    tool = "delete_*",
    when(args.path),
    mode = audit,
    tags("a"),
    deadline = "1s",
    crate = crate::crate_path::re_exports::inner
)]
async fn watch(_memory: &Memory, _call: &plugin::ToolCall, _cx: &mut plugin::PluginContext) {}

#[plugin::hook(tool_pre_invoke, deny = "no", server = Memory, crate = re_exports::inner)]
struct Never;

#[plugin::list(tools, tool = "a*", server = Memory, crate = re_exports::inner)]
fn hide(_tool: &plugin::ListedItem) -> plugin::Listed {
    plugin::Listed::Hidden
}

struct Nothing;

#[plugin(kind = "nothing", crate = crate::crate_path::re_exports::inner)]
impl plugin::Plugin for Nothing {
    type Config = ();

    fn new((): ()) -> Result<Nothing, sdk::core::HookError> {
        Ok(Nothing)
    }

    fn hooks() -> plugin::PluginHooks<Nothing> {
        plugin::PluginHooks::new()
    }
}

#[test]
fn is_accepted() {
    assert_eq!(crate::collected::<Memory>(file!()).unwrap().iter().len(), 3);
}
