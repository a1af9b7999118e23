//! Claude Code, measured with version 2.1.329, and GitHub Copilot CLI 1.0.102, which reads Claude Code's files.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::{
    Client, Delivery, InstallScope, Mapping, Place, Seen, Tested, answer, input::Input, output,
    tool::Tool,
};
use crate::{
    guidance::{McpFeature, McpFeatures},
    lifecycle::Event,
};

/// Claude Code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a client has no parts")]
pub struct ClaudeCode;

/// GitHub Copilot CLI, which reads the project's file of Claude Code.
const COPILOT: &str = "copilot";

impl ClaudeCode {
    /// Returns whether Copilot CLI wrote the input: it has the time of the event, and no permission mode of Claude Code.
    fn is_copilots(input: Input<'_>) -> bool {
        let has = |name: &str| input.0.get(name).is_some();
        has("hook_event_name") && has("timestamp") && !has("permission_mode")
    }

    fn read_copilots(event: Event, input: Input<'_>, servers: &[&str]) -> Seen {
        let tool = |name| Tool::split_dashed(name, servers);
        let mut seen = input.seen(event, tool, output::text);
        seen.reader = Some(COPILOT);
        let said = input
            .member("tool_result")
            .and_then(|result| result.get("text_result_for_llm")?.as_str());
        if event == Event::PostToolUse {
            seen.occasion.variables.tool_output = said.map(str::to_owned);
        }
        // A subagent's event has the subagent's id in the place of the session's.
        if let Some(parent) = input.text("parent_agent_id") {
            seen.session_id = Some(parent.to_owned());
            seen.occasion.variables.session_id = Some(parent.to_owned());
        }
        seen
    }
}

impl Client for ClaudeCode {
    fn name(&self) -> &'static str {
        "claude-code"
    }

    fn title(&self) -> &'static str {
        "Claude Code"
    }

    fn program(&self) -> &'static str {
        "claude"
    }

    fn tested(&self) -> Tested {
        Tested::new("2.1.329", "2026-11-22")
    }

    fn features(&self) -> McpFeatures {
        McpFeatures::EMPTY.with(McpFeature::Elicitation)
    }

    fn tells_session(&self) -> bool {
        true
    }

    fn keeps_start(&self) -> bool {
        true
    }

    fn mapping(&self, event: Event) -> Mapping {
        match event {
            Event::SessionStart => Mapping::new("SessionStart", Delivery::Context).subagents(false),
            Event::SessionEnd => Mapping::new("SessionEnd", Delivery::Never).note(
                "No text reaches the agent at the end of a session. The nearest alternative is a `post_request` \
                 hook, which fires each time the agent has finished.",
            ),
            Event::PreToolUse => Mapping::new("PreToolUse", Delivery::Context).subagents(true),
            Event::PostToolUse => Mapping::new("PostToolUse", Delivery::Context).subagents(true).note(
                "A failed call is another event, `PostToolUseFailure`, at which no hook fires.",
            ),
            Event::PreRequest => Mapping::new("UserPromptSubmit", Delivery::Context).subagents(false).note(
                "The event also occurs when a background subagent has ended.",
            ),
            Event::PostRequest => Mapping::new("Stop", Delivery::Continue).subagents(false).note(
                "The text is the reason why the agent may not stop yet: it costs one request to the model, and is \
                 sent once for each message of the user.",
            ),
        }
    }

    fn read(&self, event: Event, input: &Value, servers: &[&str]) -> Seen {
        let input = Input(input);
        if ClaudeCode::is_copilots(input) {
            ClaudeCode::read_copilots(event, input, servers)
        } else {
            input.seen_as_claude_code(event, servers)
        }
    }

    fn named_tool(&self, server: Option<&str>, tool: &str) -> Value {
        match server {
            Some(server) => json!({
                "tool_name": Tool::doubly_joined(server, tool),
                "mcp_server": { "name": server },
            }),
            None => json!({ "tool_name": Tool::named(tool, "Bash") }),
        }
    }

    fn answer(&self, seen: &Seen, text: &str) -> Value {
        let mut answer = answer::bringing(self.mapping(seen.occasion.event), seen, "block", text);
        // Claude Code reads the inner member. Copilot CLI reads the outer one, and the inner one before a tool only.
        let context = answer.pointer("/hookSpecificOutput/additionalContext");
        if let Some(context) = context.cloned() {
            answer["additionalContext"] = context;
        }
        answer
    }

    fn hook_entry(&self, event: Event, _server: &str, command: &str) -> Value {
        // No matcher: `fire` does the matching, because the client's matchers differ from SEP-2282's.
        let timeout = self.deadline(event).as_secs();
        json!({ "hooks": [{ "type": "command", "command": command, "timeout": timeout }] })
    }

    fn hooks_file(&self, scope: InstallScope, place: &Place) -> PathBuf {
        place.root(scope).join(".claude").join("settings.json")
    }

    fn servers_file(
        &self,
        scope: InstallScope,
        place: &Place,
    ) -> (PathBuf, &'static [&'static str]) {
        let name = match scope {
            InstallScope::User => ".claude.json",
            InstallScope::Project => ".mcp.json",
        };
        (place.root(scope).join(name), &["mcpServers"])
    }

    fn server_entry(&self, command: &str, arguments: &[String]) -> Value {
        json!({ "type": "stdio", "command": command, "args": arguments })
    }

    fn further_step(&self, _scope: InstallScope) -> Option<&'static str> {
        None
    }

    fn also_read_by(&self) -> &'static [&'static str] {
        &[
            "GitHub Copilot CLI, the project's file in a folder that you trust",
            "VS Code with GitHub Copilot, the project's file (a preview)",
            "Cursor, when its setting to load Claude's hooks is on",
            "Grok Build",
        ]
    }
}
