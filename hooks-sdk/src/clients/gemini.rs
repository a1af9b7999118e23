//! Gemini CLI, measured with version 0.61.0.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::{
    Client, Delivery, InstallScope, Mapping, Place, Seen, Tested, answer, input::Input, output,
    tool::Tool,
};
use crate::{guidance::McpFeatures, lifecycle::Event};

/// The beginning of a text of this SDK, and of a prompt that is such a text.
const OURS: &str = "Hook of the MCP server `";

/// Gemini CLI.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a client has no parts")]
pub struct Gemini;

impl Client for Gemini {
    fn name(&self) -> &'static str {
        "gemini"
    }

    fn title(&self) -> &'static str {
        "Gemini CLI"
    }

    fn program(&self) -> &'static str {
        "gemini"
    }

    fn tested(&self) -> Tested {
        Tested::new("0.61.0", "2026-11-22")
    }

    fn features(&self) -> McpFeatures {
        McpFeatures::EMPTY
    }

    fn tells_session(&self) -> bool {
        false
    }

    fn keeps_start(&self) -> bool {
        false
    }

    fn mapping(&self, event: Event) -> Mapping {
        match event {
            Event::SessionStart => Mapping::new("SessionStart", Delivery::Context).subagents(false),
            Event::SessionEnd => Mapping::new("SessionEnd", Delivery::Never).note(
                "No text reaches the agent at the end of a session. The nearest alternative is a `post_request` \
                 hook, which fires each time the agent has finished.",
            ),
            Event::PreToolUse => Mapping::new("BeforeTool", Delivery::Never).note(
                "Before a tool call, a hook can refuse or change the call, but its text does not reach the agent. \
                 The nearest alternatives are a `pre_request` hook before the turn and a `post_tool_use` hook after \
                 the call.",
            ),
            Event::PostToolUse => Mapping::new("AfterTool", Delivery::Context).subagents(true),
            Event::PreRequest => Mapping::new("BeforeAgent", Delivery::Context).subagents(false).note(
                "The event also occurs for the reason with which `AfterAgent` kept the agent going. No hook fires \
                 then, unless the reason begins with the text of another program's hook.",
            ),
            Event::PostRequest => Mapping::new("AfterAgent", Delivery::Continue).subagents(false).note(
                "The text is the reason why the agent may not stop yet: it costs one request to the model, and is \
                 sent once for each message of the user.",
            ),
        }
    }

    fn read(&self, event: Event, input: &Value, servers: &[&str]) -> Seen {
        let input = Input(input);
        let tool = |name| {
            let context = input.member("mcp_context");
            let said = |member| {
                context?
                    .get(member)?
                    .as_str()
                    .filter(|text| !text.is_empty())
            };
            match (said("server_name"), said("tool_name")) {
                (Some(server), Some(tool)) => Tool::served(server, tool),
                _ => Tool::split_single(name, servers),
            }
        };
        let mut seen = input.seen(event, tool, output::text_of_gemini);
        if event == Event::PreRequest {
            // Only at the start: further down, such a line is the text of another hook at the session's start.
            let prompt = input.text("prompt").unwrap_or_default();
            seen.kept_going = prompt.trim_start().starts_with(OURS);
        }
        seen
    }

    fn named_tool(&self, server: Option<&str>, tool: &str) -> Value {
        match server {
            Some(server) => json!({
                "tool_name": Tool::singly_joined(server, tool),
                "mcp_context": { "server_name": server, "tool_name": tool },
            }),
            None => json!({ "tool_name": Tool::named(tool, "run_shell_command") }),
        }
    }

    fn answer(&self, seen: &Seen, text: &str) -> Value {
        answer::bringing(self.mapping(seen.occasion.event), seen, "deny", text)
    }

    fn hook_entry(&self, event: Event, server: &str, command: &str) -> Value {
        // In milliseconds: 10 would end the hook before it begins.
        let timeout = u64::try_from(self.deadline(event).as_millis()).unwrap_or(u64::MAX);
        let name = format!("{server} {event}");
        json!({ "hooks": [{ "name": name, "type": "command", "command": command, "timeout": timeout }] })
    }

    fn hooks_file(&self, scope: InstallScope, place: &Place) -> PathBuf {
        place.root(scope).join(".gemini").join("settings.json")
    }

    fn servers_file(
        &self,
        scope: InstallScope,
        place: &Place,
    ) -> (PathBuf, &'static [&'static str]) {
        (self.hooks_file(scope, place), &["mcpServers"])
    }

    fn server_entry(&self, command: &str, arguments: &[String]) -> Value {
        json!({ "command": command, "args": arguments })
    }

    fn further_step(&self, scope: InstallScope) -> Option<&'static str> {
        match scope {
            InstallScope::User => None,
            InstallScope::Project => {
                Some("Gemini CLI reads a project's settings only in a folder that you trust.")
            }
        }
    }
}
