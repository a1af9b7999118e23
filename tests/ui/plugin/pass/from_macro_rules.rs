use hooks_sdk::{
    core::Verdict,
    plugin::{Listed, ListedItem},
    prelude::*,
};

macro_rules! server {
    ($point:ident, $payload:ty, $glob:literal, $mode:ident, $list:ident) => {
        struct Memory;

        #[plugin::hook($point, tool = [$glob, "x"], mode = $mode, id = "free")]
        async fn free(call: &$payload, cx: &mut PluginContext) {
            cx.set_state("name", &*call.name);
        }

        #[plugin::hook($point, when(args.path = $glob), deny = $glob)]
        struct Rule;

        #[plugin::list($list, tool = $glob)]
        fn hide(_item: &ListedItem) -> Listed {
            Listed::Hidden
        }

        #[hooks_sdk::hooks]
        impl Memory {
            #[plugin::hook($point, priority = 5)]
            async fn method(&self, call: &ToolCall, _cx: &mut PluginContext) -> Verdict<$payload> {
                Verdict::Modify(call.clone())
            }
        }
    };
}

server!(tool_pre_invoke, ToolCall, "delete_*", audit, tools);

#[test]
fn is_accepted() {
    let registry = crate::collected::<Memory>(file!()).unwrap();
    assert_eq!(plugin::problems(&registry), []);
    assert_eq!(registry.iter().len(), 4);
}
