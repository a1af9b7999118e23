use hooks_sdk::{
    core::{Registry, Verdict, condition::Condition},
    plugin::{ListHook, ListOf, PluginHook, point},
    prelude::*,
};

struct Memory<S>(S);

impl<S: Sync> Memory<S> {
    async fn check(&self, call: &ToolCall) -> Verdict<ToolCall> {
        _ = (&self.0, call);
        Verdict::Allow
    }
}

fn hooks<S: Send + Sync + 'static>() -> Registry {
    let check = PluginHook::answering(
        "check",
        point::tool_pre_invoke,
        |memory: &Memory<S>, call, _| Box::pin(memory.check(call)),
    );
    let watch =
        PluginHook::answering_any("watch", point::prompt_pre_fetch, |_, _| Box::pin(async {}));
    let condition = Condition::parse(r#"args.path = inside("/etc")"#).unwrap();
    Registry::builder()
        .add(check.items(&["delete_*"]).into())
        .add(watch.into())
        .add(
            PluginHook::deny("rule", point::tool_pre_invoke, "no")
                .when(condition)
                .into(),
        )
        .add(ListHook::hide("hidden", ListOf::Tools, &["admin_*"]).into())
        .build()
        .unwrap()
}

#[test]
fn is_accepted() {
    let registry = hooks::<u8>();
    assert_eq!(plugin::problems(&registry), []);
    assert_eq!(registry.iter().len(), 4);
}
