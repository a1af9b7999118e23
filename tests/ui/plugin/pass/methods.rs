use hooks_sdk::{
    core::{HookError, Verdict},
    prelude::*,
};

struct Memory;

#[hooks_sdk::hooks]
impl Memory {
    #[plugin::hook(tool_pre_invoke)]
    #[plugin::hook(tool_post_invoke, when(result.isError = true))]
    #[cfg_attr(any(), plugin::hook(prompt_pre_fetch))]
    async fn both(&self) {}

    #[plugin::hook(tool_pre_invoke, tool = "delete_*", when(args.path = "/etc/**"), priority = 10)]
    async fn check<'t>(
        &'t self,
        call: &'t ToolCall,
        cx: &mut PluginContext,
    ) -> Result<Verdict<ToolCall, Question>, Self> {
        cx.set_state("tool", &*call.name);
        if cx.elicitation_responses.is_empty() {
            Err(Memory)
        } else {
            Ok(Verdict::Allow)
        }
    }

    #[plugin::hook(tool_post_invoke)]
    async fn context(&self, cx: &mut PluginContext) {
        _ = cx.get_state("tool");
    }

    fn _other(&self) {}
}

impl From<Memory> for HookError {
    fn from(_: Memory) -> Self {
        Self::new("not asked")
    }
}

#[test]
fn is_accepted() {
    let registry = crate::collected::<Memory>(file!()).unwrap();
    assert_eq!(plugin::problems(&registry), []);
    for id in [
        "plugin:tool_pre_invoke:both",
        "plugin:tool_post_invoke:both",
        "plugin:tool_pre_invoke:check",
        "plugin:tool_post_invoke:context",
    ] {
        assert!(registry.get(id).is_some(), "{id}");
    }
    assert_eq!(registry.iter().len(), 4);
}
