//! The tools of a program's own server, and one that a trial may call.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::{CommandError, Program, pipe::listed_tools, program::SessionPlace};
use crate::{clients::dump::DumpedServer, server::ServerHandler, testing::TestHost};

/// The maximum time for a read of the state of sessions.
const PATIENCE: Duration = Duration::from_secs(1);

/// Returns the tools, and one that its author calls read-only, with arguments for it: the tool with the fewest of them.
pub(super) async fn dumped<H: ServerHandler>(
    program: &Program<H>,
) -> Result<DumpedServer, CommandError> {
    let kept = SessionPlace::Here { patience: PATIENCE };
    let server = program.hooked(|guidance| guidance, kept).await?;
    let host = TestHost::connect(server).await?;
    let tools = listed_tools(&host).await?;
    let read_only = tools
        .iter()
        .filter(|tool| tool["annotations"]["readOnlyHint"] == true);
    let callable = read_only.filter_map(|tool| {
        let name = tool["name"].as_str()?;
        Some((name.to_owned(), arguments(&tool["inputSchema"])?))
    });
    let mut dumped = DumpedServer::default();
    dumped.harmless =
        callable.min_by_key(|(_, arguments)| arguments.as_object().map_or(0, Map::len));
    let names = tools.iter().filter_map(|tool| tool["name"].as_str());
    dumped.tools = names.map(str::to_owned).collect();
    Ok(dumped)
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
