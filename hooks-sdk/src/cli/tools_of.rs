//! What a program's own server says: its instructions, its tools, and one that a trial may call.

use std::time::Duration;

use serde_json::{Map, Value, json};

#[cfg(feature = "policy-engine")]
use super::plugins;
use super::{CommandError, Program, pipe::listed_tools, program::SessionPlace};
use crate::{
    clients::dump::{Diagnostic, DumpedServer},
    core::machine::{Machine, OPENING_TOOL, SubmittedStates, linked_states},
    server::ServerHandler,
    testing::TestHost,
};

/// The maximum time for a read of the state of sessions.
const PATIENCE: Duration = Duration::from_secs(1);

/// Returns what the server says. Of the tools that its author calls read-only, the one with the fewest arguments is the
/// harmless one.
pub(super) async fn dumped<H: ServerHandler>(
    program: &Program<H>,
) -> Result<DumpedServer, CommandError> {
    let kept = SessionPlace::Here { patience: PATIENCE };
    let collected = program.settled(|guidance| guidance, kept)?;
    let author = program.server().await?;
    let mut dumped = DumpedServer::default();
    dumped.instructions = author.get_info().instructions;
    let hooked = collected.wrap(author)?;
    let host = TestHost::connect(hooked.clone()).await?;
    let tools = listed_tools(&host).await?;
    #[cfg(feature = "policy-engine")]
    {
        // A list hook hides tools and changes their hints, and rules are about the author's tools all the same.
        let own = plugins::own_tools(program).await?;
        let is_hidden = |name: &str| hooked.server().get_tool(name).is_some();
        dumped.findings = plugins::strays(&collected, own.iter().chain(&tools), is_hidden)?;
    }
    let read_only = tools
        .iter()
        .filter(|tool| tool["annotations"]["readOnlyHint"] == true);
    let callable = read_only.filter_map(|tool| {
        let name = tool["name"].as_str()?;
        Some((name.to_owned(), arguments(&tool["inputSchema"])?))
    });
    dumped.harmless =
        callable.min_by_key(|(_, arguments)| arguments.as_object().map_or(0, Map::len));
    let names = tools.iter().filter_map(|tool| tool["name"].as_str());
    dumped.tools = names.map(str::to_owned).collect();
    let schemas = tools.iter().map(|tool| &tool["inputSchema"]["properties"]);
    let members = schemas.filter_map(Value::as_object).flat_map(Map::keys);
    dumped.arguments = members.cloned().collect();
    let machine = collected.machine();
    let idle = idle_states(machine.as_ref(), &dumped.tools);
    dumped.findings.extend(idle);
    Ok(dumped)
}

/// Returns the session machines about this server's tools that the program does not turn on.
fn idle_states(machine: Option<&Machine>, tools: &[String]) -> Vec<Diagnostic> {
    let is_on = |of: &SubmittedStates| {
        machine.is_some_and(|machine| {
            let names = machine.states().map(|state| machine.name(state));
            names.eq(of.states.iter().copied())
        })
    };
    let is_about = |of: &SubmittedStates| {
        let mut named = of.tools.iter();
        named.any(|name| tools.iter().any(|tool| tool == name))
            || of.tools.iter().all(|name| *name == OPENING_TOOL)
    };
    let idle = linked_states().filter(|of| is_about(of) && !is_on(of));
    let found = idle.map(|of| {
        let name = of.name;
        let message =
            format!("the program does not use the session machine `{name}`, so it refuses no call");
        let help = format!("add `.session::<{name}>()` to the `Program`, or remove `{name}`");
        Diagnostic::new(message, help).at(of.origin.to_string())
    });
    found.collect()
}

/// Makes the required arguments of a schema; `None` if one is neither a text, a number, a truth value nor a list.
fn arguments(schema: &Value) -> Option<Value> {
    let required = schema["required"].as_array().into_iter().flatten();
    let argument = |name: &Value| {
        let name = name.as_str()?;
        let of = &schema["properties"][name];
        let first = of["enum"].get(0).cloned();
        let value = first.or_else(|| match of["type"].as_str()? {
            "string" => Some(json!("hooks prove")),
            "integer" | "number" => Some(of.get("minimum").cloned().unwrap_or(json!(1))),
            "boolean" => Some(json!(false)),
            "array" => Some(json!([])),
            _ => None,
        });
        Some((name.to_owned(), value?))
    };
    let arguments: Option<Map<String, Value>> = required.map(argument).collect();
    arguments.map(Value::Object)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_required_arguments_are_made_and_only_simple_ones() {
        let property = |of: Value| {
            arguments(&json!({ "required": ["a"], "properties": { "a": of, "b": {} } }))
        };
        assert_eq!(
            arguments(&json!({ "properties": { "a": { "type": "object" } } })),
            Some(json!({}))
        );
        assert_eq!(
            property(json!({ "type": "string" })),
            Some(json!({ "a": "hooks prove" }))
        );
        assert_eq!(
            property(json!({ "enum": ["x", "y"] })),
            Some(json!({ "a": "x" }))
        );
        assert_eq!(
            property(json!({ "type": "integer", "minimum": 7 })),
            Some(json!({ "a": 7 }))
        );
        for unknown in [
            json!({ "type": "object" }),
            json!({ "$ref": "#/$defs/A" }),
            json!(true),
        ] {
            assert_eq!(property(unknown), None);
        }
    }
}
