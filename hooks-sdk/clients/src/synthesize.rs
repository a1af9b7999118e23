//! The input that a client would write at an event that a person describes.

use serde_json::{Map, Value, json};

use super::{Client, tool::Tool};
use hooks_core::lifecycle::Event;

/// An event as a person describes it. The tool can have its name in any client.
#[derive(Clone, Copy, Debug, Default)]
pub struct DescribedEvent<'a> {
    /// The tool's name, in the word of any client.
    pub tool: Option<&'a str>,
    /// The MCP server of the tool.
    pub server: Option<&'a str>,
    /// The tool's input, a JSON text.
    pub input: Option<&'a str>,
    /// The project's folder.
    pub project: Option<&'a str>,
}

/// Returns the bytes that the client writes, as far as hooks need them. `servers` are searched first in a tool's name.
pub fn synthesize(
    client: &Client,
    event: Event,
    told: DescribedEvent<'_>,
    servers: &[&str],
) -> String {
    let mapping = client.mapping(event);
    let mut members: Map<String, Value> =
        serde_json::from_str(mapping.described).unwrap_or_default();
    members.insert("hook_event_name".to_owned(), mapping.native.into());
    if let Some(project) = told.project {
        members.insert("cwd".to_owned(), format!("/{project}").into());
    }
    if event == Event::PostRequest {
        members.insert("stop_hook_active".to_owned(), json!(false));
    }
    let tool = told.tool.filter(|_| event.is_tool_event());
    let named = tool.map(|name| match Tool::said(name, told.server, servers) {
        Tool::Served { server, tool } => client.named_tool(Some(&server), &tool),
        Tool::Own { .. } => client.named_tool(None, name),
    });
    if let Some(Value::Object(named)) = named {
        members.extend(named);
    }
    let mut text = Value::Object(members).to_string();
    if let Some(input) = told.input.filter(|_| event.is_tool_event()) {
        // Unchanged, because a matcher searches the bytes.
        text.pop();
        text.push_str(&format!(",\"tool_input\":{input}}}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ALL, read_input};

    #[test]
    fn a_tool_is_named_as_each_client_names_it() {
        let names = |tool, server| {
            ALL.map(|client| {
                let told = DescribedEvent {
                    tool: Some(tool),
                    server,
                    input: Some(r#"{"b":1, "a":2}"#),
                    ..DescribedEvent::default()
                };
                let text = synthesize(client, Event::PreToolUse, told, &["my desk"]);
                let seen = read_input(client, None, &["my desk"], text.as_bytes()).expect("heard");
                let variables = seen.occasion.variables;
                assert_eq!(variables.tool_input.as_deref(), Some(r#"{"b":1,"a":2}"#));
                (
                    variables.tool_name.expect("a name"),
                    seen.occasion.tool_server,
                )
            })
        };
        for shell in ["Bash", "run_shell_command", "exec_command"] {
            for (client, (name, server)) in ALL.into_iter().zip(names(shell, None)) {
                assert_eq!(
                    Some(name.as_str()),
                    client.named_tool(None, "Bash")["tool_name"].as_str()
                );
                assert_eq!(server, None);
            }
        }
        let served = ALL.map(|client| {
            let named = client.named_tool(Some("my desk"), "deploy");
            let name = named["tool_name"].as_str().expect("a name");
            assert!(name.ends_with("deploy") && name.contains("desk"));
            (name.to_owned(), Some("my desk".to_owned()))
        });
        for (tool, server) in [
            ("mcp__my_desk__deploy", None),
            ("mcp_my_desk_deploy", None),
            ("deploy", Some("my desk")),
            ("mcp__my_desk__deploy", Some("my desk")),
        ] {
            assert_eq!(names(tool, server), served, "{tool}");
        }
        let own = ["Write"; ALL.len()].map(|name| (name.to_owned(), None));
        assert_eq!(names("Write", None), own);
    }
}
