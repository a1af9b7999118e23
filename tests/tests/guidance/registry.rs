//! The registry against a naive model, and where its rules differ from the reference implementation's.

use std::{cmp::Reverse, fs, path::Path};

use hooks_sdk::guidance::{
    HookDefinition, HookInput, HookQuery, HookRegistry, HookType, Lifecycle, McpFeature,
    RegisterError, RequirementLevel, SkipReason,
};
use proptest::{collection::vec, option, prelude::*, sample::select};
use serde_json::{Value, json};

fn input(tag: impl Into<String>) -> HookInput {
    let level = RequirementLevel::Should;
    HookInput::new(
        HookType::Session,
        Lifecycle::Start,
        tag.into(),
        "Name",
        level,
    )
}

fn ids(hooks: &[&HookDefinition]) -> Vec<String> {
    hooks.iter().map(|hook| hook.id().to_owned()).collect()
}

fn tags<'h>(hooks: &[&'h HookDefinition]) -> Vec<&'h str> {
    hooks.iter().map(|hook| &*hook.tag).collect()
}

#[test]
fn register_all_is_atomic_and_names_every_problem() {
    let mut registry = HookRegistry::new();
    registry.register(input("a")).unwrap();
    let hooks = [input("b"), input("a"), input("B"), input("b")];
    let problems = registry.register_all(hooks).unwrap_err();
    let places: Vec<usize> = problems.iter().map(|(at, _)| *at).collect();
    assert_eq!(places, [1, 2, 3]);
    let expected = "hook 1: Hook with ID 'mcp-toolkit:session:start:a' is already registered\n\
                    hook 2: tag: a tag is kebab-case: `a` to `z`, `0` to `9` and `-`\n\
                    hook 3: Hook with ID 'mcp-toolkit:session:start:b' is already registered";
    assert_eq!(problems.to_string(), expected);
    assert_eq!(registry.size(), 1);
    assert!(!registry.has("mcp-toolkit:session:start:b"));
    assert_eq!(
        registry
            .register_all([input("b"), input("c")])
            .unwrap()
            .len(),
        2
    );
}

#[test]
fn the_app_is_set_once_and_never_empty() {
    let mut registry = HookRegistry::with_app("my-server").unwrap();
    let id = |registry: &mut HookRegistry, input| registry.register(input).unwrap().id().to_owned();
    assert_eq!(id(&mut registry, input("a")), "my-server:session:start:a");
    assert_eq!(
        id(&mut registry, input("a").app("x:y")),
        "x:y:session:start:a"
    );
    let empty = registry.register(input("b").app(""));
    assert!(matches!(empty, Err(RegisterError::Invalid(_))));
    assert_eq!(
        HookRegistry::with_app("").unwrap_err().to_string(),
        "app: the app is empty"
    );
    registry.clear();
    assert_eq!((registry.size(), registry.app()), (0, "my-server"));
}

#[test]
fn a_hook_that_is_removed_and_registered_again_stands_last() {
    let mut registry = HookRegistry::new();
    registry.register_all(["a", "b", "c"].map(input)).unwrap();
    assert!(registry.unregister("mcp-toolkit:session:start:a"));
    assert!(!registry.unregister("mcp-toolkit:session:start:a"));
    registry.register(input("a")).unwrap();
    assert_eq!(tags(&registry.all().collect::<Vec<_>>()), ["b", "c", "a"]);
    let at_start = HookQuery::at(HookType::Session, Lifecycle::Start);
    assert_eq!(tags(&registry.query(&at_start)), ["b", "c", "a"]);
    assert_eq!(tags(&registry.query(&HookQuery::new())), ["b", "c", "a"]);
}

#[test]
fn a_copy_is_independent() {
    let mut registry = HookRegistry::new();
    registry.register(input("a")).unwrap();
    let before = registry.clone();
    registry.register(input("b")).unwrap();
    assert_eq!((before.size(), registry.size()), (1, 2));
}

#[test]
fn bound_hooks_never_leak_to_who_asks_with_ids() {
    let mut registry = HookRegistry::new();
    let bound = [
        input("free"),
        input("mine").session_id("s1").request_id("r1"),
        input("theirs").session_id("s2"),
        input("other-request").session_id("s1").request_id("r2"),
        input("conditional")
            .session_id("s2")
            .requires_storage(["memory"]),
    ];
    registry.register_all(bound).unwrap();
    let query = HookQuery::new().session_id("s1").request_id("r1");
    let queried = registry.query_with_transparency(&query);
    assert_eq!(tags(&queried.hooks), ["free", "mine"]);
    assert_eq!(queried.skipped, []);
}

#[test]
fn what_is_skipped_is_told_with_its_reason() {
    let mut registry = HookRegistry::new();
    let config = json!({"debug": true, "window": {"wide": [1, 2]}});
    let config = config.as_object().unwrap();
    let elsewhere = HookInput::new(
        HookType::Action,
        Lifecycle::End,
        "a",
        "A",
        RequirementLevel::May,
    );
    let both = [McpFeature::Tools, McpFeature::Sampling];
    let hooks = [
        input("storage")
            .requires_storage(["memory", "file"])
            .priority(1),
        input("features").requires_features(both).priority(2),
        input("config").requires_config(config.clone()).priority(3),
        input("first").requires_storage(["memory"]),
        elsewhere.requires_storage(["memory"]),
    ];
    registry.register_all(hooks).unwrap();
    let given = json!({"debug": true, "window": {"wide": [1]}});
    let query = HookQuery::at(HookType::Session, Lifecycle::Start)
        .features([McpFeature::Tools])
        .config(given.as_object().unwrap());
    let skipped = registry.query_with_transparency(&query).skipped;
    let reasons: Vec<String> = skipped.iter().map(|hook| hook.reason.to_string()).collect();
    let expected = [
        "requires storage: memory",
        "requires config: window",
        "requires features: sampling",
        "requires storage: memory or file",
    ];
    assert_eq!(reasons, expected);
    assert!(
        skipped
            .iter()
            .all(|hook| matches!(hook.reason, SkipReason::Conditions(_)))
    );
    let met = query.features(both).storage("file").config(config);
    assert_eq!(
        tags(&registry.query(&met)),
        ["config", "features", "storage"]
    );
}

/// The recorded queries, by the rules of the document: only what we follow was recorded.
#[test]
fn the_recorded_queries_hold_by_the_documents_rules() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/guidance/registry_query.json");
    let file: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let mut checked = 0;
    for vector in file["vectors"].as_array().unwrap() {
        let mut registry = HookRegistry::new();
        let hooks = vector["hooks"].as_array().unwrap().iter();
        let hooks = hooks.map(|hook| HookInput::try_from(hook).unwrap());
        registry.register_all(hooks).unwrap();
        for recorded in vector["queries"].as_array().unwrap() {
            let asked = &recorded["query"];
            let wanted = asked["tags"].as_array().into_iter().flatten();
            let wanted: Vec<&str> = wanted.filter_map(Value::as_str).collect();
            let feature = asked["feature"].as_str();
            let mut query = HookQuery::new().tags(&wanted);
            query.hook_type = asked["type"].as_str().map(|word| word.parse().unwrap());
            query.lifecycle = asked["lifecycle"]
                .as_str()
                .map(|word| word.parse().unwrap());
            query.storage = asked["storage"].as_str();
            query.features = feature
                .into_iter()
                .map(|word| word.parse().unwrap())
                .collect();
            query.config = asked["config"].as_object();
            query.session_id = asked["sessionId"].as_str();
            query.request_id = asked["requestId"].as_str();
            let found = ids(&registry.query(&query));
            assert_eq!(json!(found), recorded["ids"], "{}", vector["id"]);
            checked += 1;
        }
    }
    assert!(checked > 100, "{checked}");
}

prop_compose! {
    fn hook()(
        hook_type in select(HookType::ALL),
        lifecycle in select(Lifecycle::ALL),
        priority in -2_i64..3,
        tags in vec(select(vec!["x", "y"]), 0..2),
        session in option::of(select(vec!["s1", "s2", ""])),
        storage in option::of(select(vec!["memory", "file"])),
    ) -> HookInput {
        let mut input = HookInput::new(hook_type, lifecycle, "x", "X", RequirementLevel::May);
        input = input.priority(priority).tags(tags);
        input.session_id = session.map(Into::into);
        storage.into_iter().fold(input, |input, storage| input.requires_storage([storage]))
    }
}

/// What a query asks, judged hook by hook.
fn wanted(query: &HookQuery<'_>, hook: &HookDefinition) -> bool {
    let free = |id: Option<&str>| id.is_none_or(str::is_empty);
    let conditions = hook
        .conditions
        .as_ref()
        .and_then(|all| all.requires_storage.as_ref());
    let active = |one| query.storage == Some(one);
    query
        .hook_type
        .is_none_or(|wanted| hook.hook_type == wanted)
        && query
            .lifecycle
            .is_none_or(|wanted| hook.lifecycle == wanted)
        && (query.tags.is_empty() || hook.tags.iter().any(|tag| tag == "x"))
        && (free(query.session_id)
            || free(hook.session_id.as_deref())
            || hook.session_id.as_deref() == query.session_id)
        && conditions.is_none_or(|storage| storage.iter().any(|one| active(&**one)))
}

proptest! {
    #[test]
    fn a_query_finds_what_a_naive_one_finds(
        hooks in vec(hook(), 0..40),
        removed in vec(0_usize..40, 0..6),
        moment in (option::of(select(HookType::ALL)), option::of(select(Lifecycle::ALL))),
        tagged in any::<bool>(),
        session in option::of(select(vec!["s1", "s3", ""])),
        storage in option::of(select(vec!["memory"])),
    ) {
        let mut registry = HookRegistry::new();
        registry.register_all(hooks.into_iter().enumerate().map(|(at, mut hook)| {
            hook.tag = format!("h{at}").into();
            hook
        })).unwrap();
        for at in removed {
            let id = registry.all().nth(at).map(|hook| hook.id().to_owned());
            id.map(|id| registry.unregister(&id));
        }
        let mut query = HookQuery::new().tags(if tagged { &["x"] } else { &[] });
        (query.hook_type, query.lifecycle) = moment;
        (query.session_id, query.storage) = (session, storage);

        let mut expected: Vec<&HookDefinition> =
            registry.all().filter(|hook| wanted(&query, hook)).collect();
        expected.sort_by_key(|hook| Reverse(hook.priority()));
        prop_assert_eq!(ids(&registry.query(&query)), ids(&expected));
        prop_assert_eq!(ids(&registry.query_with_transparency(&query).hooks), ids(&expected));
    }
}
