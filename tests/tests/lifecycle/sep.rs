//! SEP-2282 taken at its word: its instances, its schemas, and what it forbids.

use hooks_sdk::{
    core::{Open, Registry},
    lifecycle::{
        self, ClientHooksCapability, Declaration, Declarations, Event, HookContent, LifecycleHook,
        Matcher, ServerHooksCapability, Strength, event, point, problem, schema, strength,
    },
};
use jsonschema::Validator;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value, from_str, from_value, json, to_value};

fn instance(text: &str) -> Value {
    from_str(text).expect("JSON, as in the document")
}

fn decoded<T: DeserializeOwned + Serialize>(sent: &Value) -> T {
    let read: T = from_value(sent.clone()).expect("the type that the document names");
    assert_eq!(to_value(&read).unwrap(), *sent, "encoded again");
    read
}

/// No member that the document defines ended among those that it does not.
fn assert_named(declaration: &Declaration) {
    assert_eq!(declaration.other, Map::new());
    assert!(declaration.event.known().is_some() && declaration.strength.known().is_some());
    if let Some(matcher) = &declaration.matcher {
        assert_eq!(matcher.other, Map::new());
    }
}

#[test]
fn line_52_server_capabilities() {
    let whole = instance(include_str!(
        "../../sep-2282/line-052-server-capabilities.json"
    ));
    let hooks: ServerHooksCapability = decoded(&whole["capabilities"]["hooks"]);
    assert_eq!(hooks.other, Map::new());
    hooks.declarations.iter().for_each(assert_named);
    let [commit, start, end] = &hooks.declarations[..] else {
        panic!("three declarations")
    };
    assert_eq!(commit.event, Open::Known(Event::PostToolUse));
    let matcher = Matcher::new()
        .tool_name("Bash")
        .input_contains("git commit");
    assert_eq!(commit.matcher, Some(matcher));
    assert_eq!(start.strength, Open::Known(Strength::Important));
    let HookContent::ContextTool { name, args } = &start.content else {
        panic!("a context tool")
    };
    assert_eq!(name, "search_memories");
    assert_eq!(args.as_ref().unwrap()["project"], "{project_name}");
    assert!(matches!(&end.content, HookContent::Context(text) if text.starts_with("This session")));
}

#[test]
fn line_170_client_capabilities() {
    let whole = instance(include_str!(
        "../../sep-2282/line-170-client-capabilities.json"
    ));
    let hooks: ClientHooksCapability = decoded(&whole["capabilities"]["hooks"]);
    let events = [Event::SessionStart, Event::PostToolUse, Event::SessionEnd];
    assert_eq!(hooks, ClientHooksCapability::new(events));
}

#[test]
fn line_399_declaration() {
    let sent = instance(include_str!("../../sep-2282/line-399-declaration.json"));
    assert_named(&decoded(&sent));
}

#[test]
fn line_117_names_the_members_and_no_others() {
    // Its values describe values, so that it is no instance; its names are those of the wire.
    let structure = instance(include_str!(
        "../../sep-2282/line-117-declaration-structure.json"
    ));
    let text = Declaration::new(
        Event::PreToolUse,
        Strength::Required,
        HookContent::context("x"),
    );
    let args = Map::from_iter([("a".to_owned(), json!(1))]);
    let tool = HookContent::context_tool("t", args);
    let tool = Declaration::new(Event::PreToolUse, Strength::Required, tool).matcher(
        Matcher::new()
            .tool_name("a")
            .input_contains("b")
            .tool_server("c"),
    );
    let (text, tool) = (to_value(text).unwrap(), to_value(tool).unwrap());
    let mut ours = tool.as_object().unwrap().clone();
    ours.extend(text.as_object().unwrap().clone());
    assert_eq!(names(&Value::Object(ours)), names(&structure));
    assert_eq!(names(&tool["matcher"]), names(&structure["matcher"]));
}

fn names(object: &Value) -> Vec<&String> {
    let mut names: Vec<_> = object.as_object().unwrap().keys().collect();
    names.sort();
    names
}

#[test]
fn the_schemas_are_the_documents() {
    assert_eq!(
        schema::SERVER,
        include_str!("../../sep-2282/line-218-server-schema.json")
    );
    assert_eq!(
        schema::CLIENT,
        include_str!("../../sep-2282/line-276-client-schema.json")
    );
}

fn validator(schema: &str) -> Validator {
    jsonschema::validator_for(&instance(schema)).expect("a schema")
}

#[test]
fn what_the_document_forbids_is_refused_by_its_schema_and_by_us() {
    let schema = validator(schema::SERVER);
    for (declaration, problem) in [
        (
            json!({"context": "x", "context_tool": "t"}),
            problem::TWO_CONTEXTS,
        ),
        (json!({}), problem::NO_CONTEXT),
    ] {
        let mut declaration = declaration;
        declaration["event"] = json!("session_end");
        declaration["priority"] = json!("required");
        assert!(!schema.is_valid(&json!({ "declarations": [declaration] })));
        let error = from_value::<Declaration>(declaration).unwrap_err();
        assert_eq!(error.to_string(), problem.message());
    }
    for wrong in [
        json!({"priority": "required", "context": "x"}),
        json!({"event": "session_end", "context": "x"}),
        json!({"event": "session_end", "priority": "required", "context": 1}),
        json!({"event": 1, "priority": "required", "context": "x"}),
        json!({"event": "session_end", "priority": "required", "context": "x", "matcher": "Bash"}),
        json!({"event": "session_end", "priority": "required", "context_tool": "t", "context_tool_args": []}),
        json!({"event": "pre_tool_use", "priority": "required", "context": "x", "matcher": {"tool_name": 1}}),
    ] {
        let error = from_value::<Declaration>(wrong.clone()).map(|_| ());
        assert!(error.is_err(), "{wrong}");
        assert!(!schema.is_valid(&json!({ "declarations": [wrong] })));
    }
}

#[test]
fn what_only_the_text_forbids_is_refused_by_us() {
    // "`context_tool_args` […] Requires `context_tool` to be set."
    let args = json!({"event": "session_end", "priority": "required", "context": "x", "context_tool_args": {}});
    let error = from_value::<Declaration>(args).unwrap_err();
    assert_eq!(error.to_string(), problem::ARGS_WITHOUT_TOOL.message());
    // "Only applicable to `pre_tool_use` and `post_tool_use` events."
    for event in Event::ALL {
        let narrowed = Declaration::new(event, Strength::Required, HookContent::context("x"))
            .matcher(Matcher::new().tool_name("Bash"));
        let expected = (!event.is_tool_event()).then_some(problem::MATCHER_WITHOUT_TOOL);
        assert_eq!(narrowed.problem(), expected, "{event}");
    }
}

#[test]
fn the_variables_are_legal_where_the_document_says() {
    for event in Event::ALL {
        let mut expected = vec!["project_name", "session_id"];
        if event.is_tool_event() {
            expected.extend(["tool_name", "tool_input"]);
        }
        if event == Event::PostToolUse {
            expected.push("tool_output");
        }
        assert_eq!(event.variables(), expected, "{event}");
    }
}

struct Memory;

#[lifecycle::hook(post_tool_use, matcher(tool_name = "Bash", input_contains = "git commit"), strength = suggestion, text = "You committed with {tool_name}.")]
struct AfterCommit;

#[lifecycle::hook(session_start, strength = important, context_tool = "search_memories", context_tool_args(query = "recent", depth = [1, {"project": "{project_name}"}]))]
struct LoadContext;

#[lifecycle::hook(pre_tool_use, strength = required, matcher(tool_server = "files"))]
async fn rules(_memory: &Memory, call: &event::PreToolUse) -> Option<String> {
    call.tool_name.clone()
}

/// One hook of each kind at each event, with and without a matcher where one may stand.
fn by_hand() -> Registry {
    fn kinds<P: lifecycle::LifecyclePoint + Copy>(point: P) -> Vec<LifecycleHook> {
        let id = |kind: &str| format!("{}_{kind}", P::METHOD);
        let mut hooks = vec![
            LifecycleHook::text(id("text"), point, strength::suggestion, "in {project_name}"),
            LifecycleHook::tool(id("tool"), point, strength::important, "search"),
            LifecycleHook::answering_any(id("answer"), point, strength::required, |(): ()| {
                Box::pin(async { "x" })
            }),
        ];
        if P::EVENT.is_tool_event() {
            let matcher = Matcher::new()
                .tool_name("mcp__*")
                .tool_server("x")
                .input_contains("y");
            hooks.push(
                LifecycleHook::text(id("narrowed"), point, strength::required, "x")
                    .matcher(matcher),
            );
        }
        hooks
    }
    let hooks = [
        kinds(point::session_start),
        kinds(point::session_end),
        kinds(point::pre_tool_use),
        kinds(point::post_tool_use),
        kinds(point::pre_request),
        kinds(point::post_request),
    ];
    let add =
        |builder: hooks_sdk::core::RegistryBuilder, hook: LifecycleHook| builder.add(hook.into());
    hooks
        .into_iter()
        .flatten()
        .fold(Registry::builder(), add)
        .build()
        .unwrap()
}

#[test]
fn every_declaration_we_emit_is_valid_by_the_schema() {
    let schema = validator(schema::SERVER);
    let annotated = Registry::collect::<Memory>().unwrap();
    for (registry, count) in [(annotated, 3), (by_hand(), 20)] {
        assert_eq!(lifecycle::problems(&registry), []);
        let declarations = Declarations::of(&registry);
        assert_eq!(declarations.hooks().count(), count);
        for client in [
            ClientHooksCapability::new(Event::ALL),
            ClientHooksCapability::new([]),
        ] {
            let said = to_value(declarations.supported_by(&client)).unwrap();
            if let Err(error) = schema.validate(&said) {
                panic!("{error} in {said}");
            }
        }
        let mut all = declarations.all().declarations.into_iter();
        assert!(all.all(|declaration| declaration.problem().is_none()));
    }
}

#[test]
fn the_client_capability_we_emit_is_valid_by_the_schema() {
    let said = to_value(ClientHooksCapability::new(Event::ALL)).unwrap();
    assert!(validator(schema::CLIENT).is_valid(&said));
}
