//! Each ready-made plugin, in Rust and in a configuration file.

use std::time::Duration;

use hooks_sdk::{
    core::{HookError, condition::Condition},
    plugin::{
        Configuration, Instance,
        finder::FindingKind,
        ready::{
            self, AllowList, Confirm, DenyList, RateKey, RateLimit, Redact, SizeLimit, Validate,
        },
    },
};

// ANCHOR: allow_list
fn only_these() -> Result<Instance, HookError> {
    let inside = Condition::parse(r#"args.path = inside("/srv/data")"#)?;
    let list = AllowList::new()
        .tool("read_*")
        .tool("search")
        .tool_when("write_*", inside);
    Ok(Instance::of(list).priority(1))
}
// ANCHOR_END: allow_list

// ANCHOR: deny_list
fn never_these() -> Result<Instance, HookError> {
    let system = Condition::parse(r#"args.path = inside("/etc")"#)?;
    let list = DenyList::new()
        .tool("shell_*")
        .tool_when("*", system)
        .reason("the system's configuration is not touched");
    Ok(Instance::of(list).priority(1))
}
// ANCHOR_END: deny_list

// ANCHOR: rate_limit
fn searches() -> Instance {
    let limit = RateLimit::new()
        .per_minute(60)
        .burst(10)
        .tool("search*")
        .by([RateKey::User, RateKey::Tool]);
    Instance::of(limit).priority(5)
}
// ANCHOR_END: rate_limit

// ANCHOR: size_limit
fn answers() -> Instance {
    Instance::of(SizeLimit::new().tokens(10_000).characters(400_000))
}
// ANCHOR_END: size_limit

// ANCHOR: redact
fn secrets() -> Instance {
    let redact = Redact::new()
        .keep(FindingKind::EmailAddress)
        .keep(FindingKind::PhoneNumber)
        .arguments();
    Instance::of(redact)
}
// ANCHOR_END: redact

// ANCHOR: confirm
fn ask_first() -> Instance {
    let confirm = Confirm::new()
        .tool("delete_*")
        .tool("send_*")
        .timeout(Duration::from_secs(60));
    Instance::of(confirm).priority(90)
}
// ANCHOR_END: confirm

// ANCHOR: validate
fn schemas() -> Instance {
    Instance::of(Validate::new()).priority(2)
}
// ANCHOR_END: validate

#[test]
fn the_file_and_the_functions_say_the_same() {
    let file =
        Configuration::parse("ready.yaml", include_str!("ready.yaml"), ready::KINDS, &[]).unwrap();
    let in_rust = [
        only_these().unwrap(),
        never_these().unwrap(),
        searches(),
        answers(),
        secrets(),
        ask_first(),
        schemas(),
    ];
    assert_eq!(file.plugins().count(), in_rust.len());
    for (plugin, instance) in file.plugins().zip(&in_rust) {
        let at = |hooks: &[hooks_sdk::plugin::PluginHook]| -> Vec<_> {
            hooks
                .iter()
                .map(|hook| (hook.at(), hook.its_priority()))
                .collect()
        };
        assert_eq!(at(&plugin.hooks), at(instance.hooks()), "{}", plugin.name);
    }
}
