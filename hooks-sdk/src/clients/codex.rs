//! Codex CLI, measured with version 0.169.0.

use std::{path::PathBuf, time::Duration};

use serde_json::{Value, json};

use super::{
    Client, DEADLINE, Delivery, InstallScope, Mapping, Place, Seen, Tested, answer, input::Input,
    tool::Tool,
};
use crate::{
    guidance::{McpFeature, McpFeatures},
    lifecycle::Event,
};

/// Codex ends a hook at the end of a session after this time, whatever the entry says.
const AT_SESSION_END: Duration = Duration::from_secs(3);

/// Codex CLI.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a client has no parts")]
pub struct Codex;

impl Codex {
    fn folder(place: &Place, scope: InstallScope) -> PathBuf {
        match (scope, &place.codex_home) {
            (InstallScope::User, Some(folder)) => folder.clone(),
            _ => place.root(scope).join(".codex"),
        }
    }
}

impl Client for Codex {
    fn name(&self) -> &'static str {
        "codex"
    }

    fn title(&self) -> &'static str {
        "Codex CLI"
    }

    fn program(&self) -> &'static str {
        "codex"
    }

    fn tested(&self) -> Tested {
        Tested::new("0.169.0", "2026-11-22")
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
                "No text reaches the agent at the end of a session, and the client ends a hook after 3 s. The \
                 nearest alternative is a `post_request` hook, which fires each time the agent has finished.",
            ),
            Event::PreToolUse => Mapping::new("PreToolUse", Delivery::Context).subagents(true),
            Event::PostToolUse => Mapping::new("PostToolUse", Delivery::Context).subagents(true),
            Event::PreRequest => Mapping::new("UserPromptSubmit", Delivery::Context).subagents(true).note(
                "The event also occurs for the task that a subagent receives.",
            ),
            Event::PostRequest => Mapping::new("Stop", Delivery::Continue).subagents(false).note(
                "The text is the reason why the agent may not stop yet: it costs one request to the model, and is \
                 sent once for each message of the user.",
            ),
        }
    }

    fn read(&self, event: Event, input: &Value, servers: &[&str]) -> Seen {
        Input(input).seen_as_claude_code(event, servers)
    }

    fn named_tool(&self, server: Option<&str>, tool: &str) -> Value {
        json!({ "tool_name": match server {
            Some(server) => Tool::doubly_joined(server, tool),
            None => Tool::named(tool, "Bash").to_owned(),
        } })
    }

    fn answer(&self, seen: &Seen, text: &str) -> Value {
        answer::bringing(self.mapping(seen.occasion.event), seen, "block", text)
    }

    fn deadline(&self, event: Event) -> Duration {
        match event {
            Event::SessionEnd => AT_SESSION_END,
            _ => DEADLINE,
        }
    }

    fn hook_entry(&self, event: Event, _server: &str, command: &str) -> Value {
        let timeout = self.deadline(event).as_secs();
        json!({ "hooks": [{ "type": "command", "command": command, "timeout": timeout }] })
    }

    fn hooks_file(&self, scope: InstallScope, place: &Place) -> PathBuf {
        Codex::folder(place, scope).join("hooks.json")
    }

    fn servers_file(
        &self,
        scope: InstallScope,
        place: &Place,
    ) -> (PathBuf, &'static [&'static str]) {
        let file = Codex::folder(place, scope).join("config.toml");
        (file, &["mcp_servers"])
    }

    fn server_entry(&self, command: &str, arguments: &[String]) -> Value {
        json!({ "command": command, "args": arguments })
    }

    fn further_step(&self, scope: InstallScope) -> Option<&'static str> {
        Some(match scope {
            InstallScope::User => {
                "Codex CLI silently skips hooks that you have not reviewed. Start it, and review them with `/hooks`."
            }
            InstallScope::Project => {
                "Codex CLI reads a project's hooks only if you trust the project, and silently skips hooks that you \
                 have not reviewed. Start it in the project, and review them with `/hooks`."
            }
        })
    }
}
