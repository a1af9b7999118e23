//! Definitions as JSON, and what the composer and the loader do when nothing is set.

use futures::executor::block_on;
use hooks_sdk::guidance::{
    Composer, ContentLoader, HookDefinition, HookInput, HookType, Lifecycle, RequirementLevel,
};
use hooks_tests::subscriber::Logged;
use serde_json::{Value, json, to_value};
use tracing::Level;

fn with(key: &str, value: Value) -> Value {
    let mut definition = json!({
        "tag": "welcome", "type": "session", "lifecycle": "start", "name": "Welcome", "requirementLevel": "SHOULD",
    });
    definition[key] = value;
    definition
}

fn input(tag: &'static str) -> HookInput {
    let (hook_type, lifecycle) = (HookType::Action, Lifecycle::Start);
    HookInput::new(hook_type, lifecycle, tag, "Name", RequirementLevel::May)
}

#[test]
fn a_priority_is_a_whole_number_however_it_is_written() {
    for (value, priority) in [(json!(50), 50), (json!(50.0), 50), (json!(-3), -3)] {
        let read = HookInput::try_from(&with("priority", value)).unwrap();
        assert_eq!(read.priority, Some(priority));
    }
    for value in [json!(0.5), json!(1e19), json!("50"), json!(null)] {
        let problem = HookInput::try_from(&with("priority", value)).unwrap_err();
        assert!(problem.to_string().starts_with("priority: "), "{problem}");
    }
}

#[test]
fn unknown_members_are_passed_over() {
    let read = HookInput::try_from(&with("colour", json!("red"))).unwrap();
    assert_eq!(
        read,
        HookInput::try_from(&with("name", json!("Welcome"))).unwrap()
    );
}

#[test]
fn our_own_members_are_not_in_the_documents_json() {
    let own = input("welcome").tool("work").text("Text.").required(true);
    let with_own = HookDefinition::new(own, "app").unwrap();
    let without = HookDefinition::new(input("welcome"), "app").unwrap();
    assert_eq!(to_value(&with_own).unwrap(), to_value(&without).unwrap());
}

#[test]
fn a_composer_with_nothing_set_writes_the_preambles() {
    let hook = HookDefinition::new(input("welcome"), "app").unwrap();
    let loader = ContentLoader::embedded([("welcome.md", "Text.")]);
    let loaded = block_on(loader.load_all(&[&hook]));
    let composed = Composer::default().compose(&loaded.resolved);
    assert!(
        composed
            .content
            .contains("## MAY\n\nThese are optional. Use your judgment.\n\n### Name")
    );
    assert!(composed.content.starts_with("> The following sections"));
}

#[test]
fn each_failed_load_is_one_event_at_error_with_the_hooks_id() {
    let missing = HookDefinition::new(input("missing"), "app").unwrap();
    let there = HookDefinition::new(input("there"), "app").unwrap();
    let loader = ContentLoader::embedded([("there.md", "Text.")]);
    let log = Logged::listen(Level::INFO);
    let loaded = block_on(loader.load_all(&[&missing, &there]));
    assert_eq!((loaded.resolved.len(), loaded.failed.len()), (1, 1));
    let log = log.take();
    let events: Vec<&str> = log.lines().collect();
    assert_eq!(events.len(), 1, "{log}");
    assert!(
        events[0].contains("ERROR") && events[0].contains("app:action:start:missing"),
        "{log}"
    );
}
