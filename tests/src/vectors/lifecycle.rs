//! The suites of the protocol `lifecycle`; each file's `about` says what its inputs and outputs mean.

mod host;

use hooks_sdk::{
    core::{Hook as CoreHook, Registry},
    lifecycle::{
        ClientHooksCapability, Declaration, Declarations, Event, HookContent, LifecycleHook,
        LifecyclePoint, Matcher, Occasion, Variables, point,
    },
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{Protocol, each};

/// The protocol, for the table in `tests/vectors.rs`.
pub const PROTOCOL: Protocol = Protocol {
    name: "lifecycle",
    suites: &[
        ("matching", |file| each(file, matching)),
        ("templates", |file| each(file, templates)),
        ("negotiation", |file| each(file, negotiation)),
        ("host", |file| each(file, host::run)),
    ],
};

fn matching(input: &Value) -> Value {
    let matcher: Matcher = read(&input["matcher"]);
    json!(matcher.matches(&occasion(&input["occasion"])))
}

fn templates(input: &Value) -> Value {
    let event: Event = read(&input["event"]);
    let variables = variables(&input["variables"]);
    match input["context_tool_args"].as_object() {
        Some(args) => json!(variables.substitute_args(event, args)),
        None => json!(variables.substitute(event, string(&input["context"]))),
    }
}

fn negotiation(input: &Value) -> Value {
    let declared: Vec<Declaration> = read(&input["hooks"]);
    let hooks = declared.into_iter().enumerate();
    let builder = hooks.fold(Registry::builder(), |builder, (at, declaration)| {
        builder.add(hook(format!("hook_{at}"), declaration))
    });
    let declarations = Declarations::of(&builder.build().expect("sound hooks"));
    let client = input.get("client").and_then(ClientHooksCapability::read);
    client.map_or(Value::Null, |client| {
        json!(declarations.supported_by(&client))
    })
}

/// A hook made by hand that is declared like this.
fn hook(id: String, declaration: Declaration) -> CoreHook {
    match declaration.event.known().expect("a known event") {
        Event::SessionStart => at(id, point::session_start, declaration),
        Event::SessionEnd => at(id, point::session_end, declaration),
        Event::PreToolUse => at(id, point::pre_tool_use, declaration),
        Event::PostToolUse => at(id, point::post_tool_use, declaration),
        Event::PreRequest => at(id, point::pre_request, declaration),
        Event::PostRequest => at(id, point::post_request, declaration),
        other => panic!("`{other}` is new"),
    }
}

fn at<P: LifecyclePoint>(id: String, point: P, declaration: Declaration) -> CoreHook {
    let strength = *declaration.strength.known().expect("a known priority");
    let mut hook = match declaration.content {
        HookContent::Context(text) => LifecycleHook::text(id, point, strength, text),
        HookContent::ContextTool { name, args } => {
            let hook = LifecycleHook::tool(id, point, strength, name);
            args.into_iter()
                .fold(hook, LifecycleHook::context_tool_args)
        }
        other => panic!("{other:?} is new"),
    };
    if let Some(matcher) = declaration.matcher {
        hook = hook.matcher(matcher);
    }
    hook.into()
}

fn occasion(input: &Value) -> Occasion {
    let mut occasion = Occasion::new(read(&input["event"]), variables(&input["variables"]));
    if let Some(server) = input["tool_server"].as_str() {
        occasion = occasion.tool_server(server);
    }
    let names = input["also_named"].as_array().into_iter().flatten();
    names.fold(occasion, |occasion, name| occasion.also_named(string(name)))
}

fn variables(input: &Value) -> Variables {
    let value = |name: &str| input[name].as_str().map(str::to_owned);
    let mut variables = Variables::new();
    variables.project_name = value("project_name");
    variables.session_id = value("session_id");
    variables.tool_name = value("tool_name");
    variables.tool_input = value("tool_input");
    variables.tool_output = value("tool_output");
    variables
}

fn read<T: DeserializeOwned>(value: &Value) -> T {
    serde_json::from_value(value.clone()).unwrap_or_else(|error| panic!("{error} in {value}"))
}

fn string(value: &Value) -> &str {
    value
        .as_str()
        .unwrap_or_else(|| panic!("{value} is no string"))
}
