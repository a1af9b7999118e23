//! Antigravity, as its documents describe it. It was not run.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::{
    AfterStart, Aftermath, Capabilities, Client, Delivery, InstallScope, Mapping, Place, Seen,
    Tested, UserFolder, answer, capabilities::USER_AND_PROJECT, input::Input,
    mapping::NO_TEXT_AT_THE_END, output, tool::Tool,
};
use hooks_core::{guidance::McpFeatures, lifecycle::Event};

/// Antigravity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a client has no parts")]
pub struct Antigravity;

pub(super) const ROW: Capabilities = Capabilities {
    name: "antigravity",
    title: "Antigravity",
    program: "agy",
    handshake: "antigravity",
    recorded: Tested::documents("0.1.22 of its harness", "2026-11-22"),
    folder: UserFolder::new(".gemini/config", &[]),
    readings: &[],
    adds_server: None,
    shells: &["run_command"],
    features: McpFeatures::EMPTY,
    tells_session: false,
    after_start: AfterStart::new(Aftermath::NotRun, Aftermath::NotRun, Aftermath::NotRun),
    events: [
        Mapping::new("SessionStart", Delivery::Context)
            .role("user")
            .note("Not all of the client's documents list this event. Without it, no text is sent."),
        Mapping::new("SessionEnd", Delivery::Never).note(NO_TEXT_AT_THE_END),
        Mapping::new("PreToolUse", Delivery::Gates).note(
            "A hook before a tool call must decide whether the call may run, in the place of the user. So none is \
             installed there. The nearest alternatives are a `pre_request` hook before the turn and a \
             `post_tool_use` hook after the call.",
        ),
        Mapping::new("PostToolUse", Delivery::Next)
            .role("user")
            .note(
                "The client takes no text at this event. The text is kept, and sent once with the next request to the \
                 model.",
            ),
        Mapping::new("PreInvocation", Delivery::Context)
            .role("user")
            .note("The event occurs for each request to the model. A hook fires only for the first one of a prompt."),
        Mapping::new("Stop", Delivery::Continue)
            .role("user")
            .note(
                "The text is the reason why the agent may not stop yet: it costs one request to the model, and is sent \
                 at the agent's first stop only.",
            ),
    ],
    gates: None,
    scopes: USER_AND_PROJECT,
    also_read_by: &[],
};

/// The client's own tool that calls the tool of an MCP server.
const CALL: &str = "call_mcp_tool";

impl Antigravity {
    /// Returns the tool of an MCP server that an input of [`CALL`] names.
    fn called(input: &Value) -> Option<Tool> {
        let word = |name| {
            input
                .get(name)?
                .as_str()
                .filter(|word: &&str| !word.is_empty())
        };
        Some(Tool::served(word("ServerName")?, word("ToolName")?))
    }
}

impl Client for Antigravity {
    fn capabilities(&self) -> &'static Capabilities {
        &ROW
    }

    fn read(&self, event: Event, input: &Value, servers: &[&str]) -> Seen {
        let input = Input(input);
        let tool = |name| Tool::split_single(name, servers);
        let mut seen = input.seen(event, tool, output::text);
        let variables = &mut seen.occasion.variables;
        if variables.project_name.is_none() {
            variables.project_name = input.first_folder("workspace_paths");
        }
        let session = input.text("conversation_id").map(str::to_owned);
        if session.is_some() {
            variables.session_id.clone_from(&session);
            seen.session_id = session;
        }
        if event == Event::PostToolUse {
            variables.tool_output = input.text("error").map(str::to_owned);
        }
        let call = input.member("tool_call").filter(|_| event.is_tool_event());
        if let Some(name) = call.and_then(|call| Input(call).text("name")) {
            let arguments = call.and_then(|call| call.get("args"));
            variables.tool_name = Some(name.to_owned());
            variables.tool_input = arguments.map(Value::to_string);
            let called = arguments.and_then(Antigravity::called);
            let called = called.filter(|_| name == CALL);
            called.unwrap_or_else(|| tool(name)).enter(&mut seen);
        }
        let is_first = |number| input.member(number) == Some(&json!(0));
        match event {
            Event::PreRequest => seen.kept_going = !is_first("invocation_num"),
            Event::PostRequest => seen.kept_going = !is_first("execution_num"),
            _ => {}
        }
        seen
    }

    fn named_tool(&self, server: Option<&str>, tool: &str) -> Value {
        json!({ "tool_name": match server {
            Some(server) => Tool::singly_joined(server, tool),
            None => Tool::named(tool, &ROW).to_owned(),
        } })
    }

    fn answer(&self, seen: &Seen, text: &str) -> Value {
        let mapping = self.mapping(seen.occasion.event);
        let context = |text: &str| json!({ "injectSteps": [{ "userMessage": text }] });
        let reason = |text: &str| json!({ "decision": "continue", "reason": text });
        answer::delivered(mapping, seen, text, context, reason)
    }

    fn hook_entry(&self, event: Event, _server: &str, command: &str) -> Value {
        let timeout = self.deadline(event).as_secs();
        let command = json!({ "type": "command", "command": command, "timeout": timeout });
        if event.is_tool_event() {
            json!({ "matcher": ".*", "hooks": [command] })
        } else {
            command
        }
    }

    fn hooks_file(&self, scope: InstallScope, place: &Place, _server: &str) -> PathBuf {
        let folder = match scope {
            InstallScope::User => ROW.folder.of(place),
            InstallScope::Project | InstallScope::Local => place.project.join(".agents"),
        };
        folder.join("hooks.json")
    }

    fn hooks_path(&self, server: &str) -> Vec<String> {
        vec![server.to_owned()]
    }

    fn servers_file(&self, scope: InstallScope, place: &Place) -> Option<(PathBuf, Vec<String>)> {
        if scope != InstallScope::User {
            return None;
        }
        let file = ROW.folder.of(place);
        let file = file.join("mcp_config.json");
        Some((file, vec!["mcpServers".to_owned()]))
    }

    fn further_step(&self, scope: InstallScope) -> Option<&'static str> {
        Some(match scope {
            InstallScope::User => {
                "Antigravity was not run: its entries follow its documents. Check that the hooks fire."
            }
            InstallScope::Project | InstallScope::Local => {
                "Antigravity was not run: its entries follow its documents, which name no file for a project's MCP \
                 servers. Each user adds the server with `hooks install --client antigravity`."
            }
        })
    }
}
