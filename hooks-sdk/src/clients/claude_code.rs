//! Claude Code, as version 2.1.329 was found to be.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::{Client, Delivery, Mapping, Place, Scope, Seen, answer, input::Input};
use crate::{
    guidance::{FeatureSet, McpFeature},
    lifecycle::Event,
};

/// Claude Code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a client has no parts")]
pub struct ClaudeCode;

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

    fn features(&self) -> FeatureSet {
        FeatureSet::EMPTY.with(McpFeature::Elicitation)
    }

    fn tells_session(&self) -> bool {
        true
    }

    fn mapping(&self, event: Event) -> Mapping {
        match event {
            Event::SessionStart => Mapping::new("SessionStart", Delivery::Context),
            Event::SessionEnd => Mapping::new("SessionEnd", Delivery::Never).note(
                "Nothing reaches the agent at the end of a session. The nearest is a `post_request` hook, which \
                 speaks each time that the agent has finished.",
            ),
            Event::PreToolUse => Mapping::new("PreToolUse", Delivery::Context),
            Event::PostToolUse => Mapping::new("PostToolUse", Delivery::Context).note(
                "A call that failed is another event there, `PostToolUseFailure`, at which nothing is said.",
            ),
            Event::PreRequest => Mapping::new("UserPromptSubmit", Delivery::Context),
            Event::PostRequest => Mapping::new("Stop", Delivery::Continue).note(
                "The text is the reason for which the agent may not stop yet: it costs a request to the model, and \
                 is given once for each message of the user.",
            ),
        }
    }

    fn read(&self, event: Event, input: &Value, servers: &[&str]) -> Seen {
        Input(input).seen_as_claude_code(event, servers)
    }

    fn answer(&self, seen: &Seen, text: &str) -> Value {
        answer::bringing(self.mapping(seen.occasion.event), seen, "block", text)
    }

    fn hook_entry(&self, event: Event, _server: &str, command: &str) -> Value {
        // No matcher: `fire` matches, since the client's matchers mean other things than SEP-2282's.
        let timeout = self.deadline(event).as_secs();
        json!({ "hooks": [{ "type": "command", "command": command, "timeout": timeout }] })
    }

    fn hooks_file(&self, scope: Scope, place: &Place) -> PathBuf {
        place.root(scope).join(".claude").join("settings.json")
    }

    fn servers_file(&self, scope: Scope, place: &Place) -> (PathBuf, &'static [&'static str]) {
        let name = match scope {
            Scope::User => ".claude.json",
            Scope::Project => ".mcp.json",
        };
        (place.root(scope).join(name), &["mcpServers"])
    }

    fn server_entry(&self, command: &str, arguments: &[String]) -> Value {
        json!({ "type": "stdio", "command": command, "args": arguments })
    }

    fn further_step(&self, _scope: Scope) -> Option<&'static str> {
        None
    }

    fn also_read_by(&self) -> &'static [&'static str] {
        &[
            "VS Code with GitHub Copilot, the project's file (a preview)",
            "Cursor, when its setting to load Claude's hooks is on",
            "Grok Build",
        ]
    }
}
